"""The paper's Table 3: every system trained and tested on every task, and resumed unit by unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from babi_cascade.app.experiments.compare_files import save_csv, save_markdown
from babi_cascade.app.experiments.compare_record import Score
from babi_cascade.app.experiments.compare_systems import Material, NamedSystem
from babi_cascade.app.experiments.compare_table import Comparison, Key, columns_of, joint_name
from babi_cascade.app.experiments.compare_unit import (
    READING,
    SEED,
    SETTINGS,
    SYSTEM,
    SystemUnit,
    checked,
    checked_engine,
    going_on,
    scored_systems,
    seeds_of,
    unit_parts,
)
from babi_cascade.app.experiments.curve import SIZES, curve
from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.engine import LOCAL, Engine
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.experiments.locking import alone_in
from babi_cascade.app.experiments.reading import ReadTask, read_tasks
from babi_cascade.app.experiments.run import DATA, JOINT, fingerprint, opened
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.results.records import save_json
from babi_cascade.app.results.signature import Signature
from babi_cascade.pipeline.read import StoryReader

_OWN_OF_A_UNIT = (DATA, SYSTEM, SETTINGS, SEED, JOINT, *READING)
"""What may differ between the units of a folder; the source of the questions may not."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """One training: a system, a seed, its tasks, and the name of the record of each."""

    system: NamedSystem
    seed: int
    tasks: tuple[int, ...]
    joint: bool = False

    @property
    def name(self) -> str:
        return self.records[0] if not self.joint else f"{self.system.name}.joint.seed{self.seed}"

    @property
    def column(self) -> str:
        return joint_name(self.system) if self.joint else self.system.name

    @property
    def records(self) -> tuple[str, ...]:
        kind = ".joint" if self.joint else ""
        return tuple(f"{self.system.name}{kind}.qa{task}.seed{self.seed}" for task in self.tasks)

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((self.column, task, self.seed) for task in self.tasks)


def compare(
    source: DataSource,
    systems: Sequence[NamedSystem],
    reader: StoryReader | None,
    out: Path,
    *,
    joint: NamedSystem | None = None,
    curve_of: NamedSystem | None = None,
    sizes: Sequence[int] = SIZES,
    seeds: int = 1,
    jobs: int = 1,
    engine: Engine = LOCAL,
    force: bool = False,
    telling: Telling | None = None,
) -> Comparison:
    """Train and test systems on every task; finished units in ``out`` are taken over.

    Parameters
    ----------
    source, systems, reader : the questions, the systems, and the stages that read for those that want them
    out : the folder for ``compare.json``, ``.csv``, ``.md`` and finished units
    joint : a system that is also trained on all tasks at once
    curve_of, sizes : a system whose learning curve is measured too, in a folder of its own inside ``out``
    seeds : train with so many seeds, beginning with the seed of the source
    jobs, engine, force, telling : see `run`
    """
    telling = telling or Telling()
    every = [*systems, *(system for system in (joint, curve_of) if system is not None)]
    if checked(every) and reader is None:
        raise TrackError("a cascade needs the stages that read for it")
    every_seed = seeds_of(source.seed, seeds)
    engine = checked_engine(engine, every, telling)
    with alone_in(out):
        folder = RunFolder(out)
        general = dict(source.signature_parts())
        tasks = opened(
            folder, source, general, joint=True, force=force, telling=telling, ignore=_OWN_OF_A_UNIT
        )
        plans = _plans(systems, joint, [task.task for task in tasks], every_seed)
        wanted = _signatures(plans, tasks, source, reader)
        named = {SYSTEM: ",".join(each.name for each in systems), SEED: _listed(every_seed)}
        signature = Signature.of({**named, **general, DATA: fingerprint(tasks)})
        folder.refuse_others(signature, wanted, ignore=_OWN_OF_A_UNIT)
        folder.mention_others(wanted, "compare.json", telling.notice)
        measured = None  # first: what its folder refuses is told before any other work
        if curve_of is not None:
            measured = curve(
                source, curve_of, reader if curve_of.reads else None, out / f"curve-{curve_of.name}",
                sizes=sizes, seeds=seeds, jobs=jobs, engine=engine, force=force, telling=telling,
            )  # fmt: skip
        done = folder.records(wanted, Score.from_json, notice=telling.notice)
        todo = [plan for plan in plans if any(name not in done for name in plan.records)]
        going_on(len(plans) - len(todo), len(plans), out, telling)
        read: list[ReadTask] = []
        if reader is not None:
            needed = {task for plan in todo if plan.system.reads for task in plan.tasks}
            unread = [task for task in tasks if task.task in needed]
            read = list(read_tasks(unread, reader, telling.progress))
        scores = scored_systems(
            _units(todo, read, tasks, wanted), len(todo), folder, wanted, done=done, jobs=jobs,
            engine=engine, telling=telling, reads=bool(read),
        )  # fmt: skip
        result = Comparison(
            signature=str(signature),
            data=source.description,
            tasks=tuple((task.task, task.name) for task in tasks),
            columns=columns_of(systems, joint),
            seeds=every_seed,
            scores={
                key: scores[name]
                for plan in plans
                for key, name in zip(plan.keys, plan.records, strict=True)
                if name in scores
            },
            curve=measured,
        )
        save_json(out / "compare.json", result.to_json())
        save_csv(result, out / "compare.csv")
        save_markdown(result, out / "compare.md")
        return result


def _plans(
    systems: Sequence[NamedSystem], joint: NamedSystem | None, tasks: Sequence[int],
    seeds: Sequence[int],
) -> list[_Plan]:  # fmt: skip
    """Return what is to be trained, a column of the table after the other."""
    plans = [_Plan(system, seed, (task,)) for system in systems for seed in seeds for task in tasks]
    if joint is not None:
        plans += [_Plan(joint, seed, tuple(tasks), joint=True) for seed in seeds]
    return plans


def _signatures(
    plans: Sequence[_Plan],
    tasks: Sequence[TaskData],
    source: DataSource,
    reader: StoryReader | None,
) -> dict[str, Signature]:
    """Return the signature of every record."""
    prints = {task.task: task.fingerprint for task in tasks}
    parts = {each: unit_parts(each, source, reader) for each in {plan.system for plan in plans}}
    return {
        name: Signature.of(
            parts[plan.system]
            | {
                JOINT: _listed(plan.tasks) if plan.joint else "no",
                SEED: plan.seed,
                DATA: fingerprint(tasks) if plan.joint else prints[task],
            }
        )
        for plan in plans
        for name, task in zip(plan.records, plan.tasks, strict=True)
    }


def _units(
    todo: Sequence[_Plan], read: list[ReadTask], tasks: Sequence[TaskData],
    wanted: Mapping[str, Signature],
) -> Iterator[tuple[str, SystemUnit]]:  # fmt: skip
    """Yield the units that are not done; read questions are let go of when nobody needs them any more."""
    plain: dict[int, Material] = {task.task: task for task in tasks}
    annotated: dict[int, Material] = {task.task: task for task in read}
    read.clear()
    waiting = sum(plan.system.reads for plan in todo)
    for plan in todo:
        material = annotated if plan.system.reads else plain
        yield plan.name, SystemUnit(
            plan.system, plan.seed, tuple(material[task] for task in plan.tasks),
            {name: wanted[name] for name in plan.records},
        )  # fmt: skip
        waiting -= plan.system.reads
        if not waiting:
            annotated.clear()


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
