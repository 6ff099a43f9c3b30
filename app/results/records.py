"""Records of what was measured, and their JSON form (documented in docs/track.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.saving import replacing

PASS = 0.95
"""A task fails under 95 %."""

SECONDS = ("annotate", "fit", "predict")
_DIGITS = 3  # of seconds


class ResultError(UserError):
    """A record that cannot be read; the text says which, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """How the training of one stage ended.

    ``cost`` is the C that was used, ``gap`` the certified relative duality gap, ``converged`` whether the
    gap that was asked for is reached, ``features`` the number of weights that are not zero.
    """

    cost: float
    gap: float
    converged: bool
    features: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "cost": self.cost,
            "gap": self.gap,
            "converged": self.converged,
            "features": self.features,
            "seconds": round(self.seconds, _DIGITS),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> StageResult:
        """Read the JSON form."""
        return cls(
            float(record["cost"]), float(record["gap"]), bool(record["converged"]),
            int(record["features"]), float(record["seconds"]),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task: how many questions, how many right, how long it took.

    A system that chooses no facts has no ``support_accuracy``; what is said of the two stages and of answers
    to given facts is there for a cascade only. ``seconds`` are on the clock, ``fit_cpu_seconds`` of the
    processor, which others on the machine do not change.
    """

    task: int
    name: str
    n_train: int
    n_test: int
    accuracy: float
    support_accuracy: float | None = None
    gold_support_accuracy: float | None = None
    support_stage: StageResult | None = None
    answer_stage: StageResult | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    fit_cpu_seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the task reaches 95 %."""
        return self.accuracy >= PASS

    @property
    def stages(self) -> list[StageResult]:
        """The stages, none of a system that has none."""
        return [stage for stage in (self.support_stage, self.answer_stage) if stage is not None]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        support, answer = self.support_stage, self.answer_stage
        return {
            "task": self.task,
            "name": self.name,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "accuracy": self.accuracy,
            "support_accuracy": self.support_accuracy,
            "gold_support_accuracy": self.gold_support_accuracy,
            "support_stage": None if support is None else support.to_json(),
            "answer_stage": None if answer is None else answer.to_json(),
            "seconds": {name: round(self.seconds.get(name, 0.0), _DIGITS) for name in SECONDS},
            "fit_cpu_seconds": round(self.fit_cpu_seconds, _DIGITS),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TaskResult:
        """Read the JSON form."""
        try:
            support, answer = record["support_stage"], record["answer_stage"]
            return cls(
                task=int(record["task"]),
                name=str(record["name"]),
                n_train=int(record["n_train"]),
                n_test=int(record["n_test"]),
                accuracy=float(record["accuracy"]),
                support_accuracy=_share(record["support_accuracy"]),
                gold_support_accuracy=_share(record["gold_support_accuracy"]),
                support_stage=None if support is None else StageResult.from_json(support),
                answer_stage=None if answer is None else StageResult.from_json(answer),
                seconds={name: float(record["seconds"][name]) for name in SECONDS},
                fit_cpu_seconds=float(record["fit_cpu_seconds"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ResultError(f"no record of a task ({type(error).__name__}: {error})") from error


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

    def to_json(self) -> dict[str, float | None]:
        """Return the JSON form."""
        return {"mean": self.mean, "deviation": self.deviation}

    def __str__(self) -> str:
        if self.deviation is None:
            return f"{100 * self.mean:.1f}"
        return f"{100 * self.mean:.1f} ±{100 * self.deviation:.1f}"


def save_json(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record, all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        json.dump(record, stream, indent=2, ensure_ascii=False)
        stream.write("\n")


def save_json_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records, one a line, all of them or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        for record in records:
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")


def load_json(path: Path) -> dict[str, Any]:
    """Read a record; damage is a `ResultError` that names the file."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: no JSON ({error})") from error
    if not isinstance(record, dict):
        raise ResultError(f"{path}: found no JSON object")
    return record


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, None of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def _share(value: Any) -> float | None:
    return None if value is None else float(value)
