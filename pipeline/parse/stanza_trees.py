"""What Stanza gives as trees, and trees of what it cannot parse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from babi_cascade.pipeline.trees import Token, Tree


def tree_of(sentence: Any) -> Tree:
    """Turn a sentence of Stanza into a tree; offsets count from its first character."""
    # A part of a multi-word token has no place of its own: the whole stands for it.
    places = [word if word.start_char is not None else word.parent for word in sentence.words]
    base = min((place.start_char for place in places if place.start_char is not None), default=0)
    tokens = []
    for word, place in zip(sentence.words, places, strict=True):
        start = base if place.start_char is None else place.start_char
        end = base if place.end_char is None else place.end_char
        tokens.append(
            Token(
                word.id, word.text, named(word.text, word.lemma, word.upos), word.upos or "X",
                word.xpos or "_", word.head or 0, word.deprel or "dep", word.feats or "_",
                start - base, end - base,
            )
        )  # fmt: skip
    return Tree(tuple(tokens), sentence.text)


def named(form: str, lemma: str | None, upos: str | None) -> str:
    """Return the lemma; a name is its own, whatever a lemmatizer makes of one it has never seen."""
    return form if upos == "PROPN" or not lemma else lemma


def flat_tree(text: str, words: Sequence[str] | None = None) -> Tree:
    """Return the words of a text without structure: the first is the root of all others."""
    tokens: list[Token] = []
    position = 0
    for number, word in enumerate(text.split() if words is None else words, start=1):
        start = text.index(word, position)
        position = start + len(word)
        head, relation = (0, "root") if number == 1 else (1, "dep")
        tokens.append(
            Token(number, word, word.lower(), "X", "_", head, relation, "_", start, position)
        )
    return Tree(tuple(tokens), text)
