"""The units of `compare` and `curve`: one system trained and tested, its record kept at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.annotate.reader import StoryReader
from pipeline.results.signature import Signature
from pipeline.track.backends import reader_parts
from pipeline.track.compare_record import Score
from pipeline.track.compare_systems import Material, NamedSystem
from pipeline.track.data import DataSource
from pipeline.track.errors import TrackError
from pipeline.track.folder import RunFolder
from pipeline.track.telling import Telling
from pipeline.track.warming import warm_up
from pipeline.track.workers import work_through

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
    folder: RunFolder
    progress: Callable[[str], None] | None = None


def do_system_unit(unit: SystemUnit) -> list[Score]:
    """Train, test, and write the records."""
    scores = unit.system.fit_and_score(unit.tasks, unit.seed, unit.progress)
    for (name, signature), score in zip(unit.signatures.items(), scores, strict=True):
        unit.folder.save_unit(name, signature, score)
    return scores


def work(
    units: Iterable[tuple[str, SystemUnit]], total: int, folder: RunFolder, *, jobs: int,
    telling: Telling, reads: bool,
) -> None:  # fmt: skip
    """Do the units; every one is in the folder afterwards, or told as one that could not be done."""
    if not total:
        return
    if reads:
        telling.progress("loading the learner", 0, 0)
        warm_up()  # here, so that only one process compiles what others load
    done = 0
    telling.progress("training", done, total)

    def heard(name: str, unit: SystemUnit) -> SystemUnit:
        # what a bar needs cannot go to another process
        def progress(text: str) -> None:
            telling.progress(f"{name}: {text}", done, total)

        return replace(unit, progress=progress) if jobs == 1 else unit

    for unit in work_through(do_system_unit, ((n, heard(n, u)) for n, u in units), jobs=jobs):
        done += 1
        telling.progress("training", done, total)
        if unit.result is None:
            path = folder.save_error(unit.name, unit.details)
            telling.notice(f"{unit.name} could not be done: {unit.error} ({path} has the details)")


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
