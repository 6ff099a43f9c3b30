"""The record of a comparison: accuracies by system, task and seed, the paper's Table 3 beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from babi_cascade.app.experiments.compare_record import Figure, Score
from babi_cascade.app.experiments.compare_systems import NamedSystem
from babi_cascade.app.experiments.curve_record import Curve
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS, mean

JOINT_COLUMN = "joint"
"""What the paper's table calls its last column, and what follows the name of a system trained jointly."""

Key = tuple[str, int, int]
"""System, task, seed."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table: a name, and the paper's column that stands beside it, if any.

    ``paper_mean`` is for a system of which the paper reports nothing but the mean.
    """

    name: str
    paper: str | None = None
    paper_mean: float | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Scores by name of the column, task and seed; some may be missing where a unit failed.

    ``curve`` is there if the training-size column was asked for.
    """

    signature: str
    data: str
    tasks: tuple[tuple[int, str], ...]
    columns: tuple[Column, ...]
    seeds: tuple[int, ...]
    scores: Mapping[Key, Score]
    curve: Curve | None = None

    @property
    def numbers(self) -> list[int]:
        """The numbers of the tasks."""
        return [task for task, _ in self.tasks]

    @property
    def not_done(self) -> list[str]:
        """The units that failed."""
        missing = [
            f"{column.name}, task {task}, seed {seed}"
            for column in self.columns
            for task in self.numbers
            for seed in self.seeds
            if (column.name, task, seed) not in self.scores
        ]
        return missing + (self.curve.not_done if self.curve is not None else [])

    def found(self, column: Column, task: int) -> list[Score]:
        """Return the scores of all seeds."""
        scores = [self.scores.get((column.name, task, seed)) for seed in self.seeds]
        return [score for score in scores if score is not None]

    def accuracy(self, column: Column, task: int) -> Figure | None:
        """Return the accuracy over the seeds."""
        return Figure.of([score.accuracy for score in self.found(column, task)])

    def mean_accuracy(self, column: Column) -> Figure | None:
        """Return the mean over the tasks that were done; its deviation is that of the means of the seeds."""
        means = []
        for seed in self.seeds:
            scores = [self.scores.get((column.name, task, seed)) for task in self.numbers]
            values = [score.accuracy for score in scores if score is not None]
            if values:
                means.append(fmean(values))
        return Figure.of(means)

    def failed(self, column: Column) -> list[int]:
        """Return the tasks under 95 %."""
        figures = ((task, self.accuracy(column, task)) for task in self.numbers)
        return [task for task, figure in figures if figure is not None and figure.mean < PASS]

    def fit_cpu_seconds(self, column: Column) -> float:
        """Return the seconds of the processor that training took, all tasks and seeds together."""
        return sum(
            score.seconds.get("fit_cpu", 0.0)
            for task in self.numbers
            for score in self.found(column, task)
        )

    def paper_accuracy(self, column: Column, task: int) -> float | None:
        """Return the paper's figure in percent."""
        return None if column.paper is None else paper_table().accuracy(task, column.paper)

    def paper_mean(self, column: Column) -> float | None:
        """Return the mean of the paper's figures for these tasks, in percent."""
        if column.paper is None:
            every = paper_table().columns[JOINT_COLUMN]
            return column.paper_mean if set(every) == set(self.numbers) else None
        return paper_table().mean(self.numbers, column.paper)

    def paper_failed(self, column: Column) -> list[int] | None:
        """Return the tasks that the paper's system fails."""
        if column.paper is None:
            return None
        return paper_table().failed_tasks(self.numbers, column.paper)

    def agreeing(self, column: Column) -> int | None:
        """Return for how many tasks we and the paper pass, or fail, alike."""
        theirs = self.paper_failed(column)
        if theirs is None:
            return None
        done = [task for task in self.numbers if self.accuracy(column, task) is not None]
        known = [task for task in done if self.paper_accuracy(column, task) is not None]
        return sum((task in self.failed(column)) == (task in theirs) for task in known)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "signature": self.signature,
            "data": self.data,
            "seeds": list(self.seeds),
            "tasks": [{"task": task, "name": name} for task, name in self.tasks],
            "systems": [self._summary(column) for column in self.columns],
            "scores": self.rows(),
            "questions_for_95": None
            if self.curve is None
            else {str(task): self.curve.needed(task) for task in self.numbers},
            "not_done": self.not_done,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a system, task and seed."""
        return [
            {
                "system": column.name,
                "task": task,
                "name": name,
                "seed": seed,
                "n_train": score.n_train,
                "n_test": score.n_test,
                "accuracy": score.accuracy,
                "support_accuracy": score.support_accuracy,
                "paper_accuracy": self.paper_accuracy(column, task),
                "fit_seconds": round(score.seconds.get("fit", 0.0), 3),
                "fit_cpu_seconds": round(score.seconds.get("fit_cpu", 0.0), 3),
            }
            for column in self.columns
            for task, name in self.tasks
            for seed in self.seeds
            if (score := self.scores.get((column.name, task, seed))) is not None
        ]

    def _summary(self, column: Column) -> dict[str, Any]:
        figure = self.mean_accuracy(column)
        supports = [
            score.support_accuracy
            for task in self.numbers
            for score in self.found(column, task)
            if score.support_accuracy is not None
        ]
        return {
            "system": column.name,
            "mean_accuracy": None if figure is None else figure.mean,
            "deviation": None if figure is None else figure.deviation,
            "mean_support_accuracy": mean(supports),
            "failed_tasks": self.failed(column),
            "paper_mean_accuracy": self.paper_mean(column),
            "paper_failed_tasks": self.paper_failed(column),
            "agreeing_tasks": self.agreeing(column),
            "fit_cpu_seconds": round(self.fit_cpu_seconds(column), 1),
        }


def columns_of(systems: Sequence[NamedSystem], joint: NamedSystem | None) -> tuple[Column, ...]:
    """Return the columns of systems, and the joint one at the end."""
    columns = [Column(each.name, each.paper_column, each.paper_mean) for each in systems]
    if joint is not None:
        # the paper has a joint column for one system only
        paper = JOINT_COLUMN if joint.paper_column == "am_ng_nl" else None
        columns.append(Column(joint_name(joint), paper))
    return tuple(columns)


def joint_name(system: NamedSystem) -> str:
    """Return the name of the column of a system that is trained on all tasks at once."""
    return f"{system.name} {JOINT_COLUMN}"
