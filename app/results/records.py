"""Records of what was measured, and their JSON form (documented in docs/track.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, TypeVar

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import shown
from babi_cascade.pipeline.stories.saving import replacing
from babi_cascade.pipeline.stories.strict_json import JsonError, json_text, read_json

PASS = 0.95
"""A task fails under 95 %."""

SECONDS = ("annotate", "fit", "predict")
_DIGITS = 3  # of seconds
Value = TypeVar("Value")

LARGEST = 10**12
"""No task, file or model has more of anything."""


@dataclass(frozen=True, slots=True)
class StageResult:
    """How the training of one stage ended.

    ``cost`` is the C that was used, ``right`` the share of ``n_held_out`` held-out examples that it got
    right, ``gap`` the certified relative duality gap, ``converged`` whether the gap that was asked for is
    reached, ``features`` the number of weights that are not zero.
    """

    cost: float
    gap: float
    converged: bool
    features: int
    seconds: float
    right: float = 0.0
    n_held_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return asdict(self) | {"seconds": round(self.seconds, _DIGITS)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> StageResult:
        """Read the JSON form."""
        return cls(
            number(record, "cost"), number(record, "gap"), bool(record["converged"]),
            whole(record, "features"), number(record, "seconds"),
            share(record, "right") if "right" in record else 0.0,
            whole(record, "n_held_out") if "n_held_out" in record else 0,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Imputed:
    """Supporting facts that were learned from answers: of how many questions, and how well.

    ``likelihood`` is the mean log-likelihood of the answers, ``explained`` the share that is the best
    answer to the facts, which were chosen knowing it, ``held_out`` the share that is found where it was left
    out.
    """

    n_told: int
    n_imputed: int
    likelihood: float | None
    explained: float
    held_out: float | None = None

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Imputed | None:
        """Read the JSON form; None if all facts were told."""
        if record is None:
            return None
        unknown = record["likelihood"] is None
        return cls(
            whole(record, "n_told"),
            whole(record, "n_imputed"),
            None if unknown else number(record, "likelihood"),
            share(record, "explained"),
            share_or_none({"held_out": None, **record}, "held_out"),
        )

    @classmethod
    def together(cls, several: Iterable[Imputed | None]) -> Imputed | None:
        """Return the sum over tasks; None if all facts of all of them were told."""
        found = [each for each in several if each is not None]
        n = sum(each.n_imputed for each in found)
        if not n:
            return None
        told = sum(each.n_told for each in found)
        sizes = [each.n_told + each.n_imputed for each in found]
        right = sum(each.explained * size for each, size in zip(found, sizes, strict=True))
        held_out = [
            (each.held_out * size, size)
            for each, size in zip(found, sizes, strict=True)
            if each.held_out is not None
        ]
        left_out = sum(size for _, size in held_out)
        unseen = sum(own for own, _ in held_out) / left_out if left_out else None
        return cls(told, n, None, right / (told + n), unseen)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task: how many questions, how many right, how long it took.

    Of a system that was trained elsewhere nobody knows on how much, or how long. One that chooses no facts
    has no ``support_accuracy``; what is said of the two stages and of answers to given facts is there for a
    cascade only; ``imputation`` where facts were learned from answers; ``sentences_read`` of a question, on
    average, where not all of them are. ``seconds`` are on the
    clock, ``fit_cpu_seconds`` of the processor, which others on the machine do not change.
    """

    task: int
    name: str
    n_train: int | None
    n_test: int
    accuracy: float
    support_accuracy: float | None = None
    gold_support_accuracy: float | None = None
    support_stage: StageResult | None = None
    answer_stage: StageResult | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    fit_cpu_seconds: float | None = 0.0
    imputation: Imputed | None = None
    sentences_read: float | None = None

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
        stages = {"support_stage": self.support_stage, "answer_stage": self.answer_stage}
        read = {"sentences_read": self.sentences_read}
        return {
            **{k: v for k, v in asdict(self).items() if k not in read},
            **(read if self.sentences_read is not None else {}),
            **{name: None if stage is None else stage.to_json() for name, stage in stages.items()},
            "seconds": {name: round(self.seconds.get(name, 0.0), _DIGITS) for name in SECONDS},
            "fit_cpu_seconds": None
            if self.fit_cpu_seconds is None
            else round(self.fit_cpu_seconds, _DIGITS),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> TaskResult:
        """Read the JSON form."""
        try:
            support, answer = record["support_stage"], record["answer_stage"]
            return cls(
                task=whole(record, "task"),
                name=text(record, "name"),
                n_train=None if record["n_train"] is None else whole(record, "n_train"),
                n_test=whole(record, "n_test"),
                accuracy=share(record, "accuracy"),
                support_accuracy=share_or_none(record, "support_accuracy"),
                gold_support_accuracy=share_or_none(record, "gold_support_accuracy"),
                support_stage=None if support is None else StageResult.from_json(support),
                answer_stage=None if answer is None else StageResult.from_json(answer),
                imputation=Imputed.from_json(record.get("imputation")),
                seconds={name: number(record["seconds"], name) for name in SECONDS},
                fit_cpu_seconds=None
                if record["fit_cpu_seconds"] is None
                else number(record, "fit_cpu_seconds"),
                sentences_read=optional(number, record, "sentences_read"),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise no_record("a task", error) from error


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
        stream.write(json_text(record, indent=2) + "\n")


def save_json_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records, one a line, all of them or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        for record in records:
            stream.write(json_text(record) + "\n")


def load_json(path: Path) -> dict[str, Any]:
    """Read a record; damage is a `UserError` that names the file."""
    try:
        record = read_json(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except JsonError as error:
        raise UserError(f"{path}: {error}") from error
    if not isinstance(record, dict):
        raise UserError(f"{path}: found no JSON object")
    return record


def mean(values: Iterable[float]) -> float | None:
    """Return the mean, None of nothing."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else None


def no_record(what: str, error: Exception) -> UserError:
    """Return what to raise where the JSON form of something has not what it should."""
    named = "" if isinstance(error, UserError) else f"{type(error).__name__}: "
    return UserError(f"no record of {what} ({named}{error})")


def number(record: Mapping[str, Any], name: str) -> float:
    """Return a finite number of a record; anything else, also a number in quotes, is a `UserError`."""
    value = record[name]
    # What is not finite is in no range; sums of what is stay finite.
    if type(value) not in (int, float) or not -LARGEST <= value <= LARGEST:
        raise UserError(f"found {shown(str(value))} for {name}, expected a number")
    return float(value)


def share(record: Mapping[str, Any], name: str) -> float:
    """Return a number from 0 to 1."""
    value = number(record, name)
    if not 0 <= value <= 1:
        raise UserError(f"found {value:g} for {name}, expected a number from 0 to 1")
    return value


def share_or_none(record: Mapping[str, Any], name: str) -> float | None:
    """Return a number from 0 to 1, None where none was measured."""
    return None if record[name] is None else share(record, name)


def whole(record: Mapping[str, Any], name: str) -> int:
    """Return a number of things: whole, and not negative."""
    value = record[name]
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise UserError(
            f"found {shown(str(value))} for {name}, expected a whole number up to {LARGEST}"
        )
    return value


def text(record: Mapping[str, Any], name: str) -> str:
    """Return a text."""
    value = record[name]
    if not isinstance(value, str):
        raise UserError(f"found {shown(str(value))} for {name}, expected a text")
    return value


def optional(
    read: Callable[[Mapping[str, Any], str], Value], record: Mapping[str, Any], name: str
) -> Value | None:
    """Return a value of a record that somebody else may have written; None where it is not as expected."""
    try:
        return read(record, name)
    except (KeyError, UserError):
        return None


def section(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return an object of such a record, an empty one for anything else."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}
