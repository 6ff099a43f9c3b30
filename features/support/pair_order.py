"""Pair order: which of the two sentences comes later."""

from __future__ import annotations

from babi_cascade.features.group import Attribute, SupportGroup


class PairOrder(SupportGroup):
    """Group (3) of appendix B: the indicator of o1 > o2, and of its opposite."""

    name = "pair-order"
    description = "which of the two comes later in the story"

    def of_difference(self, difference: int) -> str | None:
        """Return whether the first sentence comes later or earlier."""
        if difference == 0:
            return None
        return "later" if difference > 0 else "earlier"

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact comes later than the second fact"."""
        return f"the {first} comes {attribute[0]} than the {second}"
