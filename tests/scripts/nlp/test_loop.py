"""Training that is stopped goes on as if it had not been."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.nlp import loop
from scripts.nlp.loop import Budget, Trainable, length_bucketed, train

torch = pytest.importorskip("torch", reason="training needs the extra nlp")


class Toy:
    """A linear model with dropout, so that every step draws random numbers."""

    def __init__(self) -> None:
        torch.manual_seed(3)
        random.seed(3)
        self.module = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Linear(4, 1))
        self.optimizer = torch.optim.Adam(self.module.parameters())
        self.steps = 0
        self.stop_after = 10**9

    def update(self, batch: list[int]) -> float:
        if self.steps == self.stop_after:
            raise KeyboardInterrupt
        self.steps += 1
        rows = torch.tensor([[float(i), 1.0, random.random(), 2.0] for i in batch])
        loss = self.module(rows).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def train(self, checkpoint: Path) -> None:
        indices: Iterator[list[int]] = length_bucketed([3] * 12, 9, random.Random(1))
        model = Trainable(
            "toy", self.module, {"adam": self.optimizer}, self.update, lambda done: "-"
        )
        train(model, indices, lambda each: each, Budget(30, 0.1), checkpoint)


def test_a_stopped_training_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "MINUTES_BETWEEN_CHECKPOINTS", 0)
    whole = Toy()
    whole.train(tmp_path / "whole")

    stopped = Toy()
    stopped.stop_after = 11
    with pytest.raises(KeyboardInterrupt):
        stopped.train(tmp_path / "state")
    assert (tmp_path / "state").is_file()
    again = Toy()
    again.train(tmp_path / "state")

    assert again.steps == 30 - 11
    for one, other in zip(whole.module.parameters(), again.module.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not (tmp_path / "state").exists()
