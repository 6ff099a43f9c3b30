"""The same experiment with several seeds: new stories, or a new split, each time; means with intervals.

Intervals are 95 % bootstrap intervals: the results of a task are drawn again, with replacement, from its
seeds. What two systems differ by is measured on the same questions of each seed, so that only differences are
drawn, not accuracies. Drawing again from a few seeds makes too little of what they differ by, so the draws
are widened as Student's t is; and seeds that happen to agree differ at least as so few test questions do.
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
    """A mean over seeds, and bounds that hold what endless seeds would give in about 19 of 20 cases."""

    mean: float
    low: float
    high: float

    @property
    def beyond_noise(self) -> bool:
        """Whether it differs from 0."""
        return self.low > 0 or self.high < 0


def interval(values: Sequence[Sequence[float]], n_test: int, least: float = 0.0) -> Interval | None:
    """Return the mean of the means of tasks.

    Parameters
    ----------
    values : the results of each task by seed: shares, or differences of shares
    n_test : test questions of a task and seed
    least : the smallest that there can be; the largest is 1
    """
    import numpy as np
    from scipy.stats import norm, t

    known = [np.array(each) for each in values if each]
    if not known:
        return None
    mean = float(np.mean([own.mean() for own in known]))
    free = sum(len(own) - 1 for own in known)
    if not free:  # of one seed nobody knows what others give
        return Interval(mean, least, 1.0)
    dice = np.random.default_rng(0)  # the same numbers for the same results
    off = np.zeros(DRAWS)
    for own in known:
        n = len(own)
        drawn = own[dice.integers(0, n, (DRAWS, n))].mean(axis=1) - own.mean()
        chance = float(np.mean(np.abs(own) * (1 - np.abs(own)))) / n_test
        spread = float(own.var(ddof=1)) if n > 1 else 0.0
        agreed = dice.normal(0.0, np.sqrt(max(0.0, chance - spread) / n), DRAWS)
        off += (drawn * np.sqrt(n / max(n - 1, 1)) + agreed) / len(known)
    wider = float(t.ppf(OUTSIDE[1] / 100, free) / norm.ppf(OUTSIDE[1] / 100))
    low, high = (mean + wider * float(bound) for bound in np.percentile(off, OUTSIDE))
    return Interval(mean, max(min(low, mean), least), min(max(high, mean), 1.0))


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

    @property
    def same_questions(self) -> bool:
        """Whether all seeds have the same test questions: then nobody knows what other questions give."""
        return self.first.settings["data"]["data_seed"] is None

    def over(
        self, value: Callable[[Made, int], float | None], tasks: Sequence[int] | None = None,
        least: float = 0.0,
    ) -> Interval | None:  # fmt: skip
        """Return a figure of tables and tasks; over all tasks unless some are named."""
        n_test = min((each.n_test for t in self.tables for each in t.results.values()), default=1)
        every = (
            [value(table, task) for table in self.tables]
            for task in (self.first.numbers if tasks is None else tasks)
        )
        known = [[each for each in own if each is not None] for own in every]
        return interval(known, n_test, least)

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
        lambda table, number: table.delta(number, variant),
        None if task is None else [task],
        least=-1.0,
    )


def differences(result: SeveralSeeds[Any], column: str, task: int | None = None) -> dict[str, Any]:
    """Return what an ablation says of a column besides; nothing of other tables."""
    if not isinstance(result.first, Ablation) or column == WHOLE:
        return {}
    found = delta(result, column, task)
    noise = None if found is None or result.same_questions else found.beyond_noise
    return {"delta": _json(found), "beyond_noise": noise}


def _json(figure: Interval | None) -> dict[str, float] | None:
    return None if figure is None else asdict(figure)
