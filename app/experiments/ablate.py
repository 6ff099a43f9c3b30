"""What each feature group is worth: every one left out in turn, or kept alone in its stage.

Stories are read once; all variants of a task train on the same read questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from babi_cascade.app.experiments.ablation import ALL, Ablation, Variant
from babi_cascade.app.experiments.backends import reader_parts
from babi_cascade.app.experiments.data import DataSource
from babi_cascade.app.experiments.engine import LOCAL, Engine
from babi_cascade.app.experiments.finishing import finished
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.experiments.locking import alone_in
from babi_cascade.app.experiments.reading import ReadTask, read_tasks
from babi_cascade.app.experiments.run import DATA, JOINT, fingerprint, opened
from babi_cascade.app.experiments.settings import SYSTEM, Settings
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.experiments.unit import Unit, do_unit
from babi_cascade.app.results.records import TaskResult, save_json
from babi_cascade.app.results.signature import Signature
from babi_cascade.pipeline.read import StoryReader

GROUPS = "groups"


def ablate(
    source: DataSource,
    settings: Settings,
    reader: StoryReader,
    out: Path,
    *,
    alone: bool = False,
    jobs: int = 1,
    engine: Engine = LOCAL,
    force: bool = False,
    telling: Telling | None = None,
) -> Ablation:
    """Train and test every variant on every task; finished units in ``out`` are taken over.

    ``alone`` adds variants that keep one group of a stage and all groups of the other. The other
    parameters are those of `run`.
    """
    settings.check()
    telling = telling or Telling()
    engine.check(telling.notice)
    with alone_in(out):
        folder = RunFolder(out)
        parts = settings.signature_parts() | reader_parts(reader) | source.signature_parts()
        tasks = opened(folder, source, parts, force=force, telling=telling, ignore=[GROUPS])
        parts |= {JOINT: "no"}
        signature = Signature.of(parts | {DATA: fingerprint(tasks)})
        chosen = variants(settings, alone=alone)
        wanted = {
            unit_name(task.task, variant): Signature.of(
                parts | {GROUPS: ",".join(variant.groups), DATA: task.fingerprint}
            )
            for task in tasks
            for variant in chosen
        }
        folder.refuse_others(signature, wanted, ignore=[DATA, GROUPS])
        folder.mention_others(wanted, "ablation.json", telling.notice)
        done = folder.done(wanted, notice=telling.notice)
        missing = len(wanted) - len(done)
        if done and missing:
            telling.notice(f"{out}: {len(done)} of {len(wanted)} units are done already")
        todo = [
            task for task in tasks if any(unit_name(task.task, each) not in done for each in chosen)
        ]
        read = list(read_tasks(todo, reader, telling.progress))
        units = variant_units(read, settings, chosen, wanted, done)
        for scored in finished(
            do_unit, units, missing, folder, jobs=jobs, engine=engine, telling=telling
        ):
            done[scored.name] = scored.result
        ablation = Ablation(
            signature=str(signature),
            system=SYSTEM,
            preset=settings.preset,
            data=source.description,
            variants=chosen,
            tasks=tuple((task.task, task.name) for task in tasks),
            results=by_task(done, [task.task for task in tasks], chosen),
        )
        save_json(out / "ablation.json", ablation.to_json())
        ablation.save_csv(out / "ablation.csv")
        return ablation


def variants(settings: Settings, *, alone: bool = False) -> tuple[Variant, ...]:
    """Return the system as it is, then less each group, then with each group alone in its stage.

    The only group of a stage cannot be left out: nothing would be left to learn from.
    """
    groups = settings.groups
    made = [Variant(ALL, "", "", groups.names)]
    stages = (("support", groups.support, groups.answer), ("answer", groups.answer, groups.support))
    for stage, own, _ in stages:
        made += [
            Variant("without", stage, name, tuple(g for g in groups.names if g != name))
            for name in own
            if len(own) > 1
        ]
    for stage, own, others in stages if alone else ():
        kept = [(name, {name, *others}) for name in own]
        made += [
            Variant("only", stage, name, tuple(g for g in groups.names if g in keep))
            for name, keep in kept
            if len(own) > 1
        ]
    return tuple(made)


def unit_name(task: int, variant: Variant) -> str:
    """Return the name of the record of a task and a variant."""
    return f"qa{task}.{variant.name}"


def variant_units(
    read: list[ReadTask],
    settings: Settings,
    chosen: tuple[Variant, ...],
    wanted: Mapping[str, Signature],
    done: Mapping[str, TaskResult],
) -> Iterator[tuple[str, Unit]]:
    """Yield the units that are not done, task by task; a task is let go of after its last variant."""
    while read:
        task = read.pop(0)
        for variant in chosen:
            name = unit_name(task.task, variant)
            if name not in done:
                own = replace(settings, features=variant.groups, without=())
                yield name, Unit((task,), own, {name: wanted[name]}, keep_predictions=False)


def by_task(
    units: Mapping[str, TaskResult], tasks: list[int], chosen: tuple[Variant, ...]
) -> dict[tuple[int, str], TaskResult]:
    """Return results by task and variant."""
    return {
        (task, variant.name): units[unit_name(task, variant)]
        for task in tasks
        for variant in chosen
        if unit_name(task, variant) in units
    }
