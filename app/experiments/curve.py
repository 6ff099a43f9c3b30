"""Learning curves: the same test questions after training on more and more stories.

Stories are read once for all sizes. A unit is a task, a size and a seed; the seed draws the stories and is
the learner's too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from babi_cascade.app.experiments.compare_record import Score
from babi_cascade.app.experiments.compare_systems import Material, NamedSystem
from babi_cascade.app.experiments.compare_unit import (
    SEED,
    SystemUnit,
    checked,
    checked_engine,
    going_on,
    released,
    scored_systems,
    seeds_of,
    unit_parts,
)
from babi_cascade.app.experiments.curve_record import Curve
from babi_cascade.app.experiments.curve_sample import nested_samples, sampled
from babi_cascade.app.experiments.data import DataSource, TaskData
from babi_cascade.app.experiments.engine import LOCAL, Engine
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.experiments.locking import alone_in
from babi_cascade.app.experiments.reading import read_tasks
from babi_cascade.app.experiments.run import DATA, JOINT, fingerprint, opened
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.results.records import save_json
from babi_cascade.app.results.signature import Signature
from babi_cascade.pipeline.read import StoryReader

SIZE = "size"
SIZES = (25, 50, 100, 250, 500, 1000)
"""The sizes of the paper's column are among them."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A unit: its task, its size, its seed, the questions it trains on."""

    task: int
    size: int
    seed: int
    questions: tuple[int, ...]

    @property
    def name(self) -> str:
        return f"qa{self.task}.{self.size}.seed{self.seed}"


def curve(
    source: DataSource,
    system: NamedSystem,
    reader: StoryReader | None,
    out: Path,
    *,
    sizes: Sequence[int] = SIZES,
    seeds: int = 1,
    jobs: int = 1,
    engine: Engine = LOCAL,
    force: bool = False,
    telling: Telling | None = None,
) -> Curve:
    """Train a system on parts of the training stories of every task; finished units are taken over.

    Parameters
    ----------
    source, system, reader : the questions, the system, and the stages that read for it, if it wants them
    out : the folder for ``curve.json``, ``curve.csv`` and finished units
    sizes : how many training questions, at most; whole stories
    seeds : so many draws of stories, beginning with the seed of the source
    jobs, engine, force, telling : see `run`
    """
    telling = telling or Telling()
    reads = checked([system])
    every_seed = seeds_of(source.seed, seeds)
    engine = checked_engine(engine, [system], telling)
    with alone_in(out):
        folder = RunFolder(out)
        parts = unit_parts(system, source, reader)
        tasks = opened(folder, source, parts, force=force, telling=telling, ignore=[SEED, SIZE])
        parts |= {JOINT: "no"}
        places = _places(tasks, sizes, every_seed)
        prints = {task.task: task.fingerprint for task in tasks}
        wanted = {
            place.name: Signature.of(
                parts | {SIZE: place.size, SEED: place.seed, DATA: prints[place.task]}
            )
            for place in dict.fromkeys(places.values())
        }
        signature = Signature.of(parts | {DATA: fingerprint(tasks)})
        folder.refuse_others(signature, wanted, ignore=[DATA, SEED, SIZE])
        folder.mention_others(wanted, "curve.json", telling.notice)
        done = folder.records(wanted, Score.from_json, notice=telling.notice)
        going_on(len(done), len(wanted), out, telling)
        todo = [place for place in dict.fromkeys(places.values()) if place.name not in done]
        unread = [task for task in tasks if any(place.task == task.task for place in todo)]
        read: list[Material] = [*unread]
        if reads and reader is not None:
            read = list(read_tasks(unread, reader, telling.progress))
        scores = scored_systems(
            _units(read, todo, system, wanted), len(todo), folder, wanted, done=done, jobs=jobs,
            engine=engine, telling=telling, reads=reads,
        )  # fmt: skip
        result = Curve(
            signature=str(signature),
            system=system.name,
            data=source.description,
            tasks=tuple((task.task, task.name) for task in tasks),
            sizes=tuple(sizes),
            seeds=every_seed,
            available={task.task: len(task.train) for task in tasks},
            scores={
                key: scores[place.name] for key, place in places.items() if place.name in scores
            },
        )
        save_json(out / "curve.json", result.to_json())
        result.save_csv(out / "curve.csv")
        return result


def _places(
    tasks: Sequence[TaskData], sizes: Sequence[int], seeds: Sequence[int]
) -> dict[tuple[int, int, int], _Place]:
    """Return the unit of every task, size and seed; sizes with the very same questions share one."""
    places: dict[tuple[int, int, int], _Place] = {}
    for task in tasks:
        for seed in seeds:
            known: dict[tuple[int, ...], _Place] = {}
            for size, sample in nested_samples(task, sorted(sizes), seed).items():
                place = known.setdefault(sample, _Place(task.task, size, seed, sample))
                places[task.task, size, seed] = place
    return places


def _units(
    read: list[Material], todo: Sequence[_Place], system: NamedSystem,
    wanted: Mapping[str, Signature],
) -> Iterator[tuple[str, SystemUnit]]:  # fmt: skip
    """Yield the units that are not done, task by task, small samples first."""
    for task in released(read):
        for place in todo:
            if place.task == task.task:
                yield place.name, SystemUnit(
                    system, place.seed, (sampled(task, place.questions),),
                    {place.name: wanted[place.name]},
                )  # fmt: skip
