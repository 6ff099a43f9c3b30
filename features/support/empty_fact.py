"""The empty fact: one weight for each slot that is left empty."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import Attribute, Rule, SupportGroup

SLOTS = ("first fact", "second fact", "third fact")


class EmptyFact(SupportGroup):
    """The tuples of appendix B are filled up with empty facts; without `length`, any number is possible."""

    name = "empty-fact"
    description = "whether there is a first, second, third fact"
    rule = Rule.ANY_NUMBER

    def of_size(self, kind: str | None, size: int) -> Iterable[Attribute]:
        """Every slot that is left empty, whatever the question."""
        return ((slot,) for slot in SLOTS[size:])

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "there is no third fact"."""
        return f"there is no {attribute[0]}"
