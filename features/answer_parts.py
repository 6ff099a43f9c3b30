"""Kinds of answers: a word, a list whose items are each in or out, a sequence with one item a position.

How an answer is taken apart, and how it is put together again from what was chosen for every part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SEPARATOR = ","
MOST_ITEMS = 100
"""A sequence has fewer; longer answers are words."""

WORD, LIST, SEQUENCE = "word", "list", "sequence"
IN, OUT = "in the list", "not in the list"
LEMMA, TEXT = "lemma", "text"
"""How an item is written: as the role labeller names it, or as it stands in the story."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the answers to one kind of question look.

    ``size`` is the number of items of a sequence; ``form`` is how the items of a list are written, and
    ``empty`` is what is said of a list without items.
    """

    kind: str = WORD
    size: int = 1
    form: str = LEMMA
    empty: str = ""

    def to_text(self) -> str:
        """Return the shape as one text."""
        return f"{self.kind}:{self.size}:{self.form}:{self.empty}"

    @classmethod
    def from_text(cls, text: str) -> Shape:
        """Return the shape that `to_text` wrote."""
        kind, size, form, empty = (*text.split(":", 3), "", "", "")[:4]
        good = kind in (WORD, LIST, SEQUENCE) and form in (LEMMA, TEXT) and size in _SIZES
        if not good:
            raise ValueError(f"found the answer shape {text!r:.60}")
        return cls(kind, int(size), form, empty)


_SIZES = tuple(str(size) for size in range(1, MOST_ITEMS))


def possible_shapes(
    answers: Sequence[str], found: Sequence[Mapping[str, frozenset[str]]]
) -> list[Shape]:
    """Return the shapes that the training answers to one kind of question can have, the finest first.

    ``found`` has for each answer what could be copied from its facts, by form. Answers without a
    separator are words.
    """
    shapes = [Shape()]
    if not any(SEPARATOR in answer for answer in answers):
        return shapes
    sizes = {len(items(answer)) for answer in answers}
    if len(sizes) == 1 and max(sizes) < MOST_ITEMS:
        shapes.insert(0, Shape(SEQUENCE, sizes.pop()))
    for form in (LEMMA, TEXT):
        others = Counter(
            answer
            for answer, there in zip(answers, found, strict=True)
            if not all(item in there[form] for item in items(answer))
        )
        if len(others) <= 1:
            shapes.insert(0, Shape(LIST, form=form, empty=next(iter(others), "")))
    return shapes


def items(answer: str) -> list[str]:
    """Return the items of an answer."""
    return answer.split(SEPARATOR)


def joined(parts: Sequence[str]) -> str:
    """Return an answer from its items."""
    return SEPARATOR.join(parts)
