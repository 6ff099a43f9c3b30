"""Adjacency: the last sentences before the question, and sentences that follow each other."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.wording import asked_words, shape_words

_PLACED = {"last": "the last", "last but one": "the last but one", "earlier": "not among the last"}


class Adjacency(SupportGroup):
    """Whether facts stand at the end of the story, and beside each other."""

    name = "adjacency"
    description = "whether a fact is the last before the question, and whether two are neighbours"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Place from the end, with what is said."""
        place = ("last", "last but one", "earlier")[case.from_end - 1]
        yield ("end", place)
        yield ("end shape", place, case.kind.shape)
        yield ("end asked", place, case.question_kind)

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Neighbours, with what is said."""
        place = f"{'right' if case.adjacent else 'farther'} {case.direction}"
        yield ("neighbour", place)
        yield ("neighbour shape", place, case.first.shape, case.second.shape)
        yield ("neighbour predicate", place, case.second.predicate)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the second fact stands right after the first fact"."""
        template, place, *rest = attribute
        if template == "end asked":
            shown = asked_words(rest[0])
        elif template.endswith("shape"):
            shown = f" ({' and '.join(shape_words(shape) for shape in rest)})"
        else:
            shown = "".join(f", saying “{predicate}”" for predicate in rest)
        if template.startswith("end"):
            return f"the {second} is {_PLACED[place]} before the question{shown}"
        return f"the {second} stands {place} the {first}{shown}"
