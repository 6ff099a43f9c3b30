"""What the networks share: batches, the choice of settings, early stopping, many questions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from babi_cascade.comparison import train as training
from babi_cascade.comparison.train import (
    Choices,
    Hyperparameters,
    Schedule,
    batches,
    seeded,
    train_best,
)

CHOICES = Choices((1e-9, 0.1), (1.0,), (1,))
"""The first rate learns nothing: whoever compares takes the second."""


class Line:
    """Learns on which side of a line a point lies, and counts how it is used."""

    def __init__(self, points: Tensor, side: Tensor) -> None:
        self.module = nn.Linear(2, 1)
        with torch.no_grad():
            self.module.weight.fill_(-0.1)
            self.module.bias.fill_(0.0)
        self.sizes = torch.ones(len(points))
        self._points, self._side = points, side
        self.steps: list[int] = []

    def loss(self, rows: Tensor) -> Tensor:
        if torch.is_grad_enabled():
            self.steps.append(len(rows))
        scores = self.module(self._points[rows])[:, 0]
        side = self._side[rows].float()
        return nn.functional.binary_cross_entropy_with_logits(scores, side, reduction="sum")

    def right(self, rows: Tensor) -> Tensor:
        return (self.module(self._points[rows])[:, 0] > 0) == self._side[rows]


def learners(number: int, made: list[tuple[Hyperparameters, Line]]):
    points = torch.randn(number, 2, generator=seeded(1))
    side = points.sum(dim=1) > 0

    def make(setting: Hyperparameters) -> Line:
        made.append((setting, Line(points, side)))
        return made[-1][1]

    return make


def test_every_example_is_drawn_once_and_blocks_are_sorted_by_size() -> None:
    rows, sizes = torch.arange(100, 150), torch.arange(200).flip(0)
    schedule = Schedule(1, 1, 8, 0, block=3)
    parts = batches(rows, sizes, schedule, seeded(0))
    assert sorted(torch.cat(parts).tolist()) == rows.tolist()
    assert sorted(map(len, parts)) == [2, 8, 8, 8, 8, 8, 8]
    spread = [int(sizes[part].max() - sizes[part].min()) for part in parts]
    mixed = batches(rows, sizes, Schedule(1, 1, 8, 0), seeded(0))
    assert np.mean(spread) < 0.7 * np.mean([int(sizes[p].max() - sizes[p].min()) for p in mixed])


def test_the_setting_that_does_better_on_held_out_stories_is_trained_on_everything() -> None:
    made: list[tuple[Hyperparameters, Line]] = []
    trained = train_best(learners(100, made), CHOICES, np.arange(100), Schedule(30, 5, 10, 0), "")
    assert trained.setting.rate == 0.1
    assert trained.held_out is not None
    assert trained.held_out > 0.9
    tried, chosen = [sum(line.steps) for _, line in made[:2]], made[-1][1]
    assert all(number % 80 == 0 for number in tried)  # a fifth is held out
    assert sum(chosen.steps) == 100 * trained.epochs


def test_with_many_questions_settings_are_compared_on_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "ENOUGH_TO_COMPARE", 40)
    monkeypatch.setattr(training, "STEPS", 60)
    made: list[tuple[Hyperparameters, Line]] = []
    trained = train_best(learners(200, made), CHOICES, np.arange(200), Schedule(30, 30, 10, 0), "")
    assert [setting.rate for setting, _ in made] == [1e-9, 0.1, 0.1, 0.1]
    first, second, longer, final = (line.steps for _, line in made)
    assert max(len(first), len(second)) <= 60
    assert sum(first) % 40 == sum(second) % 40 == 0
    assert sum(longer) % 160 == 0
    assert sum(final) == 200 * trained.epochs
    assert trained.epochs <= 60 * 10 // 160
