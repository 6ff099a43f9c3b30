"""Verbal clauses taken out of gold trees: a verb with its object, particle and prepositional
phrases, ready to be told again in another form with another subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scripts.nlp.corpora import Tree
from scripts.nlp.phrases import Phrase, Word

_ALLOWED = {
    "nsubj", "obj", "iobj", "obl", "obl:unmarked", "compound:prt", "advmod", "aux", "punct",
    "discourse", "vocative", "mark", "cc", "parataxis", "conj", "advcl",
}  # fmt: skip
_LONGEST = 5


@dataclass(frozen=True, slots=True)
class Clause:
    """What a verb of a gold tree came with; phrases are the gold subtrees."""

    source: str
    lemma: str
    particle: str
    has_object: bool
    has_recipient: bool
    object: tuple[Word, ...]
    cases: tuple[str, ...]
    obliques: tuple[tuple[Word, ...], ...]

    def object_copy(self) -> Phrase:
        """A fresh copy of the object."""
        return copy_phrase(self.object)

    def oblique_copies(self) -> list[Phrase]:
        """Fresh copies of the prepositional phrases, prepositions included."""
        return [copy_phrase(oblique) for oblique in self.obliques]


def copy_phrase(words: Iterable[Word]) -> Phrase:
    """New words with the same structure."""
    old = list(words)
    new = {id(word): Word(word.form, word.lemma, word.upos, word.xpos, word.deprel) for word in old}
    for word in old:
        if word.head is not None and id(word.head) in new:
            new[id(word)].head = new[id(word.head)]
    return [new[id(word)] for word in old]


def clauses(trees: Iterable[Tree]) -> Iterator[Clause]:
    """The simple verbal clauses of gold trees."""
    for tree in trees:
        for number, token in enumerate(tree.tokens, 1):
            if token.upos == "VERB" and token.deprel in {"root", "conj", "ccomp", "parataxis"}:
                clause = _clause(tree, number)
                if clause is not None:
                    yield clause


def _clause(tree: Tree, number: int) -> Clause | None:
    verb = tree.tokens[number - 1]
    children = [i for i, token in enumerate(tree.tokens, 1) if token.head == number]
    relations = [tree.tokens[i - 1].deprel for i in children]
    if "nsubj" not in relations or any(r not in _ALLOWED for r in relations):
        return None
    if not verb.lemma.isalpha() or verb.lemma in {"be", "do", "let", "wan", "gon", "got"}:
        return None
    after = [i for i in children if i > number]
    particle, objects, cases = "", list[Phrase](), list[str]()
    obliques, recipient = list[Phrase](), False
    for i in after:
        relation = tree.tokens[i - 1].deprel
        phrase = _subtree(tree, i)
        if relation == "compound:prt":
            particle = tree.tokens[i - 1].form.lower()
        elif relation == "iobj":
            recipient = True
        elif relation in {"obj", "obl"} and phrase is None:
            return None
        elif relation == "obj" and phrase is not None:
            objects.append(phrase)
        elif relation == "obl" and phrase is not None:
            top = next(word for word in phrase if word.head is None)
            if phrase[0].deprel == "case" and phrase[0].head is top:
                cases.append(phrase[0].form.lower())
                obliques.append(phrase)
    if len(objects) > 1 or any(
        tree.tokens[i - 1].deprel in {"obj", "iobj"} for i in children if i < number
    ):
        return None
    return Clause(
        tree.source, verb.lemma, particle, bool(objects), recipient,
        tuple(objects[0]) if objects else (), tuple(cases), tuple(map(tuple, obliques)),
    )  # fmt: skip


def _subtree(tree: Tree, number: int) -> Phrase | None:
    """The subtree of a word as a phrase; None if long, broken up or with clauses or punctuation."""
    inside = {number}
    for _ in tree.tokens:
        grown = inside | {i for i, t in enumerate(tree.tokens, 1) if t.head in inside}
        if grown == inside:
            break
        inside = grown
    first, last = min(inside), max(inside)
    if len(inside) > _LONGEST or last - first + 1 != len(inside):
        return None
    words: dict[int, Word] = {}
    for i in sorted(inside):
        token = tree.tokens[i - 1]
        clausal = token.deprel in {"acl", "acl:relcl", "advcl", "ccomp", "punct", "parataxis"}
        glued = not token.space_after and i != last
        if (clausal and i != number) or glued or token.upos in {"PUNCT", "X", "SYM"}:
            return None
        words[i] = Word(token.form, token.lemma, token.upos, token.xpos, token.deprel)
    for i, word in words.items():
        if i != number:
            word.head = words[tree.tokens[i - 1].head]
        else:
            word.deprel = ""
    return [words[i] for i in sorted(words)]
