"""Clauses of a tree, and the constructions of English that make a predicate of more than a verb.

A clause is headed by a verb, or by what a copula says of its subject. The copula with what makes it a
relation is one predicate: "be in", "be to the left of", "be part of", "be fond of", "be older than".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from babi_cascade.pipeline.frames.phrases import case_of, is_time
from babi_cascade.pipeline.frames.words import (
    ADJECTIVE_COMPLEMENTS,
    NEGATIONS,
    PLACE_PREPOSITIONS,
    RELATIONAL_NOUNS,
    WH_WORDS,
    lemma_of,
    word_set,
)
from babi_cascade.pipeline.trees import Token, Tree

NOT_CLAUSAL = word_set(
    "aux cop amod compound case mark fixed flat goeswith discourse det cc punct advmod nummod nmod nsubj"
)
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "SYM"})


@dataclass(frozen=True)
class Clause:
    """A predicate in its tree: ``head`` carries the dependents, ``verb`` is the verb or copula itself."""

    tree: Tree
    head: Token
    verb: Token

    @property
    def copular(self) -> bool:
        """Whether the head is said of the subject by a copula."""
        return self.verb is not self.head

    @cached_property
    def passive(self) -> bool:
        """Whether the subject is what the verb is done to."""
        tree, head = self.tree, self.head
        return tree.child(head, "aux:pass", "nsubj:pass", "csubj:pass") is not None

    @cached_property
    def stative(self) -> bool:
        """Whether a passive tells a state: "The shop is closed", not "was closed by Kim".

        In the present, without agent or any other phrase, be + participle says how something is.
        """
        others = [
            t for t in self.dependents if t.relation in ("obl", "obj", "xcomp", "ccomp", "advcl")
        ]
        auxiliaries = [t.form.lower() for t in self.tree.children(self.head, "aux")]
        present = {"is", "are", "am", "'s", "'re", "'m"} & set(auxiliaries)
        return self.passive and bool(present) and len(auxiliaries) == 1 and not others

    @cached_property
    def dependents(self) -> tuple[Token, ...]:
        """What belongs to the clause, in order.

        Small parsers hang phrases under an auxiliary, and Universal Dependencies hang "to the shop"
        under "back" in "went back to the shop": both are participants of the clause.
        """
        found = list(self.tree.children(self.head))
        for child in tuple(found):
            if child.relation in ("aux", "cop"):
                found += self.tree.children(child)
            elif child.relation == "advmod" and child.form.lower() not in WH_WORDS:
                found += self.tree.children(child, "obl", "nmod")
        return tuple(sorted({t.id: t for t in found}.values(), key=lambda t: t.id))

    def subject(self) -> Token | None:
        """Return the subject, None if the clause has none of its own."""
        return next((t for t in self.dependents if t.relation in ("nsubj", "csubj")), None)


@dataclass(frozen=True)
class Complement:
    """What a copula says: the name of the predicate, and who or what is its second member.

    ``word`` is None when the question word is the complement itself or is stranded elsewhere.
    """

    predicate: str
    word: Token | None
    relation: str
    inside: frozenset[int] = frozenset()  # words that are in the predicate's name


def clauses(tree: Tree) -> list[Clause]:
    """Return the clauses of a sentence in the order of their verbs."""
    found: list[Clause] = []
    for token in tree:
        copula = next((t for t in tree.children(token, "cop") if t.id != token.id), None)
        if copula is not None:
            found.append(Clause(tree, token, copula))
        elif token.upos in ("VERB", "AUX") and token.relation not in NOT_CLAUSAL:
            found.append(Clause(tree, token, token))
        elif token.upos != "PUNCT" and tree.child(token, "nsubj") and token.relation != "nsubj":
            # a verb that was tagged as a noun still has a subject
            found.append(Clause(tree, token, token))
    return sorted(found, key=lambda c: c.verb.id)


def owner(tree: Tree, token: Token, heads: frozenset[int]) -> int:
    """Return the head of the clause that a word stands in, 0 if it is in none."""
    if token.id in heads:
        return token.id
    return next((t.id for t in tree.ancestors(token) if t.id in heads), 0)


def negated_clauses(tree: Tree, heads: frozenset[int]) -> frozenset[int]:
    """Return the heads of the clauses that are denied: "not", "never", "no longer", "not … any more"."""
    return frozenset(
        owner(tree, token, heads)
        for token in tree
        if token.form.lower() in NEGATIONS
        or (
            token.form.lower() == "longer"
            and token.id > 1
            and tree[token.id - 1].form.lower() == "no"
        )
    )


def predicate_name(clause: Clause) -> str:
    """Return the lemma of a verb with its particle: "pick up"."""
    particles = [t.form.lower() for t in clause.tree.children(clause.head, "compound:prt")]
    return " ".join([lemma_of(clause.head), *particles])


def complement(clause: Clause) -> Complement:
    """Say what the copula of a clause means, and what it relates the subject to."""
    tree, head = clause.tree, clause.head
    case = case_of(tree, head)
    if case:
        return prepositional(tree, head, case)
    if head.form.lower() in WH_WORDS:
        return Complement("be", None, "attr")
    if head.upos in ("ADJ", "ADV", "ADP", "VERB") or _bare(tree, head):
        related = _related(clause)
        if related is not None:
            return related
    if head.upos == "NOUN":
        return Complement("be a" if _indefinite(tree, head) else "be", head, "attr")
    return Complement("be", head, "attr")


def prepositional(tree: Tree, head: Token, case: str) -> Complement:
    """Read a copula with a prepositional phrase: "be in", "be on top of"."""
    if head.form.lower() in WH_WORDS:
        return Complement(f"be {case}", None, f"obl:{case}")  # What is this for?
    inside = [t for t in tree.children(head, "nmod", "obl") if case_of(tree, t) == "of"]
    if inside and lemma_of(head) in RELATIONAL_NOUNS:
        article = [t.form.lower() for t in tree.children(head, "det")]
        name = " ".join(["be", case, *article, lemma_of(head), "of"])
        return Complement(name, inside[0], "obl:of", frozenset({head.id}))
    return Complement(f"be {case}", head, f"obl:{case}")


def _related(clause: Clause) -> Complement | None:
    """Read an adjective, adverb or bare noun with its complement: "fond of", "older than", "part of"."""
    tree, head = clause.tree, clause.head
    name = _relation_word(head)
    for word in tree.children(head, "obl", "nmod", "obj", "advcl", "advmod"):
        case = case_of(tree, word)
        if (word.id < head.id and word.form.lower() not in WH_WORDS) or is_time(tree, word):
            continue
        if case in ADJECTIVE_COMPLEMENTS:
            relation = f"obl:{case}"
            return Complement(f"be {name} {case}", word, relation, frozenset({head.id}))
        if not case and lemma_of(head) in PLACE_PREPOSITIONS and word.upos in NOMINAL:
            # "is below the bridge" with an adverb for its head
            return Complement(f"be {name}", word, f"obl:{name}", frozenset({head.id}))
    return None


def _relation_word(head: Token) -> str:
    """Return the comparative itself ("older"), else the lemma."""
    comparative = head.xpos in ("JJR", "RBR") or head.has("Degree=Cmp")
    return head.form.lower() if comparative else lemma_of(head)


def _bare(tree: Tree, head: Token) -> bool:
    """Say whether a noun stands without article: "is part of", "is north of"."""
    return head.upos in ("NOUN", "PROPN") and not tree.child(
        head, "det", "nmod:poss", "amod", "nummod"
    )


def _indefinite(tree: Tree, head: Token) -> bool:
    """Say whether a noun names a kind: "a teacher", or a bare plural."""
    articles = {t.form.lower() for t in tree.children(head, "det")}
    if articles:
        return bool(articles & {"a", "an", "another", "some"})
    return not tree.child(head, "nmod:poss") and (head.xpos == "NNS" or head.has("Number=Plur"))
