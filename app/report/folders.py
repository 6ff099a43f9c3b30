"""What the folders of runs hold, read leniently: a part that is not known is skipped, not refused.

`run` writes ``results.json``, `ablate` ``ablation.json``, `compare` ``compare.json``, `curve` ``curve.json``:
one format, a row for each task, variant, system or size, and seed. They are looked for in the folders below
a folder too.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from babi_cascade.app.results.records import (
    StageResult,
    TaskResult,
    load_json,
    mean,
    number,
    optional,
    section,
    share,
    text,
    whole,
)
from babi_cascade.app.results.signature import SettingsRecord, signature_of
from babi_cascade.app.results.table import FORMAT
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.tasks import LARGEST_TASK
from babi_cascade.pipeline.stories.wording import counted

KNOWN = "results.json, ablation.json, compare.json or curve.json"
WRITERS = "`babi-cascade run`, `ablate`, `compare` or `curve`"
_RECORDS = {"results.json", "ablation.json", "compare.json", "curve.json"}
_LARGEST = 64 * 2**20
"""Bytes of a record; results of thousands of tasks are smaller."""


@dataclass(frozen=True, slots=True)
class Run:
    """One system on some tasks. ``folder`` has predictions and stories, if there are any."""

    name: str
    folder: Path
    data: str
    settings: SettingsRecord
    tasks: tuple[TaskResult, ...]
    not_done: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """The settings in one line."""
        return signature_of(self.settings)

    @property
    def mean_accuracy(self) -> float | None:
        """The mean over the tasks."""
        return mean(task.accuracy for task in self.tasks)

    @property
    def accuracy(self) -> Mapping[int, float]:
        """The accuracy of every task."""
        return {task.task: task.accuracy for task in self.tasks}


@dataclass(frozen=True, slots=True)
class Delta:
    """What leaving out a group, or keeping it alone, changes: mean, of the facts, and by task."""

    kind: str
    stage: str
    group: str
    mean: float | None
    support: float | None
    tasks: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class AblationRun:
    """The differences of all variants."""

    name: str
    data: str
    settings: SettingsRecord
    deltas: tuple[Delta, ...]


_Named = TypeVar("_Named", Run, AblationRun)


@dataclass(frozen=True, slots=True)
class Point:
    """Accuracy of a system on a task after so many training questions."""

    system: str
    task: int
    n_train: int
    accuracy: float


@dataclass(frozen=True, slots=True)
class Found:
    """Everything that some folders hold."""

    runs: tuple[Run, ...] = ()
    ablations: tuple[AblationRun, ...] = ()
    points: tuple[Point, ...] = ()

    @property
    def timed(self) -> list[Run]:
        """The runs that tell how long they took."""
        return [run for run in self.runs if any(task.seconds for task in run.tasks)]


def task_names(runs: Iterable[Run]) -> dict[int, str]:
    """Return all tasks of some runs with their names, by number."""
    return dict(sorted((task.task, task.name) for run in runs for task in run.tasks))


CurveLine = list[tuple[int, float]]
"""Accuracy by number of training questions."""


def learning_curves(points: Iterable[Point]) -> dict[int, dict[str, CurveLine]]:
    """Return a line for every task and system, in their order: means where there are several seeds."""
    found: dict[int, dict[str, dict[int, list[float]]]] = {}
    for p in sorted(points, key=lambda p: (p.task, p.system, p.n_train)):
        sizes = found.setdefault(p.task, {}).setdefault(p.system, {})
        sizes.setdefault(max(p.n_train, 1), []).append(p.accuracy)
    return {
        task: {
            system: [(n, mean(shares) or 0.0) for n, shares in sizes.items()]
            for system, sizes in systems.items()
        }
        for task, systems in found.items()
    }


def read_folders(paths: Iterable[Path]) -> Found:
    """Read the records of folders and of those below them; a folder that has none is refused."""
    runs: list[Run] = []
    ablations: list[AblationRun] = []
    points: list[Point] = []
    for path in paths:
        before = len(runs) + len(ablations) + len(points)
        for name, folder in _folders(path):
            runs += _runs(folder, name, needed=folder == path)
            ablations += _ablations(folder, name)
            points += _points(folder)
        if before == len(runs) + len(ablations) + len(points):
            raise UserError(_nothing(path))
    return Found(tuple(_distinct(runs)), tuple(_distinct(ablations)), tuple(points))


def _folders(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the folders that hold records, each with its name: their own, or where it is below ``path``."""
    seen = set()
    for place, inner, files in os.walk(path, followlinks=True):
        folder = Path(place)
        if folder.resolve() in seen:  # a link that leads back
            inner.clear()
            continue
        seen.add(folder.resolve())
        inner.sort()
        if not _RECORDS.isdisjoint(files):
            own = folder == path
            yield path.resolve().name if own else folder.relative_to(path).as_posix(), folder


def _nothing(path: Path) -> str:
    if not path.exists():
        return f"{path}: found no such folder, expected one that {WRITERS} wrote"
    units = len(list((path / "units").glob("*.json")))
    if units:
        return (
            f"{path}: found {counted(units, 'finished unit')} but no {KNOWN}; the run was stopped, and "
            "its own command goes on from there"
        )
    return f"{path}: found none of {KNOWN}; expected a folder that {WRITERS} wrote"


