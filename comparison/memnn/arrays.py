"""Questions as padded arrays, made once before training: sentences are numbers of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from babi_cascade.comparison.memnn.vocabulary import FIRST, STOP, TextFeatures
from babi_cascade.comparison.texts import padded
from babi_cascade.pipeline.stories import Question

NONE = -1
"""Fills rows of positions and of answer words."""


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
