"""`resources`: what each external resource buys, coreference by semantic roles by parser by preset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from babi_cascade.app.experiments.backends import CONLLU, NONE, BackEnds
from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.plan import OpenPlan, Training
from babi_cascade.app.experiments.plans.compare import Comparison
from babi_cascade.app.experiments.systems import CascadeSystem
from babi_cascade.cascade.settings import Settings
from babi_cascade.features.presets import RELATIONS
from babi_cascade.pipeline.backends import join
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.read import StoryReader

SHIPPED, GIVEN = "shipped", "given"
"""Whose trees: those of the parser that ships, or of the user's file."""


@dataclass(frozen=True, slots=True)
class Resources(Comparison):
    """Results by preset and resources."""

    command: ClassVar[str] = "resources"
    file: ClassVar[str] = "resources.json"
    axis: ClassVar[str] = "resources"

    def lost(self, column: str, task: int) -> float | None:
        """Return the accuracy less that of the first column with the same preset."""
        preset = column.partition(" ")[0]
        first = next(name for name in self.columns if name.partition(" ")[0] == preset)
        own, whole = self.accuracy(column, task), self.accuracy(first, task)
        return None if own is None or whole is None else own.mean - whole.mean


@dataclass(frozen=True, slots=True)
class Reading:
    """Back ends by name, and the reader that they make."""

    coref: str
    roles: str
    parser: str
    reader: StoryReader

    @property
    def name(self) -> str:
        """What a table calls it, behind the preset."""
        trees = "" if self.parser == SHIPPED else f" {self.parser}-trees"
        return f"{self.coref}+{self.roles}{trees}"


@dataclass(slots=True)
class ResourcesPlan(OpenPlan[Resources]):
    """Every preset with every reading.

    Parameters
    ----------
    chosen : settings that all have; the preset is one of ``presets``
    presets : feature groups, by name
    readings : what reads the stories, the whole system first
    seeds : train with each of them
    """

    chosen: Settings
    presets: tuple[str, ...]
    readings: tuple[Reading, ...]
    seeds: tuple[int, ...] = (0,)

    table: ClassVar[type[Any]] = Resources
    compared: ClassVar[str] = "resources"
    brings_readers: ClassVar[bool] = True

    @property
    def systems(self) -> tuple[CascadeSystem, ...]:
        """The cascade with each preset, as each reading wants it."""
        return tuple(self.system(p, r) for p, r in product(self.presets, self.readings))

    def system(self, preset: str, reading: Reading) -> CascadeSystem:
        """Return the cascade; where there is no labeller, relations stand for roles."""
        roles = RELATIONS if reading.roles == RELATIONS else self.chosen.roles
        return CascadeSystem(replace(self.chosen, preset=preset, roles=roles))

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return what is to be trained, reading by reading, so that each is read once."""
        made = []
        for reading, preset in product(self.readings, self.presets):
            system, column = self.system(preset, reading), f"{preset} {reading.name}"
            for seed, task in product(self.seeds, tasks):
                name = f"{column.replace(' ', '.')}.qa{task.task}.seed{seed}"
                keys = (((column, task.task, seed),),)
                made.append(
                    Training(
                        name, system.seeded(seed), (task.task,), (name,), keys,
                        reader=reading.reader,
                    )
                )  # fmt: skip
        return made

    @property
    def columns(self) -> tuple[str, ...]:
        """Preset and resources."""
        return tuple(f"{p} {r.name}" for p, r in product(self.presets, self.readings))


def readings_of(
    corefs: Sequence[str], labellers: Sequence[str], places: BackEnds, cache: Path | None,
    notice: Callable[[str], None],
) -> tuple[Reading, ...]:  # fmt: skip
    """Return every mixture of back ends that is here; what is not here is named and left out.

    All that read the same trees share them: nothing is parsed twice.
    """
    for name in corefs:
        join("coref", name)
    for name in labellers:
        join("srl", name)
    parsers = (SHIPPED,) if places.conllu is None else (SHIPPED, GIVEN)
    missing: dict[str, None] = {}
    found = []
    for parser in parsers:
        conllu = places.conllu if parser == GIVEN else None
        shared = None
        for coref, srl in product(corefs, labellers):
            words = coref == srl == NONE
            if (conllu is None and CONLLU in (coref, srl)) or (conllu is not None and words):
                continue  # words alone are the same whoever parsed them
            try:
                back_ends = replace(places, coref=coref, srl=srl, conllu=conllu)
                annotator = back_ends.annotator(cache, notice)
            except MissingRequirement as error:
                missing.setdefault(str(error))
                continue
            if shared is None:
                shared = annotator
            annotator = replace(shared, coref=annotator.coref, srl=annotator.srl)
            reader = StoryReader() if words else StoryReader(annotator)
            found.append(Reading(coref, srl, parser, reader))
    for reason in missing:
        notice(f"left out: {reason}")
    return tuple(found)
