"""`ablate`: what each feature group is worth, left out in turn, kept alone in its stage, or added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.plan import Plan, Training
from babi_cascade.app.experiments.systems import CascadeSystem
from babi_cascade.app.results.records import TaskResult, mean
from babi_cascade.app.results.table import Table
from babi_cascade.cascade.settings import Settings
from babi_cascade.features.registry import ANSWER, SUPPORT, fires

WHOLE = "all"
"""The variant with every group, which the others are compared with."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A choice of groups: all of them, ``without`` one, ``only`` one of a stage, or one more (``plus``)."""

    kind: str
    stage: str
    group: str
    groups: tuple[str, ...]

    @property
    def name(self) -> str:
        """A name for files: all, without-word-pairs, only-word-pairs, plus-recency."""
        return f"{self.kind}-{self.group}" if self.group else self.kind


@dataclass(frozen=True, slots=True)
class Ablation(Table):
    """Results by variant, and the differences that they make."""

    variants: tuple[Variant, ...] = ()

    command: ClassVar[str] = "ablate"
    file: ClassVar[str] = "ablation.json"
    axis: ClassVar[str] = "variant"

    def place(self, column: str, task: int, seed: int) -> str:
        """Return what a unit is called that failed."""
        return f"qa{task}.{column}"

    def of_kind(self, kind: str) -> tuple[Variant, ...]:
        """Return the variants of a kind, in the order of the groups."""
        return tuple(variant for variant in self.variants if variant.kind == kind)

    def delta(self, task: int, variant: str) -> float | None:
        """Return the accuracy of a variant less that of the whole system."""
        own, whole = self.accuracy(variant, task), self.accuracy(WHOLE, task)
        return None if own is None or whole is None else own.mean - whole.mean

    def support_delta(self, task: int, variant: str) -> float | None:
        """Return the same difference of the support accuracy."""
        own, whole = self.support_accuracy(variant, task), self.support_accuracy(WHOLE, task)
        return None if own is None or whole is None else own.mean - whole.mean

    def mean_delta(self, variant: str) -> float | None:
        """Return the mean of the differences over the tasks."""
        found = [self.delta(task, variant) for task in self.numbers]
        return mean(each for each in found if each is not None)

    def mean_support_delta(self, variant: str) -> float | None:
        """Return the mean of the differences of the support accuracy."""
        found = [self.support_delta(task, variant) for task in self.numbers]
        return mean(each for each in found if each is not None)

    def extra(self, column: str, result: TaskResult) -> dict[str, Any]:
        """Return the differences that a variant makes to a task."""
        return {
            "delta": self.delta(result.task, column),
            "support_delta": self.support_delta(result.task, column),
        }

    def summary(self) -> dict[str, Any]:
        """Return the means of every variant."""
        return {
            "variants": [
                {
                    "variant": variant.name,
                    "kind": variant.kind,
                    "stage": variant.stage or None,
                    "group": variant.group or None,
                    "groups": list(variant.groups),
                    "mean_accuracy": None if figure is None else figure.mean,
                    "mean_delta": self.mean_delta(variant.name),
                    "mean_support_delta": self.mean_support_delta(variant.name),
                }
                for variant in self.variants
                for figure in [self.mean_accuracy(variant.name)]
            ]
        }


@dataclass(frozen=True, slots=True)
class AblationPlan(Plan[Ablation]):
    """All groups, less each; with ``alone`` also each by itself beside all groups of the other stage.

    With ``plus``, instead of less each: with each group that is not among them.
    """

    chosen: Settings = field(default_factory=Settings)
    alone: bool = False
    plus: bool = False

    table: ClassVar[type[Any]] = Ablation
    varies: ClassVar[tuple[str, ...]] = ("features",)

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The choices of groups that are compared."""
        return additions(self.chosen) if self.plus else variants(self.chosen, alone=self.alone)

    @property
    def systems(self) -> tuple[CascadeSystem, ...]:
        """The cascade with all groups."""
        return (CascadeSystem(self.chosen),)

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return one training a task and variant, task by task."""
        made = []
        for task in tasks:
            for variant in self.variants:
                name = f"qa{task.task}.{variant.name}"
                own = replace(self.chosen, features=variant.groups, without=())
                key = (variant.name, task.task, self.chosen.seed)
                made.append(Training(name, CascadeSystem(own), (task.task,), (name,), ((key,),)))
        return made

    @property
    def columns(self) -> tuple[str, ...]:
        """The variants."""
        return tuple(variant.name for variant in self.variants)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The one seed."""
        return (self.chosen.seed,)

    def beside(self, tasks: Sequence[TaskData]) -> dict[str, Any]:
        """Return what the variants are."""
        return {"variants": self.variants}


def variants(settings: Settings, *, alone: bool = False) -> tuple[Variant, ...]:
    """Return the system as it is, then less each group, then with each group alone in its stage.

    The only group of a stage that has features cannot be left out: nothing would be left to learn from.
    Groups that are rules alone stay beside one that is kept alone.
    """
    groups = settings.groups
    made = [Variant(WHOLE, "", "", groups.names)]
    stages = (("support", groups.support, groups.answer), ("answer", groups.answer, groups.support))
    for stage, own, _ in stages:
        made += [
            Variant("without", stage, name, tuple(g for g in groups.names if g != name))
            for name in own
            if _firing(own) != [name]
        ]
    for stage, own, others in stages if alone else ():
        rules = [name for name in own if name not in _firing(own)]
        made += [
            Variant("only", stage, name, tuple(g for g in groups.names if g in kept))
            for name in _firing(own)
            if len(own) > 1
            for kept in [{name, *rules, *others}]
        ]
    return tuple(made)


def additions(settings: Settings) -> tuple[Variant, ...]:
    """Return the system as it is, then with each group that it does not have."""
    groups = settings.groups
    made = [Variant(WHOLE, "", "", groups.names)]
    for stage, registry in (("support", SUPPORT), ("answer", ANSWER)):
        for name in registry:
            if name not in groups.names:
                more = replace(settings, features=(*groups.names, name), without=())
                made.append(Variant("plus", stage, name, more.groups.names))
    return tuple(made)


def _firing(names: Sequence[str]) -> list[str]:
    """Return the groups that have features."""
    return [name for name in names if fires((SUPPORT | ANSWER)[name]())]
