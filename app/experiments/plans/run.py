"""`run`: the cascade trained and tested on every task, or one model for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.plan import Plan, Training
from babi_cascade.app.experiments.systems import CASCADE, CascadeSystem
from babi_cascade.app.results.records import TaskResult
from babi_cascade.app.results.table import Table
from babi_cascade.cascade.settings import Settings


@dataclass(frozen=True, slots=True)
class RunTable(Table):
    """A run over several tasks."""

    command: ClassVar[str] = "run"
    file: ClassVar[str] = "results.json"

    @property
    def done(self) -> list[TaskResult]:
        """The tasks that could be done."""
        return [result for task in self.numbers for result in self.found(CASCADE, task)]

    @property
    def mean(self) -> float | None:
        """The mean accuracy over the tasks that were done, each counting the same."""
        figure = self.mean_accuracy(CASCADE)
        return None if figure is None else figure.mean

    def place(self, column: str, task: int, seed: int) -> str:
        """Return what a task is called that could not be done."""
        return f"task {task}"

    def summary(self) -> dict[str, Any]:
        """Return mean and failures."""
        return {"mean_accuracy": self.mean, "failed_tasks": self.failed(CASCADE)}


@dataclass(frozen=True, slots=True)
class RunPlan(Plan[RunTable]):
    """A model a task, or with ``joint`` one model for all tasks, tested on each."""

    chosen: Settings = field(default_factory=Settings)
    joint: bool = False

    table: ClassVar[type[Any]] = RunTable
    keeps_predictions: ClassVar[bool] = True

    @property
    def systems(self) -> tuple[CascadeSystem, ...]:
        """The cascade."""
        return (CascadeSystem(self.chosen),)

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return one training a task, or one of all."""
        numbers = [task.task for task in tasks]
        parts = [("joint", numbers)] if self.joint else [(f"qa{n}", [n]) for n in numbers]
        return [
            Training(
                name, self.systems[0], tuple(part), tuple(f"qa{n}" for n in part),
                tuple(((CASCADE, n, self.chosen.seed),) for n in part), self.joint,
            )
            for name, part in parts
        ]  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:
        """The one system."""
        return (CASCADE,)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The one seed."""
        return (self.chosen.seed,)
