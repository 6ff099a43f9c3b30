"""Pair distance: one indicator for each number of sentences between the two."""

from __future__ import annotations


class PairDistance:
    """Group (2) of appendix B: the difference of the positions; the question stands after the facts."""

    name = "pair-distance"
    description = "how many sentences apart the two stand"

    def feature(self, difference: int) -> str:
        """Return the difference with its sign: +2 is two sentences later."""
        return f"{difference:+d}"

    def say(self, feature: str, first: str, second: str) -> str:
        """Return "the question stands 3 after the first fact"."""
        where = "after" if feature.startswith("+") else "before"
        return f"the {first} stands {feature[1:]} {where} the {second}"
