"""The record of an ablation: accuracies by task and variant, and the differences they make."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from babi_cascade.app.results.records import TaskResult, mean
from babi_cascade.pipeline.stories.saving import replacing

ALL = "all"
"""The variant with every group, which the others are compared with."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A choice of groups: all of them, ``without`` one, or ``only`` one of a stage."""

    kind: str
    stage: str
    group: str
    groups: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name for files: all, without-word-pairs, only-word-pairs."""
        return f"{self.kind}-{self.group}" if self.group else self.kind


@dataclass(frozen=True, slots=True)
class Ablation:
    """Results by task and name of the variant; some may be missing where a unit failed."""

    signature: str
    system: str
    preset: str
    data: str
    variants: tuple[Variant, ...]
    tasks: tuple[tuple[int, str], ...]
    results: Mapping[tuple[int, str], TaskResult]

    @property
    def not_done(self) -> list[str]:
        """The units that failed."""
        return [
            f"qa{task}.{variant.name}"
            for task, _ in self.tasks
            for variant in self.variants
            if (task, variant.name) not in self.results
        ]

    def of_kind(self, kind: str) -> tuple[Variant, ...]:
        """Return the variants of a kind, in the order of the groups."""
        return tuple(variant for variant in self.variants if variant.kind == kind)

    def accuracy(self, task: int, variant: str = ALL) -> float | None:
        """Return the accuracy of a variant on a task."""
        result = self.results.get((task, variant))
        return None if result is None else result.accuracy

    def mean_accuracy(self, variant: str = ALL) -> float | None:
        """Return the mean accuracy of a variant over the tasks that were done."""
        found = [self.accuracy(task, variant) for task, _ in self.tasks]
        return mean(each for each in found if each is not None)

    def delta(self, task: int, variant: str) -> float | None:
        """Return the accuracy of a variant less that of the whole system."""
        own, whole = self.results.get((task, variant)), self.results.get((task, ALL))
        return None if own is None or whole is None else own.accuracy - whole.accuracy

    def support_delta(self, task: int, variant: str) -> float | None:
        """Return the same difference of the support accuracy."""
        own, whole = self.results.get((task, variant)), self.results.get((task, ALL))
        if own is None or whole is None:
            return None
        if own.support_accuracy is None or whole.support_accuracy is None:
            return None
        return own.support_accuracy - whole.support_accuracy

    def mean_delta(self, variant: str) -> float | None:
        """Return the mean of the differences over the tasks."""
        found = [self.delta(task, variant) for task, _ in self.tasks]
        return mean(each for each in found if each is not None)

    def mean_support_delta(self, variant: str) -> float | None:
        """Return the mean of the differences of the support accuracy."""
        found = [self.support_delta(task, variant) for task, _ in self.tasks]
        return mean(each for each in found if each is not None)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "signature": self.signature,
            "system": self.system,
            "preset": self.preset,
            "data": self.data,
            "variants": [
                {
                    "variant": variant.name,
                    "kind": variant.kind,
                    "stage": variant.stage or None,
                    "group": variant.group or None,
                    "groups": list(variant.groups),
                    "mean_accuracy": self.mean_accuracy(variant.name),
                    "mean_delta": self.mean_delta(variant.name),
                    "mean_support_delta": self.mean_support_delta(variant.name),
                }
                for variant in self.variants
            ],
            "tasks": self._rows(),
            "not_done": self.not_done,
        }

    def save_csv(self, path: Path) -> None:
        """Write one line a task and variant."""
        rows = self._rows()
        with replacing(path) as stream:
            writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {
                "task": task,
                "name": name,
                "variant": variant.name,
                "stage": variant.stage or None,
                "group": variant.group or None,
                "accuracy": result.accuracy,
                "delta": self.delta(task, variant.name),
                "support_accuracy": result.support_accuracy,
                "support_delta": self.support_delta(task, variant.name),
                "gold_support_accuracy": result.gold_support_accuracy,
            }
            for task, name in self.tasks
            for variant in self.variants
            if (result := self.results.get((task, variant.name))) is not None
        ]


_COLUMNS = (
    "task", "name", "variant", "stage", "group", "accuracy", "delta", "support_accuracy",
    "support_delta", "gold_support_accuracy",
)  # fmt: skip
