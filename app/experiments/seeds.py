"""The same experiment with several seeds: new stories, or a new split, each time; means with intervals.

Intervals are 95 % percentile bootstrap intervals: the results of a task are drawn again, with replacement,
from its seeds. What two systems differ by is measured on the same questions of each seed, so that only
differences are drawn, not accuracies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic, TypeVar

from babi_cascade.app.experiments.plans.ablate import WHOLE, Ablation
from babi_cascade.app.results.records import PASS
from babi_cascade.app.results.table import FORMAT, Table

Made = TypeVar("Made", bound=Table)

DRAWS = 4000
"""How often all results are drawn again."""

FILE = "seeds.json"
OUTSIDE = (2.5, 97.5)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over seeds, and where it would be for other seeds in 19 of 20 cases."""

    mean: float
    low: float
    high: float

    @property
    def beyond_noise(self) -> bool:
        """Whether it differs from 0."""
        return self.low > 0 or self.high < 0


def interval(values: Sequence[Sequence[float]]) -> Interval | None:
    """Return the mean of the means of tasks; ``values`` are the results of each task by seed."""
    import numpy as np

    known = [np.array(each) for each in values if each]
    if not known:
        return None
    dice = np.random.default_rng(0)  # the same numbers for the same results
    means = np.zeros(DRAWS)
    for own in known:
        means += own[dice.integers(0, len(own), (DRAWS, len(own)))].mean(axis=1) / len(known)
    low, high = np.percentile(means, OUTSIDE)
    mean = float(np.mean([own.mean() for own in known]))
    return Interval(mean, min(float(low), mean), max(float(high), mean))


@dataclass(frozen=True, slots=True)
class SeveralSeeds(Generic[Made]):
    """The tables of all seeds, which have the same tasks and columns."""

    seeds: tuple[int, ...]
    tables: tuple[Made, ...]

    @property
    def first(self) -> Made:
        """The table of the first seed, for what all have in common."""
        return self.tables[0]

    @property
    def not_done(self) -> list[str]:
        """What failed, in words."""
        return [
            f"{missing} (seed {seed})"
            for seed, table in zip(self.seeds, self.tables, strict=True)
            for missing in table.not_done
        ]

    def over(
        self, value: Callable[[Made, int], float | None], tasks: Sequence[int] | None = None
    ) -> Interval | None:
        """Return a figure of tables and tasks; over all tasks unless some are named."""
        every = (
            [value(table, task) for table in self.tables]
            for task in (self.first.numbers if tasks is None else tasks)
        )
        return interval([[each for each in own if each is not None] for own in every])

    def accuracy(self, column: str, task: int | None = None) -> Interval | None:
        """Return the accuracy of a column, in one task or over all."""

        def value(table: Made, number: int) -> float | None:
            figure = table.accuracy(column, number)
            return None if figure is None else figure.mean

        return self.over(value, None if task is None else [task])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format": FORMAT,
            "command": self.first.command,
            "seeds": list(self.seeds),
            "signatures": [table.signature for table in self.tables],
            "columns": [
                {
                    self.first.axis or "system": column,
                    "mean_accuracy": _json(self.accuracy(column)),
                    **differences(self, column),
                    "tasks": [
                        {
                            "task": task,
                            "name": name,
                            "accuracy": _json(self.accuracy(column, task)),
                            **differences(self, column, task),
                        }
                        for task, name in self.first.tasks
                    ],
                }
                for column in self.first.columns
            ],
            "not_done": self.not_done,
        }


def failed(result: SeveralSeeds[Any]) -> list[int]:
    """Return the tasks whose mean is under 95 %."""
    (column,) = result.first.columns
    found = ((task, result.accuracy(column, task)) for task in result.first.numbers)
    return [task for task, figure in found if figure is not None and figure.mean < PASS]


def delta(result: SeveralSeeds[Ablation], variant: str, task: int | None = None) -> Interval | None:
    """Return what a variant of an ablation differs by from the whole system."""
    return result.over(
        lambda table, number: table.delta(number, variant), None if task is None else [task]
    )


def differences(result: SeveralSeeds[Any], column: str, task: int | None = None) -> dict[str, Any]:
    """Return what an ablation says of a column besides; nothing of other tables."""
    if not isinstance(result.first, Ablation) or column == WHOLE:
        return {}
    found = delta(result, column, task)
    noise = None if found is None else found.beyond_noise
    return {"delta": _json(found), "beyond_noise": noise}


def _json(figure: Interval | None) -> dict[str, float] | None:
    return None if figure is None else asdict(figure)
