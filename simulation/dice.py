"""Seeded draws that are the same on every machine and Python version.

Python promises a stable sequence only for ``Random.random()`` seeded with an integer, not for
``choice`` or ``shuffle``; so every draw here is made from ``random()`` alone.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A source of draws named by its labels: equal labels, equal draws."""

    __slots__ = ("random",)

    def __init__(self, *labels: object) -> None:
        name = "/".join(str(label) for label in labels)
        digest = hashlib.sha256(name.encode("utf-8")).digest()
        self.random = random.Random(int.from_bytes(digest[:8], "big")).random

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return int(self.random() * n)

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, all equally likely."""
        return items[int(self.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.random() < probability

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a uniformly random order."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = int(self.random() * (last + 1))
            out[last], out[other] = out[other], out[last]
        return out

    def rotated(self, items: Sequence[T]) -> list[T]:
        """Return the items in a random order in which none keeps its place (Sattolo's shuffle)."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = int(self.random() * last)
            out[last], out[other] = out[other], out[last]
        return out

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return ``count`` different items in random order."""
        return self.shuffled(items)[:count]
