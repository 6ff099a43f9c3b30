"""Pair distance: one indicator for each number of sentences between the two."""

from __future__ import annotations

from babi_cascade.features.group import Attribute, SupportGroup


class PairDistance(SupportGroup):
    """Group (2) of appendix B: the difference of the positions; the question stands after the facts."""

    name = "pair-distance"
    description = "how many sentences apart the two stand"

    def of_difference(self, difference: int) -> str:
        """Return the difference with its sign: +2 is two sentences later."""
        return f"{difference:+d}"

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the question stands 3 after the first fact"."""
        (difference,) = attribute
        where = "after" if difference.startswith("+") else "before"
        return f"the {first} stands {difference[1:]} {where} the {second}"
