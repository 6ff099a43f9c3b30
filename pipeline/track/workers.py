"""Units of work one after the other, or in several processes; either way the same results.

Every unit computes with one thread: a matrix product may round differently with two, and results must not
depend on how many units run beside each other.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from threadpoolctl import threadpool_limits

from pipeline.track.errors import TrackError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Done(Generic[Item, Result]):
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
) -> Iterator[Done[Item, Result]]:
    """Yield every named unit when it is done, in the order in which they finish.

    A unit that fails takes no other with it.
    """
    if jobs < 1:
        raise TrackError(f"--jobs: found {jobs}, expected at least 1")
    if jobs == 1:
        for name, item in units:
            yield attempt(work, name, item)
        return
    from joblib import Parallel, delayed, parallel_config

    with parallel_config(backend="loky", inner_max_num_threads=1):
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", pre_dispatch=jobs)
        yield from parallel(delayed(attempt)(work, name, item) for name, item in units)


def attempt(work: Callable[[Item], Result], name: str, item: Item) -> Done[Item, Result]:
    """Do one unit; an error is brought back in words, since not every exception can be pickled."""
    try:
        with threadpool_limits(limits=1):
            return Done(name, work(item))
    except Exception as error:
        said = " ".join(str(error).split())
        return Done(name, None, f"{type(error).__name__}: {said}", traceback.format_exc())
