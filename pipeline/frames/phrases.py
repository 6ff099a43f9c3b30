"""Noun phrases of a tree as arguments: their words, lemmas, prepositions and conjuncts."""

from __future__ import annotations

from babi_cascade.pipeline.frames.model import Argument
from babi_cascade.pipeline.frames.words import TIME_DETERMINERS, TIME_NOUNS, lemma_of, word_set
from babi_cascade.pipeline.trees import Token, Tree

# what hangs on a noun but belongs to another phrase, or says nothing of what kind of thing it is
OUTSIDE = word_set(
    "det cc conj punct appos acl parataxis discourse vocative cop aux nsubj csubj advcl"
    " mark orphan dep expl reparandum list dislocated obl obj iobj ccomp xcomp predet"
)

POSSESSIVE = frozenset({"'s", "’s", "'", "’", "s"})


def case_of(tree: Tree, token: Token) -> str:
    """Return the preposition of a phrase ("to", "next to"), empty if it has none.

    Several prepositions and fixed combinations are joined in order; a possessive is none. "than" and
    "as" before a noun are prepositions too where a parser sees a conjunction.
    """
    words: list[Token] = []
    for marker in tree.children(token, "case", "mark"):
        word = marker.form.lower()
        if word in POSSESSIVE or (marker.relation == "mark" and word not in ("than", "as", "like")):
            continue
        words += [marker, *tree.children(marker, "fixed")]
    return _joined(words)


def marker_of(tree: Tree, token: Token) -> str:
    """Return the conjunction or preposition of a clause: "because", "when", "in order to"."""
    markers = tree.children(token, "mark", "case")
    return _joined([t for m in markers for t in (m, *tree.children(m, "fixed"))])


def _joined(words: list[Token]) -> str:
    return " ".join(t.form.lower() for t in sorted(words, key=lambda t: t.id))


def phrase_tokens(tree: Tree, head: Token, leave: frozenset[int] = frozenset()) -> list[Token]:
    """Return the words of the noun phrase of a head, without its own preposition and determiners."""
    words: list[Token] = []
    stack: list[tuple[Token, bool]] = [(head, True)]
    seen: set[int] = set()
    while stack:
        token, top = stack.pop()
        if token.id in seen or token.id in leave:
            continue
        seen.add(token.id)
        words.append(token)
        for child in tree.children(token):
            own_case = child.relation == "case" and top and child.form.lower() not in POSSESSIVE
            pronoun = child.deprel == "nmod:poss" and child.upos in ("PRON", "DET")
            adverb = child.relation == "advmod" and (top or token.upos not in ("ADJ", "NUM"))
            if child.relation not in OUTSIDE and not own_case and not pronoun and not adverb:
                stack.append((child, False))
    return sorted(words, key=lambda t: t.id)


def conjuncts(tree: Tree, head: Token) -> tuple[list[Token], bool]:
    """Return a head with the heads conjoined to it, and whether they are alternatives ("or")."""
    found: list[Token] = []
    alternative = False
    stack = [head]
    seen: set[int] = set()
    while stack:
        token = stack.pop()
        if token.id in seen:
            continue
        seen.add(token.id)
        found.append(token)
        for conjunct in tree.children(token, "conj"):
            # A conjoined clause with a subject of its own is another sentence, not a conjunct.
            if tree.child(conjunct, "nsubj", "cop", "aux") is None or conjunct.upos in (
                "PROPN",
                "PRON",
            ):
                stack.append(conjunct)
                alternative |= any(
                    t.form.lower() in ("or", "nor") for t in tree.children(conjunct, "cc")
                )
    return sorted(found, key=lambda t: t.id), alternative


def arguments(
    tree: Tree, head: Token, relation: str, role: str, leave: frozenset[int] = frozenset()
) -> list[Argument]:
    """Return the argument of a head, or one a conjunct.

    A conjunct with a preposition of its own keeps it ("in the barn or at the mill").
    """
    heads, alternative = conjuncts(tree, head)
    found: list[Argument] = []
    for token in heads:
        words = phrase_tokens(tree, token, leave)
        own = case_of(tree, token) if token is not head and relation.startswith("obl:") else ""
        found.append(
            Argument(
                role,
                f"obl:{own}" if own else relation,
                " ".join(lemma_of(t) for t in words),
                lemma_of(token),
                token.id,
                tuple(t.id for t in words),
                text_of(tree, words),
                len(heads) > 1 and not alternative,
                alternative,
            )
        )
    return found


def text_of(tree: Tree, words: list[Token]) -> str:
    """Return words as they stand in the sentence, from the first to the last."""
    if not words:
        return ""
    if tree.text and words[-1].end > words[0].start:
        return tree.text[words[0].start : words[-1].end]
    return " ".join(t.form for t in words)


def is_time(tree: Tree, token: Token) -> bool:
    """Say whether a phrase names a time: "yesterday", "this morning", "on Friday", "two days ago"."""
    if token.upos == "PROPN" and lemma_of(token) in ("may", "april", "june", "august"):
        # also first names: a month only with a preposition or a number
        return bool(tree.child(token, "case", "nummod"))
    return token.upos in ("NOUN", "PROPN", "ADV") and lemma_of(token) in TIME_NOUNS


def is_dated(tree: Tree, token: Token) -> bool:
    """Say whether a noun of time stands as an adverb: "this morning", "last week", "every day"."""
    return is_time(tree, token) and any(
        t.form.lower() in TIME_DETERMINERS for t in tree.children(token, "det", "amod")
    )
