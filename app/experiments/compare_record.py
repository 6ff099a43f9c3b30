"""What is kept of one unit of `compare` or `curve`: a system, a task, a seed, perhaps a training size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from babi_cascade.app.results.records import no_record, number, share, share_or_none, text, whole

SECONDS = ("annotate", "fit", "fit_cpu", "predict")
"""On the clock, but ``fit_cpu``: seconds of the processor, which others on the machine do not change."""

_DIGITS = 3


@dataclass(frozen=True, slots=True)
class Score:
    """How well a system answered the test questions of a task."""

    task: int
    name: str
    n_train: int
    n_test: int
    accuracy: float
    support_accuracy: float | None
    seconds: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "task": self.task,
            "name": self.name,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "accuracy": self.accuracy,
            "support_accuracy": self.support_accuracy,
            "seconds": {name: round(self.seconds.get(name, 0.0), _DIGITS) for name in SECONDS},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Score:
        """Read the JSON form."""
        try:
            return cls(
                task=whole(record, "task"),
                name=text(record, "name"),
                n_train=whole(record, "n_train"),
                n_test=whole(record, "n_test"),
                accuracy=share(record, "accuracy"),
                support_accuracy=share_or_none(record, "support_accuracy"),
                seconds={name: number(record["seconds"], name) for name in SECONDS},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise no_record("a score", error) from error


@dataclass(frozen=True, slots=True)
class Figure:
    """An accuracy over one or more seeds: always the mean, never the best of them."""

    mean: float
    deviation: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Figure | None:
        """Return mean and standard deviation (of the sample), None of nothing."""
        if not values:
            return None
        return cls(fmean(values), stdev(values) if len(values) > 1 else None)

    def __str__(self) -> str:
        if self.deviation is None:
            return f"{100 * self.mean:.1f}"
        return f"{100 * self.mean:.1f} ±{100 * self.deviation:.1f}"
