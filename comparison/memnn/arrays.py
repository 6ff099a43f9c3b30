"""Questions as padded arrays, made once before training: sentences are numbers of a table.

Phi of appendix A: a text becomes a list of numbered features. A feature is a word, or with longer N-grams a
run of words. For the multilinear map each word also has the bin of its position. Numbers 0 and 1 are kept for
nothing (padding) and for the stop fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from babi_cascade.comparison.texts import ngrams, padded, words
from babi_cascade.pipeline.stories import Question

NOTHING = 0
STOP = 1
FIRST = 2
"""The number of the first real feature, and of the first real sentence of a table."""

NONE = -1
"""Fills rows of positions and of answer words."""


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


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions with their memories; B questions, N memories, K supporting facts, A answer words.

    ``features`` and ``bins`` hold only the sentences that the questions use; ``asked`` (B) and ``memories``
    (B, N) point to their rows. ``known`` (B, N) tells memories from padding. ``gold`` (B, K) has positions of
    the true supporting facts in the story, ``words`` (B, A) numbers of the answer words; both end in NONE.
    """

    features: Tensor
    bins: Tensor
    asked: Tensor
    memories: Tensor
    known: Tensor
    gold: Tensor
    words: Tensor

    def __len__(self) -> int:
        return len(self.asked)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What came first at every step: numbers (B, steps), NONE after the last; sums of their scores (B);
    smallest margins (B)."""

    numbers: Tensor
    scores: Tensor
    margins: Tensor


class QuestionArrays:
    """All questions of a fit or of a prediction, ready to be cut into batches."""

    def __init__(
        self, questions: Sequence[Question], vocabulary: TextFeatures, responses: dict[str, int]
    ) -> None:
        rows: dict[str, int] = {}

        def row(text: str) -> int:
            return rows.setdefault(text, FIRST + len(rows))

        asked = [row(question.text) for question in questions]
        memories = [[row(fact.text) for fact in question.facts] for question in questions]
        self.features, self.bins = map(torch.from_numpy, vocabulary.table(list(rows)))
        self.asked = torch.tensor(asked, dtype=torch.long)
        self.counts = torch.tensor([len(story) for story in memories], dtype=torch.long)
        self.memories = torch.from_numpy(padded(memories, 0))
        gold = [_positions(question) for question in questions]
        self.gold = torch.from_numpy(padded(gold, NONE))
        numbers = [[responses.get(word, NONE) for word in q.answers] for q in questions]
        self.words = torch.from_numpy(padded(numbers, NONE))

    def __len__(self) -> int:
        return len(self.asked)

    def batch(self, rows: Tensor) -> Batch:
        """Return some questions (at least one), cut to the longest story among them."""
        counts = self.counts[rows]
        longest = max(int(counts.max()), 1)
        memories = self.memories[rows, :longest]
        asked = self.asked[rows]
        # Each different sentence is embedded once, whatever number of stories tell it. The first two
        # rows stay what they are: padding and the stop fact.
        special = torch.arange(FIRST)
        used, places = torch.unique(
            torch.cat([special, asked, memories.reshape(-1)]), return_inverse=True
        )
        places = places[STOP + 1 :]
        return Batch(
            self.features[used],
            self.bins[used],
            places[: len(rows)],
            places[len(rows) :].reshape(memories.shape),
            torch.arange(longest) < counts[:, None],
            self.gold[rows],
            self.words[rows],
        )


def _positions(question: Question) -> list[int]:
    """Return where the supporting facts stand among the facts, in the order of the story.

    The order in which a file names them is not used. A fact that is not there is left out.
    """
    wanted = set(question.support or ())
    return [place for place, fact in enumerate(question.facts) if fact.line in wanted]


def marked(positions: Tensor, valid: Tensor, length: int) -> Tensor:
    """Return (B, length): whether a position is among those of its row that are valid."""
    marks = torch.zeros(len(positions), length + 1, dtype=torch.bool)
    marks.scatter_(1, torch.where(valid, positions, length), True)
    return marks[:, :length]
