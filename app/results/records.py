"""Records of what was measured, and their JSON form (documented in docs/track.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
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
    """One task: how many questions, how many right, how long it took."""

    task: int
    name: str
    n_train: int
    n_test: int
    accuracy: float
    support_accuracy: float | None
    gold_support_accuracy: float | None
    support_stage: StageResult
    answer_stage: StageResult
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether the task reaches 95 %."""
        return self.accuracy >= PASS

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "task": self.task,
            "name": self.name,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "accuracy": self.accuracy,
            "support_accuracy": self.support_accuracy,
            "gold_support_accuracy": self.gold_support_accuracy,
            "support_stage": self.support_stage.to_json(),
            "answer_stage": self.answer_stage.to_json(),
            "seconds": {name: round(self.seconds.get(name, 0.0), _DIGITS) for name in SECONDS},
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TaskResult:
        """Read the JSON form."""
        try:
            return cls(
                task=int(record["task"]),
                name=str(record["name"]),
                n_train=int(record["n_train"]),
                n_test=int(record["n_test"]),
                accuracy=float(record["accuracy"]),
                support_accuracy=_share(record["support_accuracy"]),
                gold_support_accuracy=_share(record["gold_support_accuracy"]),
                support_stage=StageResult.from_json(record["support_stage"]),
                answer_stage=StageResult.from_json(record["answer_stage"]),
                seconds={name: float(record["seconds"][name]) for name in SECONDS},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ResultError(f"no record of a task ({type(error).__name__}: {error})") from error


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run over several tasks; ``not_done`` are the tasks that could not be run at all."""

    signature: str
    system: str
    preset: str
    data: str
    tasks: Sequence[TaskResult]
    not_done: Sequence[int] = ()

    @property
    def mean_accuracy(self) -> float | None:
        """The mean over the tasks that were run, each counting the same."""
        return mean(result.accuracy for result in self.tasks)

    @property
    def failed_tasks(self) -> list[int]:
        """The tasks under 95 %."""
        return [result.task for result in self.tasks if not result.passed]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "signature": self.signature,
            "system": self.system,
            "preset": self.preset,
            "data": self.data,
            "tasks": [result.to_json() for result in self.tasks],
            "mean_accuracy": self.mean_accuracy,
            "failed_tasks": self.failed_tasks,
            "not_done": list(self.not_done),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> RunResult:
        """Read the JSON form; means and failures follow from the tasks."""
        try:
            return cls(
                signature=str(record["signature"]),
                system=str(record["system"]),
                preset=str(record["preset"]),
                data=str(record["data"]),
                tasks=tuple(TaskResult.from_json(task) for task in record["tasks"]),
                not_done=tuple(int(task) for task in record.get("not_done", ())),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ResultError(f"no record of a run ({type(error).__name__}: {error})") from error


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
