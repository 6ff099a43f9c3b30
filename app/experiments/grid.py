"""The runner of all plans: a folder, what is there already, the rest trained wherever there is room.

Stories are read once, here. Units touch no file; what came out comes back, and only the process that was
started writes, each record in one piece as soon as it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.folder import RunFolder, alone_in
from babi_cascade.app.experiments.plan import Plan, Training, settings_of
from babi_cascade.app.experiments.pool import LOCAL, Engine, work_through
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.app.experiments.unit import Material, Scored, Unit, do_unit, read_tasks
from babi_cascade.app.results.records import TaskResult, mean
from babi_cascade.app.results.signature import SettingsRecord
from babi_cascade.app.results.table import Key, Table
from babi_cascade.errors import UserError
from babi_cascade.pipeline.read import StoryReader

Made = TypeVar("Made", bound=Table)


@dataclass(frozen=True, slots=True)
class Grid:
    """Where a plan is carried out, and with what.

    Parameters
    ----------
    source : the questions
    reader : the stages that read for systems that want it; None if no system does
    out : the folder for tables, predictions and finished units
    jobs : so many processes; the results do not depend on it
    engine : this machine or a cluster; the results do not depend on it either
    force : start afresh in a folder that holds results of other settings
    telling : hears of progress and notices
    """

    source: DataSource
    reader: StoryReader | None
    out: Path
    jobs: int = 1
    engine: Engine = LOCAL
    force: bool = False
    telling: Telling = field(default_factory=Telling)


def run_plan(
    plan: Plan[Made], source: DataSource, reader: StoryReader | None, out: Path, **how: Any
) -> Made:
    """Carry out a plan; what is finished in ``out`` already is taken over. For parameters see `Grid`."""
    return carry_out(plan, Grid(source, reader, out, **how))


def carry_out(plan: Plan[Made], grid: Grid) -> Made:
    """Do what is missing of a plan and write its table."""
    telling = grid.telling
    for system in plan.systems:
        system.check()
    if (
        grid.reader is None
        and any(system.reads for system in plan.systems)
        and not plan.brings_readers
    ):
        raise UserError("a cascade needs the stages that read for it")
    packages = {package for system in plan.systems for package in system.packages}
    grid = replace(grid, engine=replace(grid.engine, packages=tuple(sorted(packages))))
    grid.engine.check(telling.notice)
    reading = (grid.reader or StoryReader()).reading
    with alone_in(grid.out):
        folder = RunFolder(grid.out, plan.table.command)
        if grid.force:
            folder.clear()
        shared = plan.shared(grid.source, reading)
        folder.refuse_others(shared)  # before stories are written
        tasks = load(grid, folder)
        trainings = plan.trainings(tasks)
        wanted = unit_settings(trainings, tasks, grid)
        folder.refuse_others(shared, wanted)
        folder.mention_others(wanted, plan.table.file, telling.notice)
        plan.prepare(grid)
        done = folder.done(wanted, with_predictions=plan.keeps_predictions, notice=telling.notice)
        todo = [each for each in trainings if any(name not in done for name in each.records)]
        if todo and len(todo) < len(trainings):
            ready = len(trainings) - len(todo)
            telling.notice(f"{grid.out}: {ready} of {len(trainings)} units are done already")
        units = Materials(todo, tasks, grid).units(plan.keeps_predictions)
        for scored in finished(units, todo, folder, grid):
            if scored.name not in done:  # a joint unit that was stopped while it wrote has some
                if scored.predictions is not None:
                    folder.save_predictions(scored.result.task, scored.predictions)
                folder.save_unit(scored.name, wanted[scored.name], scored.result)
        # As they are written, so that the next start has the very same figures.
        found = folder.done(wanted)
        settings = plan.settings(grid.source, reading, tasks)
        results = in_places(trainings, found)
        made = plan.outcome(settings, grid.source.description, tasks, results)
        made.save(grid.out)
        return made


def load(grid: Grid, folder: RunFolder) -> list[TaskData]:
    """Return the tasks; simulated stories are written first."""
    number = count()
    return grid.source.load(
        folder.stories,
        force=grid.force,
        progress=lambda what: grid.telling.progress(
            f"simulating {what}", next(number), grid.source.n_simulated
        ),
    )


def unit_settings(
    trainings: Sequence[Training], tasks: Sequence[TaskData], grid: Grid
) -> dict[str, SettingsRecord]:
    """Return the settings of every record by its name."""
    by_number = {task.task: task for task in tasks}
    wanted = {}
    for each in trainings:
        together = [by_number[number] for number in each.tasks]
        reader = each.story_reader(grid.reader)
        settings = settings_of(
            each.system, None if reader is None else reader.reading, grid.source, together,
            joint=each.joint, own=each.own,
        )  # fmt: skip
        wanted.update(dict.fromkeys(each.records, settings))
    return wanted


class Materials:
    """The tasks as each training wants them: as they were told, or read, once for all that share a reader.

    Read questions are let go of when no later training wants them, to save memory.
    """

    def __init__(self, todo: Sequence[Training], tasks: Sequence[TaskData], grid: Grid) -> None:
        self._todo, self._tasks, self._grid = todo, tasks, grid
        self._readers = [each.story_reader(grid.reader) for each in todo]
        wanted = [(r, n) for r, each in zip(self._readers, todo, strict=True) for n in each.tasks]
        self._left = Counter(wanted)
        self._found: dict[tuple[StoryReader | None, int], Material] = {
            (None, task.task): task for task in tasks
        }

    def units(self, keeps_predictions: bool) -> Iterator[tuple[str, Unit]]:
        """Yield named units."""
        for reader, each in zip(self._readers, self._todo, strict=True):
            if any((reader, number) not in self._found for number in each.tasks):
                self._read(reader)
            chosen = tuple(
                sampled(self._found[reader, number], each.sample) for number in each.tasks
            )
            for number in each.tasks:
                self._left[reader, number] -= 1
                if reader is not None and not self._left[reader, number]:
                    del self._found[reader, number]
            yield each.name, Unit(each.system, chosen, each.records, keeps_predictions)

    def _read(self, reader: StoryReader | None) -> None:
        """Read all that will still be wanted of a reader."""
        assert reader is not None
        unread = [
            task
            for task in self._tasks
            if self._left[reader, task.task] and (reader, task.task) not in self._found
        ]
        for task in read_tasks(unread, reader, self._grid.telling.progress):
            self._found[reader, task.task] = task


def sampled(task: Material, places: Collection[int] | None) -> Material:
    """Return a task with some of its training questions and the same test questions."""
    if places is None:
        return task
    train: Any = tuple(task.train[place] for place in places)
    return replace(task, train=train)


def finished(
    units: Iterator[tuple[str, Unit]], todo: Sequence[Training], folder: RunFolder, grid: Grid
) -> Iterator[Scored]:
    """Do named units and yield what comes of each; failures are told."""
    telling, total = grid.telling, len(todo)
    if not total:
        return
    if any(each.system.reads for each in todo):
        telling.progress("loading the learner", 0, 0)
    for each in todo:
        each.system.warm_up()  # here, so that only one process compiles what others load
    telling.progress("training", 0, total)
    if grid.jobs == 1 and grid.engine.scheduler is None:
        units = _heard(units, total, telling)
    for number, unit in enumerate(
        work_through(do_unit, units, jobs=grid.jobs, engine=grid.engine), start=1
    ):
        if unit.result is None:
            path = folder.save_error(unit.name, unit.details)
            telling.notice(f"{unit.name} could not be done: {unit.error} ({path} has the details)")
        yield from unit.result or ()
        share = mean(each.result.accuracy for each in unit.result or ())
        right = "" if share is None else f": {100 * share:.1f} %"
        telling.done(f"{unit.name}{right}", number, total)


def _heard(
    units: Iterator[tuple[str, Unit]], total: int, telling: Telling
) -> Iterator[tuple[str, Unit]]:
    """Let units tell of their training; in this process, where one is asked for when the last one is done."""
    for done, (name, unit) in enumerate(units):

        def hear(text: str, name: str = name, done: int = done) -> None:
            telling.progress(f"{name}: {text}", done, total)

        yield name, replace(unit, hear=hear)


def in_places(
    trainings: Sequence[Training], found: Mapping[str, TaskResult]
) -> dict[Key, TaskResult]:
    """Return results by their places in the table."""
    return {
        key: found[name]
        for each in trainings
        for name, keys in zip(each.records, each.keys, strict=True)
        if name in found
        for key in keys
    }
