"""The record of what a command measured: results by column, task and seed.

A column is what the command compares: feature groups of an ablation, systems, numbers of training questions.
`run` has one. All are written as one format of JSON and CSV; a command adds what follows from its columns.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from babi_cascade.app.results.records import (
    PASS,
    SECONDS,
    Figure,
    Imputed,
    TaskResult,
    mean,
    save_json,
)
from babi_cascade.app.results.signature import SettingsRecord, signature_of
from babi_cascade.pipeline.stories.saving import replacing

FORMAT = 2
"""Of units and records; 1 had no settings but the signature, and another record for every command."""

Key = tuple[str, int, int]
"""Column, task, seed."""


@dataclass(frozen=True, slots=True)
class Table:
    """What came out; where a unit failed its result is missing."""

    settings: SettingsRecord
    data: str
    tasks: tuple[tuple[int, str], ...]
    columns: tuple[str, ...]
    seeds: tuple[int, ...]
    results: Mapping[Key, TaskResult]

    command: ClassVar[str]
    """The command that measured it."""

    file: ClassVar[str]
    """The JSON file."""

    axis: ClassVar[str] = ""
    """What the columns are; nothing if there is only one."""

    @property
    def signature(self) -> str:
        """Every setting that can change a score, in one line."""
        return signature_of(self.settings)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the tasks."""
        return [task for task, _ in self.tasks]

    @property
    def not_done(self) -> list[str]:
        """What failed, in words."""
        missing = [
            self.place(column, task, seed)
            for column in self.columns
            for task in self.numbers
            for seed in self.seeds
            if (column, task, seed) not in self.results
        ]
        return missing + [name for other in self.beside for name in other.not_done]

    @property
    def beside(self) -> tuple[Table, ...]:
        """Tables that were measured along with this one."""
        return ()

    def place(self, column: str, task: int, seed: int) -> str:
        """Return what a missing result is called."""
        return f"{column}, task {task}, seed {seed}"

    def seeds_of(self, column: str) -> tuple[int, ...]:
        """Return the seeds that can make a difference: what was predicted elsewhere is the same for all."""
        own = [result for (name, _, _), result in self.results.items() if name == column]
        return self.seeds if any(each.n_train is not None for each in own) else self.seeds[:1]

    def found(self, column: str, task: int) -> list[TaskResult]:
        """Return the results of all seeds."""
        results = [self.results.get((column, task, seed)) for seed in self.seeds_of(column)]
        return [result for result in results if result is not None]

    def accuracy(self, column: str, task: int) -> Figure | None:
        """Return the accuracy over the seeds."""
        return Figure.of([result.accuracy for result in self.found(column, task)])

    def support_accuracy(self, column: str, task: int) -> Figure | None:
        """Return the accuracy of the chosen facts over the seeds."""
        found = [result.support_accuracy for result in self.found(column, task)]
        return Figure.of([each for each in found if each is not None])

    def mean_accuracy(self, column: str) -> Figure | None:
        """Return the mean over the tasks that were done; its deviation is that of the means of the seeds."""
        means = []
        for seed in self.seeds_of(column):
            found = [self.results.get((column, task, seed)) for task in self.numbers]
            means.append(mean(result.accuracy for result in found if result is not None))
        return Figure.of([each for each in means if each is not None])

    def failed(self, column: str) -> list[int]:
        """Return the tasks under 95 %."""
        figures = ((task, self.accuracy(column, task)) for task in self.numbers)
        return [task for task, figure in figures if figure is not None and figure.mean < PASS]

    def extra(self, column: str, result: TaskResult) -> dict[str, Any]:
        """Return what else a row says of a result."""
        return {}

    def summary(self) -> dict[str, Any]:
        """Return what follows from the rows."""
        return {}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row a column, task and seed."""
        return [
            {
                "task": task,
                "name": name,
                **({self.axis: column, "seed": seed} if self.axis else {}),
                **self.extra(column, result),
                **result.to_json(),
            }
            for column in self.columns
            for task, name in self.tasks
            for seed in self.seeds
            if (result := self.results.get((column, task, seed))) is not None
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format": FORMAT,
            "command": self.command,
            "signature": self.signature,
            "settings": self.settings,
            "data": self.data,
            **self.summary(),
            "tasks": self.rows(),
            "not_done": self.not_done,
        }

    def save(self, folder: Path) -> None:
        """Write the record; where there are several columns, a file for spreadsheets too."""
        path = folder / self.file
        save_json(path, self.to_json())
        if self.axis:
            save_csv(path.with_suffix(".csv"), map(_flat, self.rows()))


def save_csv(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows that have the same columns."""
    listed: Sequence[Mapping[str, Any]] = list(rows)
    with replacing(path) as stream:
        writer = csv.DictWriter(stream, list(listed[0]) if listed else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(listed)


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row less its stages, with a column for each number of seconds and of learned facts."""
    left_out = ("seconds", "imputation")
    plain = {k: v for k, v in row.items() if k not in left_out and not k.endswith("_stage")}
    learned = row["imputation"] or {}
    return (
        plain
        | {f"{name}_seconds": row["seconds"][name] for name in SECONDS}
        | {f"imputation_{each.name}": learned.get(each.name) for each in fields(Imputed)}
    )
