"""Trees: from Stanza, or from a file that the user brings; and the cache of all annotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from babi_cascade.pipeline.trees import Tree


class Parser(Protocol):
    """Gives sentences their trees."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever its trees may."""
        ...

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return one tree a sentence."""
        ...

    def sentences(self, text: str) -> list[str]:
        """Split running text into sentences."""
        ...

    def close(self) -> None:
        """Let go of what a large amount of work needed."""
        ...
