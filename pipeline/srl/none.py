"""No roles at all: for runs that leave semantic role labelling out."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.frames.model import Frame
from babi_cascade.pipeline.trees import Tree


class Nothing:
    """Gives every sentence no frames."""

    name = "none"
    requires = "nothing"
    version = "1"
    fingerprint = "none"

    def check(self) -> None:
        """Nothing can be missing."""

    def label(self, sentences: Sequence[Tree | str]) -> list[list[Frame]]:
        """Return an empty list a sentence."""
        return [[] for _ in sentences]
