"""What a feature group is: what fires, what it is called, and how it is said to a person.

Every feature of the paper looks at a pair of sentences and is an indicator. Two kinds are enough:

* an *attribute group* names attributes of one sentence (its words, its verbs, …); a feature is a pair of
  them, one of each sentence. All pairs of a story are then one bilinear form;
* a *difference group* looks only at how far apart the two sentences stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from babi_cascade.pipeline.read import ReadSentence

SLOTS = ("question", "first fact", "second fact", "third fact")
SLOT_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3))
"""The six pairs of appendix B: (x,f1) (x,f2) (x,f3) (f1,f2) (f2,f3) (f1,f3)."""


@runtime_checkable
class AttributeGroup(Protocol):
    """Pairs of attributes, one of each sentence."""

    name: str
    description: str

    def attributes(self, sentence: ReadSentence) -> Iterable[str]:
        """Return the distinct attributes of a sentence."""
        ...

    def say(self, attribute: str) -> str:
        """Return an attribute in words."""
        ...


@runtime_checkable
class DifferenceGroup(Protocol):
    """Features of how far apart two sentences stand (position of the first minus the second)."""

    name: str
    description: str

    def feature(self, difference: int) -> str | None:
        """Return the feature that fires, None for none."""
        ...

    def say(self, feature: str, first: str, second: str) -> str:
        """Return a feature in words; ``first`` and ``second`` name the two sentences."""
        ...
