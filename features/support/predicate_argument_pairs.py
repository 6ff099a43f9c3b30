"""Predicate-argument pairs: what the tree makes of verbs and their arguments, in pairs of sentences."""

from __future__ import annotations

from collections.abc import Iterator

from babi_cascade.features.presets import PROPBANK
from babi_cascade.features.support.verb_argument_pairs import VerbArgumentPairs
from babi_cascade.pipeline.frames import Frame


class PredicateArgumentPairs(VerbArgumentPairs):
    """More than appendix B has: every argument of the tree, the time, what a question asks for.

    An argument that the labeller did not name is told with its dependency relation.
    """

    name = "predicate-argument-pairs"
    description = "each predicate and argument of one sentence with each of the other"

    def predicate(self, frame: Frame) -> str:
        """Return the predicate; a negated one is another, and so is a copula with another relation."""
        return frame.full_predicate

    def arguments(self, frame: Frame) -> Iterator[tuple[str, str]]:
        """Yield roles and fillers."""
        labelled = self.roles == PROPBANK
        for each in frame.arguments:
            yield (labelled and each.role) or each.relation, each.phrase
        if frame.asks is not None:
            role = (labelled and frame.asks.role) or frame.asks.relation
            yield role, f"{frame.asks.word}?"
        if frame.time is not None:
            yield "time", frame.time
