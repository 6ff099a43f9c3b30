"""Units of work one after the other, in several processes, or on several machines: the same results.

The pool is joblib's, with its own processes or with its Dask backend. Every unit computes with one thread: a
matrix product may round differently with two, and results must not depend on how many units run beside each
other.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from threadpoolctl import threadpool_limits

from babi_cascade.errors import UserError

ENGINES = ("local", "dask")

KILLED = "the process that did it was killed (often for lack of memory; --jobs 1 needs the least)"

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Engine:
    """This machine, or a Dask cluster by the address of its scheduler.

    Parameters
    ----------
    scheduler : an address such as ``tcp://10.0.0.5:8786``, or the file that ``dask scheduler
        --scheduler-file`` wrote; None for this machine
    packages : whose versions must be the same on all workers, beside those that every unit needs
    """

    scheduler: str | None = None
    packages: tuple[str, ...] = ()

    def check(self, notice: Callable[[str], None]) -> None:
        """Say now rather than after an hour of other work that the cluster cannot be used."""
        if self.scheduler is not None:
            from babi_cascade.app.experiments.cluster import check

            check(self.scheduler, self.packages, notice)


LOCAL = Engine()


def engine_called(name: str, scheduler: str | None) -> Engine:
    """Return the engine that a user asks for."""
    if name not in ENGINES:
        raise UserError(f"--engine: found {name!r}, expected one of {', '.join(ENGINES)}")
    if name == "dask" and not scheduler:
        raise UserError(
            "--engine dask needs --scheduler ADDRESS; start one with: dask scheduler "
            "(docs/scaling.md shows how)"
        )
    if name == "local" and scheduler:
        raise UserError("--scheduler is for --engine dask")
    return Engine(scheduler)


@dataclass(frozen=True, slots=True)
class Done(Generic[Result]):
    """A unit that came back: its name, and its result or what went wrong."""

    name: str
    result: Result | None
    error: str = ""
    details: str = ""


def work_through(
    work: Callable[[Item], Result],
    units: Iterable[tuple[str, Item]],
    *,
    jobs: int = 1,
    engine: Engine = LOCAL,
) -> Iterator[Done[Result]]:
    """Yield every named unit when it is done, in the order in which they finish.

    A unit that fails takes no other with it. A cluster does as many at once as it has cores, whatever
    ``jobs`` says; ``work`` may run there on a machine that has none of the files of this one.
    """
    if jobs < 1:
        raise UserError(f"--jobs: found {jobs}, expected at least 1")
    if engine.scheduler is not None:
        from babi_cascade.app.experiments.cluster import spread

        yield from spread(work, units, engine.scheduler, engine.packages)
        return
    if jobs == 1:
        for name, item in units:
            yield attempt(work, name, item)
        return
    yield from _in_processes(work, iter(units), jobs)


def _in_processes(
    work: Callable[[Item], Result], units: Iterator[tuple[str, Item]], jobs: int
) -> Iterator[Done[Result]]:
    """Do units in processes; when one of these is killed, only the unit that it died of is given up."""
    from joblib import Parallel, delayed, parallel_config

    under_way: dict[str, Item] = {}

    def calls() -> Iterator[Any]:
        for name, item in units:
            under_way[name] = item
            yield delayed(attempt)(work, name, item)

    def parallel(chosen: Iterable[Any]) -> Iterator[Done[Result]]:
        with parallel_config(backend="loky", inner_max_num_threads=1):
            made = Parallel(jobs, return_as="generator_unordered", pre_dispatch=jobs, batch_size=1)
            yield from made(chosen)

    broken = True
    while broken:
        broken = False
        try:
            for done in parallel(calls()):
                del under_way[done.name]
                yield done
        except BrokenExecutor:
            broken = True
            # Nobody can tell which of them it was. Alone, a unit shows what it is.
            for name in list(under_way):
                try:
                    yield from parallel([delayed(attempt)(work, name, under_way.pop(name))])
                except BrokenExecutor:
                    yield Done(name, None, KILLED)


def attempt(work: Callable[[Item], Result], name: str, item: Item) -> Done[Result]:
    """Do one unit; an error is brought back in words, since not every exception can be pickled."""
    try:
        with threadpool_limits(limits=1):
            return Done(name, work(item))
    except Exception as error:
        said = " ".join(str(error).split())
        return Done(name, None, f"{type(error).__name__}: {said}", traceback.format_exc())
