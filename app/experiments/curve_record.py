"""The record of learning curves: accuracies by task, training size and seed, and the size that is enough."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from babi_cascade.app.experiments.compare_record import Figure, Score
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS
from babi_cascade.pipeline.stories.saving import replacing


@dataclass(frozen=True, slots=True)
class Curve:
    """Scores by task, size and seed; some may be missing where a unit failed.

    ``available`` says how many training questions each task has; a size beyond has the score of all of them.
    """

    signature: str
    system: str
    data: str
    tasks: tuple[tuple[int, str], ...]
    sizes: tuple[int, ...]
    seeds: tuple[int, ...]
    available: Mapping[int, int]
    scores: Mapping[tuple[int, int, int], Score]

    @property
    def not_done(self) -> list[str]:
        """The units that failed."""
        return [
            f"task {task} with {size} questions, seed {seed}"
            for task, _ in self.tasks
            for size in self.sizes
            for seed in self.seeds
            if (task, size, seed) not in self.scores
        ]

    def accuracy(self, task: int, size: int) -> Figure | None:
        """Return the accuracy of a task over the seeds."""
        found = [self.scores.get((task, size, seed)) for seed in self.seeds]
        return Figure.of([score.accuracy for score in found if score is not None])

    def mean_accuracy(self, size: int) -> Figure | None:
        """Return the mean over the tasks; its deviation is that of the means of the seeds."""
        means = []
        for seed in self.seeds:
            found = [self.scores.get((task, size, seed)) for task, _ in self.tasks]
            values = [score.accuracy for score in found if score is not None]
            if values:
                means.append(fmean(values))
        return Figure.of(means)

    def passed(self, size: int) -> int:
        """Return how many tasks reach 95 % with so many questions."""
        found = [self.accuracy(task, size) for task, _ in self.tasks]
        return sum(figure is not None and figure.mean >= PASS for figure in found)

    def needed(self, task: int) -> int | None:
        """Return the smallest number of training questions with 95 %, None if no size is enough."""
        for size in self.sizes:
            figure = self.accuracy(task, size)
            if figure is not None and figure.mean >= PASS:
                return min(size, self.available[task])
        return None

    def mean_needed(self) -> float | None:
        """Return the mean of the sizes that are enough, None unless every task has one."""
        found = [self.needed(task) for task, _ in self.tasks]
        known = [size for size in found if size is not None]
        return fmean(known) if known and len(known) == len(found) else None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "signature": self.signature,
            "system": self.system,
            "data": self.data,
            "sizes": list(self.sizes),
            "seeds": list(self.seeds),
            "tasks": [
                {
                    "task": task,
                    "name": name,
                    "n_train": self.available[task],
                    "questions_for_95": self.needed(task),
                    "paper_questions_for_95": paper_table().sizes.get(task),
                    "accuracy": {
                        str(size): _plain(self.accuracy(task, size)) for size in self.sizes
                    },
                }
                for task, name in self.tasks
            ],
            "mean_accuracy": {str(size): _plain(self.mean_accuracy(size)) for size in self.sizes},
            "passed": {str(size): self.passed(size) for size in self.sizes},
            "scores": self._rows(),
            "not_done": self.not_done,
        }

    def save_csv(self, path: Path) -> None:
        """Write one line a task, size and seed."""
        with replacing(path) as stream:
            writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "task": task,
                "name": name,
                "size": size,
                "seed": seed,
                "n_train": score.n_train,
                "n_test": score.n_test,
                "accuracy": score.accuracy,
                "support_accuracy": score.support_accuracy,
                "fit_seconds": round(score.seconds.get("fit", 0.0), 3),
                "fit_cpu_seconds": round(score.seconds.get("fit_cpu", 0.0), 3),
            }
            for task, name in self.tasks
            for size in self.sizes
            for seed in self.seeds
            if (score := self.scores.get((task, size, seed))) is not None
        ]


_COLUMNS = (
    "task", "name", "size", "seed", "n_train", "n_test", "accuracy", "support_accuracy",
    "fit_seconds", "fit_cpu_seconds",
)  # fmt: skip


def _plain(figure: Figure | None) -> dict[str, float | None] | None:
    return None if figure is None else {"mean": figure.mean, "deviation": figure.deviation}
