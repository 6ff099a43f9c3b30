"""What a command measures: which trainings, under which settings, and what table comes of it.

A plan is one file of `plans`; `grid.run_plan` does the rest, the same for all of them: folder, lock, what is
there already, reading, training here or elsewhere, and records.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from babi_cascade.app.experiments.data import DataSource, TaskData, files_of
from babi_cascade.app.experiments.systems import System
from babi_cascade.app.results.records import TaskResult
from babi_cascade.app.results.signature import SettingsRecord, flat, version
from babi_cascade.app.results.table import Key, Table
from babi_cascade.pipeline.read import StoryReader

if TYPE_CHECKING:
    from babi_cascade.app.experiments.grid import Grid

Made = TypeVar("Made", bound=Table)

OF_A_TASK = ("tasks", "files")
"""Settings that differ from task to task in any case."""


@dataclass(frozen=True, slots=True)
class Training:
    """One unit before there is anything to train on.

    Parameters
    ----------
    name : of the unit, for messages
    system : what is trained, with its seed
    tasks : numbers of the tasks, several for a joint model
    records : the name of the record of each task
    keys : where the result of each task stands in the table; several where it stands in several places
    joint : whether it is a model of several tasks
    own : settings that other trainings of the plan have otherwise, besides the system's
    sample : which training questions are taken, None for all
    reader : the stages that read for it, None for those of the grid
    """

    name: str
    system: System
    tasks: tuple[int, ...]
    records: tuple[str, ...]
    keys: tuple[tuple[Key, ...], ...]
    joint: bool = False
    own: Mapping[str, Any] | None = None
    sample: tuple[int, ...] | None = None
    reader: StoryReader | None = None

    def story_reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return what reads its questions; None if its system takes them as they were told."""
        return self.system.reader(self.reader or stages)


class Plan(ABC, Generic[Made]):
    """What a command measures."""

    table: ClassVar[type[Any]]
    """The record of the whole: a kind of `Table`."""

    varies: ClassVar[tuple[str, ...]] = ()
    """Settings that may differ between the units of a folder, besides those of the task."""

    keeps_predictions: ClassVar[bool] = False

    brings_readers: ClassVar[bool] = False
    """Whether its trainings bring readers of their own."""

    @property
    @abstractmethod
    def systems(self) -> tuple[System, ...]:
        """Everything that will be trained, to be checked before any work; the first one is the plan's own."""

    @property
    def joint(self) -> bool:
        """Whether the plan is one of joint models only."""
        return False

    @abstractmethod
    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return all units, in the order in which they are done."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns of the table."""

    @property
    @abstractmethod
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the table."""

    def outcome(
        self, settings: SettingsRecord, data: str, tasks: Sequence[TaskData],
        results: Mapping[Key, TaskResult],
    ) -> Made:  # fmt: skip
        """Return the table; results of units that failed are missing."""
        named = tuple((task.task, task.name) for task in tasks)
        own = self.beside(tasks)
        made: Made = self.table(settings, data, named, self.columns, self.seeds, results, **own)
        return made

    def beside(self, tasks: Sequence[TaskData]) -> dict[str, Any]:
        """Return what the table of this plan has that others have not."""
        return {}

    def settings(
        self, source: DataSource, reading: Mapping[str, Any], tasks: Sequence[TaskData] = ()
    ) -> SettingsRecord:
        """Return the settings of the whole, as far as all units have them."""
        own = (reading if self.systems[0].reads else None, source, tasks)
        return settings_of(self.systems[0], *own, joint=self.joint)

    def shared(self, source: DataSource, reading: Mapping[str, Any]) -> SettingsRecord:
        """Return the settings that all units of a folder must have."""
        every = flat(self.settings(source, reading))
        return {k: v for k, v in every.items() if k not in (*self.varies, *OF_A_TASK)}

    def prepare(self, grid: Grid) -> None:
        """Do what comes first, when the folder is known to be right."""


class OpenPlan(Plan[Made]):
    """A plan whose columns share nothing but their questions: units of any column can join its folder."""

    compared: ClassVar[str]
    """What the record calls the columns."""

    @property
    def members(self) -> tuple[str, ...]:
        """The names of what is compared."""
        return self.columns

    def settings(
        self, source: DataSource, reading: Mapping[str, Any], tasks: Sequence[TaskData] = ()
    ) -> SettingsRecord:
        """Return what is compared, and the settings of the questions; every unit has those of its column."""
        return {
            self.compared: list(self.members),
            "seeds": list(self.seeds),
            "data": {
                **source.to_json(),
                "tasks": [task.task for task in tasks],
                "files": files_of(tasks),
            },
            "version": version(),
        }

    def shared(self, source: DataSource, reading: Mapping[str, Any]) -> SettingsRecord:
        """Return where the questions come from."""
        return {**source.to_json(), "version": version()}


def settings_of(
    system: System, reading: Mapping[str, Any] | None, source: DataSource, tasks: Sequence[TaskData],
    *, joint: bool = False, own: Mapping[str, Any] | None = None,
) -> SettingsRecord:  # fmt: skip
    """Return everything that can change a score."""
    return {
        **system.to_json(),
        "reading": dict(reading or {}),
        "data": {
            **source.to_json(),
            **(own or {}),
            "joint": joint,
            "tasks": [task.task for task in tasks],
            "files": files_of(tasks),
        },
        "version": version(),
    }
