"""O and R as learners: each is trained and judged on its own, since they share no weights."""

from __future__ import annotations

import torch
from torch import Tensor

from babi_cascade.comparison.memnn.arrays import NONE, Batch, QuestionArrays
from babi_cascade.comparison.memnn.output import OutputModule
from babi_cascade.comparison.memnn.response import ResponseModule


class OutputLearner:
    """Learns to find the supporting facts."""

    def __init__(self, module: OutputModule, data: QuestionArrays) -> None:
        self.module = module
        self._data = data

    @property
    def sizes(self) -> Tensor:
        """Return how many memories each question has."""
        return self._data.counts

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the ranking losses of all hops."""
        return self.module.loss(self._data.batch(rows))

    def right(self, rows: Tensor) -> Tensor:
        """Return whether the true facts were found, all or as many as there are hops, and no other."""
        batch = self._data.batch(rows)
        found = positions_as_sets(self.module.find(batch).positions, batch)
        true = positions_as_sets(batch.gold, batch)
        wanted = true.sum(dim=1).clamp(max=self.module.hops)
        return ((found & true).sum(dim=1) == wanted) & ~(found & ~true).any(dim=1)


class ResponseLearner:
    """Learns to say the answer, given the true facts in the order in which O finds them."""

    def __init__(self, module: ResponseModule, data: QuestionArrays, facts: Tensor) -> None:
        self.module = module
        self._data = data
        self._facts = facts

    @property
    def sizes(self) -> Tensor:
        """Return nothing that matters: only the facts are read, not the stories."""
        return torch.zeros_like(self._data.counts)

    def loss(self, rows: Tensor) -> Tensor:
        """Return the sum of the ranking losses of all words."""
        return self.module.loss(self._data.batch(rows), self._facts[rows])

    def right(self, rows: Tensor) -> Tensor:
        """Return whether every word of the answer is right."""
        batch = self._data.batch(rows)
        said = self.module.say(batch, self._facts[rows]).words
        width = max(said.shape[1], batch.words.shape[1])
        padded = [torch.nn.functional.pad(w, (0, width - w.shape[1]), value=NONE)
                  for w in (said, batch.words)]  # fmt: skip
        return (padded[0] == padded[1]).all(dim=1)


def positions_as_sets(positions: Tensor, batch: Batch) -> Tensor:
    """Return (B, N): whether a memory is among the positions of its question."""
    length = batch.memories.shape[1]
    marks = torch.zeros(len(batch), length + 1, dtype=torch.bool)
    marks.scatter_(1, torch.where(positions == NONE, length, positions), True)
    return marks[:, :length]
