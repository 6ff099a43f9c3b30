"""One clause becomes one frame: its dependents are sorted into arguments, times and what is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from babi_cascade.pipeline.frames.clauses import (
    Clause,
    Complement,
    complement,
    predicate_name,
    prepositional,
)
from babi_cascade.pipeline.frames.model import WH, Argument, Asked, Frame
from babi_cascade.pipeline.frames.phrases import (
    arguments,
    case_of,
    is_time,
    marker_of,
    text_of,
)
from babi_cascade.pipeline.frames.questions import question_words
from babi_cascade.pipeline.frames.receivers import with_receiver
from babi_cascade.pipeline.frames.words import (
    PLACE_ADVERBS,
    TIME_ADVERBS,
    TIME_LINKS,
    TIME_PREPOSITIONS,
    WH_ADVERBS,
    WH_WORDS,
    lemma_of,
)
from babi_cascade.pipeline.trees import Roles, Token, Tree

CLAUSAL = ("ccomp", "xcomp", "advcl")
BESIDE = frozenset({"nsubj", "csubj", "cop", "aux", "expl", "discourse", "vocative", "parataxis"})
"""Relations of what hangs on a word and is no part of what it says of a subject."""


@dataclass
class Builder:
    """Collects the parts of one frame."""

    clause: Clause
    roles: Roles
    kind: str | None
    main: Clause | None
    heads: frozenset[int]
    negated: frozenset[int]
    arguments: list[Argument] = field(default_factory=list)
    times: list[Token] = field(default_factory=list)
    asks: Asked | None = None
    predicate: str = ""

    @property
    def tree(self) -> Tree:
        """The tree of the clause."""
        return self.clause.tree

    def collect(self) -> None:
        """Sort the dependents of the clause into arguments, times and what is asked."""
        clause = self.clause
        said: Complement | None = None
        leave: frozenset[int] = frozenset()
        if clause.copular:
            said = complement(clause)
        elif clause.stative:
            said = Complement("be", None, "attr")
            self._state()
        elif lemma_of(clause.head) == "be":
            said = self._main_verb_be()
        self.predicate = said.predicate if said else predicate_name(clause)
        if said is not None:
            leave = said.inside
        for token in clause.dependents:
            if said is not None and token is said.word:
                continue
            if token.id in leave or (clause.head.id in leave and token.deprel == "nmod:poss"):
                continue
            self._dependent(token)
        if said is not None:
            self._complement(said)
        self.arguments, self.asks = with_receiver(clause, self.arguments, self.asks)
        self.arguments.sort(key=lambda a: a.head_id)

    def frame(self) -> Frame:
        """Return the frame."""
        is_main = self.main is not None and self.clause.head is self.main.head
        return Frame(
            self.predicate,
            self.clause.verb.id,
            tuple(self.arguments),
            self.clause.head.id in self.negated,
            self._time(),
            self.kind if is_main or self.asks else None,
            self.asks,
            tuple(self._unplaced()),
        )

    def add(self, token: Token, relation: str) -> None:
        """Add an argument with its conjuncts, or take note that it is what the question asks for."""
        role = self._role(token)
        asked = question_words(self.tree, token) if self._may_ask(token) else None
        if asked is not None and self.asks is None:
            word, rest, _ = asked
            self.asks = Asked(word, relation, role, rest, token.id)
            return
        self.arguments += arguments(self.tree, token, relation, role)

    def _dependent(self, token: Token) -> None:
        tree, relation = self.tree, token.relation
        if relation in ("nsubj", "csubj"):
            passive = token.deprel.endswith(":pass") and not self.clause.stative
            self.add(token, "obj" if passive else "nsubj")
        elif relation == "obj":
            self.add(token, "obj")
        elif relation == "iobj":
            self.add(token, "obl:to")
        elif relation == "obl" or (relation == "nmod" and not self._nominal_head()):
            if self._is_time(token):
                self.times.append(token)
            else:
                self.add(token, self._oblique(token))
        elif relation == "advmod" or token.form.lower() in WH_ADVERBS:
            self._adverb(token)
        elif relation in CLAUSAL:
            marker = marker_of(tree, token)
            name = f"{relation}:{marker}" if marker and relation == "advcl" else relation
            self._clausal(token, name)

    def _adverb(self, token: Token) -> None:
        word = token.form.lower()
        if word in WH_ADVERBS or word in WH_WORDS:
            if self._may_ask(token) and self.asks is None:
                self.asks = Asked(word, f"advmod:{word}", self._role(token), "", token.id)
        elif word in TIME_ADVERBS or is_time(self.tree, token):
            self.times.append(token)
        elif word in PLACE_ADVERBS:
            self.add(token, "advmod")
        elif self._may_ask(token) and question_words(self.tree, token):
            self.add(token, "advmod")  # how often, how far

    def _clausal(self, token: Token, relation: str) -> None:
        """Add a clause as an argument: only its predicate, it has a frame of its own."""
        role = self._role(token)
        name = lemma_of(token)
        self.arguments.append(
            Argument(role, relation, name, name, token.id, (token.id,), token.form)
        )

    def _complement(self, said: Complement) -> None:
        head = self.clause.head
        if said.word is not None:
            self.add(said.word, said.relation)
            if self.asks is None and head.id in said.inside:
                return
        elif head.form.lower() in WH_WORDS and self.asks is None and self._may_ask(head):
            word = head.form.lower()
            adverb = word in WH_ADVERBS and said.relation == "attr"
            relation = f"advmod:{word}" if adverb else said.relation
            self.asks = Asked(word, relation, self._role(head), "", head.id)

    def _state(self) -> None:
        """Add a participle as what is said of the subject, in its own form: "closed" is no "close"."""
        head = self.clause.head
        word = head.form.lower()
        self.predicate = "be"
        role = self._role(head)
        self.arguments.append(Argument(role, "attr", word, word, head.id, (head.id,), head.form))

    def _main_verb_be(self) -> Complement | None:
        """Read "be" that a parser took for a full verb: its first phrase is what it says.

        "There is a dog in the barn" stays as it is: "there" is no subject.
        """
        tree, be = self.tree, self.clause.head
        if tree.child(be, "expl"):
            return None
        asked = any(t.form.lower() in WH_ADVERBS for t in self.clause.dependents)
        for token in self.clause.dependents:
            case = case_of(tree, token)
            if token.id < be.id or self._is_time(token) or asked:
                continue
            if token.relation in ("obl", "nmod") and case:
                return prepositional(tree, token, case)
            if token.relation in ("obj", "xcomp") and token.upos in ("NOUN", "PROPN", "ADJ"):
                return Complement("be", token, "attr")
        return None

    def _oblique(self, token: Token) -> str:
        case = case_of(self.tree, token)
        if self.clause.passive and (case == "by" or token.deprel == "obl:agent"):
            return "nsubj"
        return f"obl:{case}" if case else "obl"

    @property
    def labelled(self) -> dict[int, str]:
        """What the labeller says of the verb: head of an argument → role.

        Some labellers put the role of a phrase on its preposition, and mark that of a question word ("R-").
        Parts of arguments that stand elsewhere ("C-ARG1") say nothing new.
        """
        found: dict[int, str] = {}
        for word, role in self.roles.get(self.clause.verb.id, {}).items():
            token = self.tree[word]
            head = token.head if token.relation in ("case", "mark") and token.head else word
            bare = role.removeprefix("R-")
            if bare.startswith("ARG"):
                found.setdefault(head, bare)
        return found

    def _role(self, token: Token) -> str:
        return self.labelled.get(token.id, "")

    def _unplaced(self) -> Iterator[tuple[str, str]]:
        """Yield what the labeller names and the tree makes no argument of: its role and its words."""
        placed = {argument.head_id for argument in self.arguments}
        if self.asks is not None:
            placed.add(self.asks.token)
        for head, role in sorted(self.labelled.items()):
            if head not in placed:
                words = self._words_below(self.tree[head])
                yield role, " ".join(t.form.lower() for t in words)

    def _words_below(self, token: Token) -> list[Token]:
        """Return the words of a phrase; of one that heads the clause less what has a place of its own."""
        tree = self.tree
        others = {
            t.id
            for child in tree.children(token)
            if child.relation in BESIDE or child.id in self.labelled
            for t in tree.subtree(child)
        }
        return [t for t in tree.subtree(token) if t.id not in others and t.upos != "PUNCT"]

    def _may_ask(self, token: Token) -> bool:
        """Say whether a question word here can be what the sentence asks for."""
        if self.kind != WH or self.main is None:
            return False
        if self.clause.head is self.main.head:
            return True
        return self.clause.head.relation in ("xcomp", "ccomp") and token.id < self.main.head.id

    def _nominal_head(self) -> bool:
        """Say whether a nominal modifier of the head belongs to its noun phrase."""
        head = self.clause.head
        return (
            self.clause.copular
            and head.upos in ("NOUN", "PROPN")
            and head.form.lower() not in WH_WORDS
        )

    def _is_time(self, token: Token) -> bool:
        case = case_of(self.tree, token)
        if token.form.lower() in ("that", "this", "which", "it") and case in TIME_PREPOSITIONS:
            return True
        if question_words(self.tree, token):
            return False
        return token.form.lower() in TIME_ADVERBS or is_time(self.tree, token)

    def _time(self) -> str | None:
        """Return the time as the sentence says it; a date rather than a mere "then"."""
        texts = []
        for token in self.times:
            inside = self.tree.subtree(token)
            words = [
                t for t in inside if t is token or (t.upos != "PUNCT" and t.id not in self.heads)
            ]
            texts.append(" ".join(text_of(self.tree, [t]).lower() for t in words))
        links = [t for t in texts if t in TIME_LINKS or t.partition(" ")[0] in TIME_PREPOSITIONS]
        return next((t for t in texts if t not in links), links[0] if links else None)
