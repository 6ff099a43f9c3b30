"""Phi of appendix A: a text becomes a list of numbered features.

A feature is a word, or with longer N-grams a run of words. For the multilinear map each word also has the bin
of its position. Numbers 0 and 1 are kept for nothing (padding) and for the stop fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from babi_cascade.comparison.texts import ngrams, padded, words

NOTHING = 0
STOP = 1
FIRST = 2
"""The number of the first real feature, and of the first real sentence of a table."""


class TextFeatures:
    """The features met in training, each with a number.

    Parameters
    ----------
    features : in the order of their numbers
    longest : N-grams of 1 to so many words
    positions : into how many bins the words of a sentence go by position; 0 for none
    """

    def __init__(self, features: Sequence[str], *, longest: int = 1, positions: int = 0) -> None:
        self.features = list(features)
        self.longest = longest
        self.positions = positions
        self._numbers = {feature: FIRST + i for i, feature in enumerate(self.features)}

    @classmethod
    def of_texts(
        cls, texts: Iterable[str], *, longest: int = 1, positions: int = 0
    ) -> TextFeatures:
        """Number all features of the texts, in alphabetic order."""
        found = {gram for text in texts for gram in ngrams(words(text), longest)}
        return cls(sorted(found), longest=longest, positions=positions)

    def __len__(self) -> int:
        return FIRST + len(self.features)

    def read(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the known features of a text, and their bins."""
        tokens = words(text)
        grams = list(ngrams(tokens, self.longest))
        places = position_bins(len(tokens), self.positions) if self.positions else [0] * len(grams)
        known = [
            (self._numbers[gram], place)
            for gram, place in zip(grams, places, strict=True)
            if gram in self._numbers
        ]
        return [number for number, _ in known], [place for _, place in known]

    def table(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return features and their bins: every different text is a row, filled up with NOTHING.

        Row NOTHING is an empty sentence, for padding; row STOP is the stop fact; text i has row FIRST + i.
        Bins are counted from 0, and all 0 where positions do not matter.
        """
        rows = [([], []), ([STOP], [max(self.positions - 1, 0)]), *map(self.read, texts)]
        return padded([row for row, _ in rows], NOTHING), padded([row for _, row in rows], 0)


def position_bins(length: int, positions: int) -> list[int]:
    """Return p(i, l) = ceil(i P / l) for i = 1 ... l, less one to count from 0."""
    return [-(-i * positions // length) - 1 for i in range(1, length + 1)]
