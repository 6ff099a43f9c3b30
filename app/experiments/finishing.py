"""Units done wherever there is room, and their records, which are written here.

A unit touches no file: it may be done in another process or on another machine. What came out comes back, and
only the process that was started writes, each record in one piece as soon as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from babi_cascade.app.experiments.engine import Engine
from babi_cascade.app.experiments.folder import Record, RunFolder
from babi_cascade.app.experiments.telling import Telling
from babi_cascade.app.experiments.warming import warm_up
from babi_cascade.app.experiments.workers import work_through
from babi_cascade.app.results.signature import Signature


class TaskRecord(Record, Protocol):
    """The record of one task."""

    @property
    def task(self) -> int:
        """The number of the task."""
        ...


Item = TypeVar("Item")
Kept = TypeVar("Kept", bound=TaskRecord)


@dataclass(frozen=True, slots=True)
class Scored(Generic[Kept]):
    """The result of one task under the name and signature of its record, with what was predicted."""

    name: str
    signature: Signature
    result: Kept
    predictions: tuple[dict[str, Any], ...] | None = None


def finished(
    do: Callable[[Item], Sequence[Scored[Kept]]],
    units: Iterable[tuple[str, Item]],
    total: int,
    folder: RunFolder,
    *,
    jobs: int,
    engine: Engine,
    telling: Telling,
    done: Collection[str] = (),
    warm: bool = True,
) -> Iterator[Scored[Kept]]:
    """Do named units and yield each result when its record is written; failures are told.

    Parameters
    ----------
    do : does one unit, and may run on a machine that has none of the files of this one
    total : how many units there are
    done : names of records that stay as they are; a unit of several tasks that was stopped while its records
        were written has some
    warm : whether kernels of the cascade are needed
    """
    if not total:
        return
    if warm:
        telling.progress("loading the learner", 0, 0)
        warm_up()  # here, so that only one process compiles what others load
    telling.progress("training", 0, total)
    for count, unit in enumerate(work_through(do, units, jobs=jobs, engine=engine), start=1):
        if unit.result is None:
            path = folder.save_error(unit.name, unit.details)
            telling.notice(f"{unit.name} could not be done: {unit.error} ({path} has the details)")
        new = [scored for scored in unit.result or () if scored.name not in done]
        for scored in new:
            keep(scored, folder)
        telling.progress("training", count, total)
        yield from new


def keep(scored: Scored[Kept], folder: RunFolder) -> None:
    """Write what came out of a unit; the record comes last, and makes it a finished one."""
    if scored.predictions is not None:
        folder.save_predictions(scored.result.task, scored.predictions)
    folder.save_unit(scored.name, scored.signature, scored.result)
