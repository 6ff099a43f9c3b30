"""A run: every task trained and tested, one record a task, one record of the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path

from babi_cascade.app.experiments.backends import reader_parts
from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.engine import LOCAL, Engine
from babi_cascade.app.experiments.finishing import finished
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.experiments.locking import alone_in
from babi_cascade.app.experiments.reading import ReadTask, read_tasks
from babi_cascade.app.experiments.settings import SYSTEM, Settings
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.experiments.unit import Unit, do_unit
from babi_cascade.app.results.records import RunResult, save_json
from babi_cascade.app.results.signature import Signature, combined_fingerprint
from babi_cascade.pipeline.read import StoryReader

JOINT = "joint"
DATA = "data"


def run(
    source: DataSource,
    settings: Settings,
    reader: StoryReader,
    out: Path,
    *,
    joint: bool = False,
    jobs: int = 1,
    engine: Engine = LOCAL,
    force: bool = False,
    telling: Telling | None = None,
) -> RunResult:
    """Train and test the tasks of a source; what is finished in ``out`` already is taken over.

    Parameters
    ----------
    source, settings, reader : the questions, the system, and the stages that read for it
    out : the folder for ``results.json``, predictions and finished units
    joint : one model for all tasks, tested on each
    jobs : so many processes; the results do not depend on it
    engine : this machine or a cluster; the results do not depend on it either
    force : start afresh in a folder that holds results of other settings
    telling : hears of progress and notices
    """
    settings.check()
    telling = telling or Telling()
    engine.check(telling.notice)
    with alone_in(out):
        folder = RunFolder(out)
        parts = settings.signature_parts() | reader_parts(reader) | source.signature_parts()
        tasks = opened(folder, source, parts, joint=joint, force=force, telling=telling)
        numbers = ",".join(str(task.task) for task in tasks)
        parts |= {JOINT: numbers if joint else "no"}
        signature = Signature.of(parts | {DATA: fingerprint(tasks)})
        wanted = {
            f"qa{task.task}": signature if joint else Signature.of(parts | {DATA: task.fingerprint})
            for task in tasks
        }
        folder.refuse_others(signature, wanted)
        folder.mention_others(wanted, folder.results.name, telling.notice)
        done = folder.done(
            wanted, needs=lambda result: folder.predictions(result.task), notice=telling.notice
        )
        todo = [task for task in tasks if f"qa{task.task}" not in done]
        if joint and todo:
            todo = tasks  # they are trained together
        total = min(1, len(todo)) if joint else len(todo)
        if done and todo:
            telling.notice(f"{out}: {len(done)} of {len(tasks)} tasks are done already")
        read = list(read_tasks(todo, reader, telling.progress))
        units = (joint_unit if joint else single_units)(read, settings, wanted)
        for scored in finished(
            do_unit, units, total, folder, done=[*done], jobs=jobs, engine=engine, telling=telling
        ):
            done[scored.name] = scored.result
        outcome = RunResult(
            str(signature), SYSTEM, settings.preset, source.description,
            [done[name] for name in wanted if name in done],
            [task.task for task in tasks if f"qa{task.task}" not in done],
        )  # fmt: skip
        save_json(folder.results, outcome.to_json())
        return outcome


def opened(
    folder: RunFolder,
    source: DataSource,
    parts: Mapping[str, object],
    *,
    force: bool,
    telling: Telling,
    joint: bool = False,
    ignore: Sequence[str] = (),
) -> list[TaskData]:
    """Make a folder ready and return the tasks; other settings are refused before stories are written."""
    if force:
        folder.clear()
    known = {**parts} if joint else {**parts, JOINT: "no"}
    unknown = (DATA, JOINT) if joint else (DATA,)
    folder.refuse_others(Signature.of(known), ignore=(*unknown, *ignore))
    number = count()
    tasks = source.load(
        folder.stories,
        force=force,
        progress=lambda what: telling.progress(
            f"simulating {what}", next(number), source.n_simulated
        ),
    )
    folder.path.mkdir(parents=True, exist_ok=True)  # what cannot be written to is told now
    return tasks


def fingerprint(tasks: Iterable[TaskData]) -> str:
    """Return the fingerprint of the data of all tasks."""
    return combined_fingerprint(task.fingerprint for task in tasks)


def single_units(
    read: list[ReadTask], settings: Settings, wanted: Mapping[str, Signature]
) -> Iterator[tuple[str, Unit]]:
    """Yield one unit a task; a task is let go of when it is handed out, to save memory."""
    while read:
        task = read.pop(0)
        name = f"qa{task.task}"
        yield name, Unit((task,), settings, {name: wanted[name]})


def joint_unit(
    read: list[ReadTask], settings: Settings, wanted: Mapping[str, Signature]
) -> Iterator[tuple[str, Unit]]:
    """Yield all tasks as one unit."""
    if read:
        yield "joint", Unit(tuple(read), settings, wanted)
