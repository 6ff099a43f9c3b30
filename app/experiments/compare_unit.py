"""The units of `compare` and `curve`: one system trained and tested."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from babi_cascade.app.experiments.backends import reader_parts
from babi_cascade.app.experiments.compare_record import Score
from babi_cascade.app.experiments.compare_systems import Material, NamedSystem
from babi_cascade.app.experiments.data import DataSource
from babi_cascade.app.experiments.engine import Engine
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.finishing import Scored, finished
from babi_cascade.app.experiments.folder import RunFolder
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.results.signature import Signature
from babi_cascade.pipeline.read import StoryReader

SEED = "seed"
SYSTEM = "system"
SETTINGS = "settings"
READING = ("parser", "coref", "srl")


@dataclass(frozen=True, slots=True)
class SystemUnit:
    """A system, a seed, and the tasks it is trained on together (one, unless it is a joint unit).

    ``signatures`` are by the name of the record of each task. ``progress`` hears of the training; it stays in
    this process.
    """

    system: NamedSystem
    seed: int
    tasks: tuple[Material, ...]
    signatures: Mapping[str, Signature]
    progress: Callable[[str], None] | None = None


def do_system_unit(unit: SystemUnit) -> list[Scored[Score]]:
    """Train and test."""
    scores = unit.system.fit_and_score(unit.tasks, unit.seed, unit.progress)
    return [
        Scored(name, signature, score)
        for (name, signature), score in zip(unit.signatures.items(), scores, strict=True)
    ]


def scored_systems(
    units: Iterable[tuple[str, SystemUnit]],
    total: int,
    folder: RunFolder,
    wanted: Collection[str],
    *,
    done: Collection[str],
    jobs: int,
    engine: Engine,
    telling: Telling,
    reads: bool,
) -> dict[str, Score]:
    """Do the units and return every wanted record of the folder; what could not be done is told."""
    if jobs == 1 and engine.scheduler is None:
        units = _heard(units, total, telling)
    for _ in finished(
        do_system_unit, units, total, folder, done=done, jobs=jobs, engine=engine, telling=telling,
        warm=reads,
    ):  # fmt: skip
        pass
    # As they are written, so that the next start has the very same figures.
    return folder.records(wanted, Score.from_json)


def _heard(
    units: Iterable[tuple[str, SystemUnit]], total: int, telling: Telling
) -> Iterator[tuple[str, SystemUnit]]:
    """Let units tell of their training; in this process, where one is asked for when the last one is done."""
    for done, (name, unit) in enumerate(units):

        def progress(text: str, name: str = name, done: int = done) -> None:
            telling.progress(f"{name}: {text}", done, total)

        yield name, replace(unit, progress=progress)


def unit_parts(
    system: NamedSystem, source: DataSource, reader: StoryReader | None
) -> dict[str, object]:
    """Return what a signature says of a system and its data; seed and fingerprint are the unit's."""
    reading = reader_parts(reader) if system.reads and reader is not None else {}
    return {
        SYSTEM: system.name,
        SETTINGS: system.described(),
        **{name: reading.get(name, "none") for name in READING},
        **source.signature_parts(),
    }


def seeds_of(first: int, number: int) -> tuple[int, ...]:
    """Return so many seeds, one after the other."""
    if number < 1:
        raise TrackError(f"--seeds: found {number}, expected at least 1")
    return tuple(range(first, first + number))


def going_on(done: int, wanted: int, out: object, telling: Telling) -> None:
    """Tell that a part of the work is there already."""
    if 0 < done < wanted:
        telling.notice(f"{out}: {done} of {wanted} units are done already")


def released(read: list[Material]) -> Iterator[Material]:
    """Hand out tasks; each is let go of when the next one is asked for, to save memory."""
    while read:
        yield read.pop(0)


def checked(systems: Sequence[NamedSystem]) -> bool:
    """Refuse what cannot be run; return whether a system wants annotated questions."""
    for system in systems:
        system.check()
    return any(system.reads for system in systems)


def checked_engine(engine: Engine, systems: Sequence[NamedSystem], telling: Telling) -> Engine:
    """Refuse a cluster that cannot do these systems; return the engine with what they need."""
    needed = {package for system in systems for package in system.packages}
    engine = replace(engine, packages=tuple(sorted(needed)))
    engine.check(telling.notice)
    return engine
