"""SRL verb pairs: each predicate of one sentence with each predicate of the other."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.pipeline.read import ReadSentence


class VerbPairs:
    """Group (4) of appendix B. A copula counts with what makes it a relation: "be north of"."""

    name = "verb-pairs"
    description = "each predicate of one sentence with each predicate of the other"

    def attributes(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the distinct predicates of a sentence; a negated one is another predicate."""
        return dict.fromkeys(
            f"not {frame.predicate}" if frame.negated else frame.predicate
            for frame in sentence.frames
        )

    def say(self, attribute: str) -> str:
        """Return a predicate in quotes."""
        return f"the predicate “{attribute}”"
