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

    def train(self, checkpoint: Path, average_from: float = 2.0) -> None:
        indices: Iterator[list[int]] = length_bucketed([3] * 12, 9, random.Random(1))
        model = Trainable(
            "toy",
            self.module,
            {"adam": self.optimizer},
            self.update,
            lambda done: "-",
            average_from,
        )
        train(model, indices, lambda each: each, Budget(30, 0.1), checkpoint)


@pytest.mark.parametrize("average_from", [2.0, 0.2])
def test_a_stopped_training_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, average_from: float
) -> None:
    monkeypatch.setattr(loop, "MINUTES_BETWEEN_CHECKPOINTS", 0)
    whole = Toy()
    whole.train(tmp_path / "whole", average_from)

    stopped = Toy()
    stopped.stop_after = 11
    with pytest.raises(KeyboardInterrupt):
        stopped.train(tmp_path / "state", average_from)
    assert (tmp_path / "state").is_file()
    again = Toy()
    again.train(tmp_path / "state", average_from)

    assert again.steps == 30 - 11
    for one, other in zip(whole.module.parameters(), again.module.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not (tmp_path / "state").exists()


def test_the_mean_of_the_last_weights_is_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "MEAN_EVERY", 1)
    monkeypatch.setattr(loop, "MEAN_STEP", 0.5)
    toy, seen = Toy(), list[list[torch.Tensor]]()
    step = toy.update

    def update(batch: list[int]) -> float:
        loss = step(batch)
        seen.append([weight.detach().clone() for weight in toy.module.parameters()])
        return loss

    toy.update = update  # type: ignore[method-assign]
    toy.train(tmp_path / "state", average_from=0.5)
    mean = seen[14]
    for weights in seen[15:]:
        mean = [old + (new - old) / 2 for old, new in zip(mean, weights, strict=True)]
    for one, other in zip(mean, toy.module.parameters(), strict=True):
        assert torch.allclose(one, other)