def _runs(path: Path, name: str, *, needed: bool) -> Iterator[Run]:
    """Yield the run of a folder and those of its comparison; a record without a run may be ``needed``."""
    own = _record(path / "results.json")
    if own is not None:
        found = run_of(own, name, path)
        if found is not None:
            yield found
        elif needed:
            raise UserError(f"{path / 'results.json'}: found no tasks with their accuracy")
    compared = _record(path / "compare.json")
    if compared is not None:
        yield from _compared(compared, path)


def _compared(record: Mapping[str, Any], path: Path) -> Iterator[Run]:
    """Yield one run a system: its scores on every task, the mean where there are several seeds."""
    rows: dict[str, dict[int, list[Mapping[str, Any]]]] = {}
    for row in _listed(record, "tasks"):
        task, system = _task(row), _text(row, "system")
        if task is not None and system and optional(share, row, "accuracy") is not None:
            rows.setdefault(system, {}).setdefault(task, []).append(row)
    shared = {name: record.get(name) for name in ("data", "settings")}
    for system, tasks in rows.items():
        merged = [
            {**own[0], **{name: mean(v for row in own if (v := optional(share, row, name)) is not None)
                          for name in ("accuracy", "support_accuracy")}}
            for own in tasks.values()
        ]  # fmt: skip
        found = run_of({**shared, "tasks": merged}, system, path / system)
        if found is not None:
            yield found


def run_of(record: Mapping[str, Any], name: str, folder: Path) -> Run | None:
    """Read the record of a run; None if it is none."""
    tasks = [row for each in _listed(record, "tasks") if (row := _row(each)) is not None]
    if not tasks:
        return None
    not_done = record.get("not_done")
    return Run(
        name or "run",
        folder,
        _text(record, "data"),
        section(record, "settings"),
        tuple(sorted(tasks, key=lambda row: row.task)),
        tuple(n for n in not_done if isinstance(n, str)) if isinstance(not_done, list) else (),
    )


def _row(record: Mapping[str, Any]) -> TaskResult | None:
    """Read the figures of a task as far as they are there."""
    task, accuracy = _task(record), optional(share, record, "accuracy")
    if task is None or accuracy is None:
        return None
    seconds = section(record, "seconds")
    return TaskResult(
        task=task,
        name=_text(record, "name"),
        n_train=optional(whole, record, "n_train"),
        n_test=optional(whole, record, "n_test") or 0,
        accuracy=accuracy,
        support_accuracy=optional(share, record, "support_accuracy"),
        gold_support_accuracy=optional(share, record, "gold_support_accuracy"),
        support_stage=optional(_stage, record, "support_stage"),
        answer_stage=optional(_stage, record, "answer_stage"),
        seconds={name: v for name in seconds if (v := optional(number, seconds, name)) is not None},
    )


def _stage(record: Mapping[str, Any], name: str) -> StageResult:
    return StageResult.from_json(section(record, name))


def _ablations(path: Path, name: str) -> Iterator[AblationRun]:
    record = _record(path / "ablation.json")
    if record is not None:
        found = ablation_of(record, name)
        if found.deltas:
            yield found


def ablation_of(record: Mapping[str, Any], name: str) -> AblationRun:
    """Read the record of an ablation."""
    rows = _listed(record, "tasks")
    deltas = []
    for variant in _listed(record, "variants"):
        kind, group = _text(variant, "kind"), _text(variant, "group")
        if not kind or not group:
            continue
        own = [row for row in rows if row.get("variant") == variant.get("variant")]
        by_task = [
            (task, delta)
            for row in own
            if (task := _task(row)) is not None
            and (delta := optional(number, row, "delta")) is not None
        ]
        deltas.append(Delta(
            kind, _text(variant, "stage"), group, optional(number, variant, "mean_delta"),
            optional(number, variant, "mean_support_delta"), tuple(by_task),
        ))  # fmt: skip
    return AblationRun(name, _text(record, "data"), section(record, "settings"), tuple(deltas))


def _points(folder: Path) -> Iterator[Point]:
    record = _record(folder / "curve.json") or {}
    system = _text(record, "system") or "cascade"
    for row in _listed(record, "tasks"):
        trained, task = optional(whole, row, "n_train"), _task(row)
        accuracy = optional(share, row, "accuracy")
        if trained is not None and task is not None and accuracy is not None:
            yield Point(system, task, trained, accuracy)


def _record(path: Path) -> dict[str, Any] | None:
    """Read a JSON object; None if there is no such file."""
    if not path.is_file():
        return None
    _refuse_large(path)
    record = load_json(path)
    if "signature" in record and record.get("format") != FORMAT:
        raise UserError(
            f"{path}: found results of an earlier version; its command with --force makes them anew"
        )
    return record


def _refuse_large(path: Path) -> None:
    size = path.stat().st_size
    if size > _LARGEST:
        raise UserError(f"{path}: found {size} bytes, expected a record of results")


def _task(record: Mapping[str, Any]) -> int | None:
    """Return the number of a task, None for anything else."""
    task = optional(whole, record, "task")
    return task if task is not None and 1 <= task <= LARGEST_TASK else None


def _text(record: Mapping[str, Any], name: str) -> str:
    """Return a text, an empty one for anything else."""
    return optional(text, record, name) or ""


def _listed(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects of a list."""
    value = record.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _distinct(records: Iterable[_Named]) -> Iterator[_Named]:
    """Yield records with names of their own: the second of a name gets a number."""
    seen: dict[str, int] = {}
    for each in records:
        seen[each.name] = seen.get(each.name, 0) + 1
        number = seen[each.name]
        yield each if number == 1 else replace(each, name=f"{each.name} ({number})")
