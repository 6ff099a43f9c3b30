"""Units on the machines of a Dask cluster, through joblib's backend for it.

A unit travels inside its task, so that the scheduler can give it to another worker when one dies. Results
come back to this process, which alone writes files: the machines of a cluster need to share no disk.
"""

from __future__ import annotations

import logging
import platform
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from babi_cascade.app.results.signature import version
from babi_cascade.errors import UserError

if TYPE_CHECKING:
    from babi_cascade.app.experiments.pool import Done

Item = TypeVar("Item")
Result = TypeVar("Result")

GET_DASK = "pip install -c constraints.txt '.[dask]'"
PATIENCE = 10
"""Seconds in which a scheduler must answer."""

ALWAYS = ("babi-cascade", "Python", "numpy", "numba")
"""Whose versions are compared, whatever is to be done."""

DIED = "every worker that tried it died (often for lack of memory)"
_GIVEN_UP = {
    "KilledWorker": DIED,
    "CancelledError": "the scheduler was lost or gave it up",
    "FutureCancelledError": "the scheduler was lost or gave it up",
    "FuturesCancelledError": "the scheduler was lost or gave it up",
}


def check(scheduler: str, packages: tuple[str, ...], notice: Callable[[str], None]) -> None:
    """Refuse a scheduler that does not answer and workers that would compute something else."""
    with client_of(scheduler) as client:
        names = (*ALWAYS, *packages)
        found, wanted = client.run(versions, names), versions(names)
        for worker, theirs in found.items():
            if theirs != wanted:
                raise UserError(f"--scheduler {scheduler}: {_difference(worker, theirs, wanted)}")
        if not found:
            notice(f"{scheduler}: no worker is there yet; training waits for the first one")


def spread(
    work: Callable[[Item], Result],
    units: Iterable[tuple[str, Item]],
    scheduler: str,
    packages: tuple[str, ...] = (),
) -> Iterator[Done[Result]]:
    """Yield every named unit when a worker of the cluster, with the same packages, has done it."""
    from joblib import Parallel, delayed, parallel_config

    from babi_cascade.app.experiments.cluster_backend import Cluster

    under_way: dict[str, tuple[Item]] = {}
    wanted = versions((*ALWAYS, *packages))

    def call(name: str) -> Any:
        # In a tuple: joblib would hand a large object to one worker to keep, with which it could die.
        return delayed(attempt_there)(wanted, name, work, under_way[name])

    def calls() -> Iterator[Any]:
        for name, item in units:
            under_way[name] = (item,)
            yield call(name)

    with client_of(scheduler) as client, parallel_config(backend=Cluster(client=client)):
        # All at once: workers may join at any time, and a queue that is seen makes a cluster grow.
        parallel = Parallel(
            n_jobs=-1, return_as="generator_unordered", pre_dispatch="all", batch_size=1
        )
        suspects = []
        for done in parallel(calls()):
            if done.error == DIED:
                suspects.append(done.name)
            else:
                del under_way[done.name]
                yield done
        # The scheduler suspects whatever waited on a worker that died. Alone, a unit shows what it is.
        for name in suspects:
            yield from parallel([call(name)])


def attempt_there(
    wanted: dict[str, str], name: str, work: Callable[[Item], Result], held: tuple[Item]
) -> Done[Result]:
    """Do one unit on a worker; one at a time, however many threads the worker has."""
    from joblib import parallel_config

    from babi_cascade.app.experiments.pool import Done, attempt

    found = versions(tuple(wanted))
    if found != wanted:
        return Done(name, None, _difference(platform.node(), found, wanted))
    (item,) = held
    # The number of threads of a matrix product is a matter of the whole process.
    with _alone, parallel_config(backend="sequential"):
        return attempt(work, name, item)


_alone = threading.Lock()


@cache
def versions(names: tuple[str, ...] = ALWAYS) -> dict[str, str]:
    """Return what must be the same everywhere for the same results; what is not there has no version."""
    return {name: _version_of(name) for name in names}


def _version_of(name: str) -> str:
    if name == "babi-cascade":
        return version()
    if name == "Python":
        return ".".join(platform.python_version_tuple()[:2])
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


@contextmanager
def client_of(scheduler: str) -> Iterator[Any]:
    """Connect to a cluster; who is not there is told in words."""
    if find_spec("distributed") is None:
        raise UserError(f"--engine dask needs Dask; get it with: {GET_DASK}")
    import distributed

    connect: Any = distributed.Client
    # What the library has to say about a worker that left is said by us where it matters.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    place = {"scheduler_file": scheduler} if Path(scheduler).is_file() else {"address": scheduler}
    try:
        if "address" in place:
            _check_address(scheduler)
        client = connect(**place, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, KeyError) as error:
        said = " ".join(str(error).split())
        raise UserError(
            f"--scheduler {scheduler}: no scheduler answers there ({said}); start one with: dask "
            "scheduler"
        ) from error
    with client:
        yield client


def _check_address(address: str) -> None:
    """Raise ValueError for what is no address; a client that was made with one cannot even be closed."""
    from distributed.comm.addressing import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    scheme, place = parse_address(address)
    get_backend(scheme)
    if scheme != "inproc":
        parse_host_port(place, 8786)


def given_up(error: object) -> str:
    """Say in words why the cluster did not do a unit."""
    kind = type(error).__name__
    return _GIVEN_UP.get(kind, f"{kind}: {' '.join(str(error).split())}")


def _difference(worker: str, theirs: dict[str, str], ours: dict[str, str]) -> str:
    found = [
        f"{f'{name} {theirs[name]}' if theirs[name] else f'no {name}'} instead of {wanted}"
        for name, wanted in ours.items()
        if theirs[name] != wanted
    ]
    return f"the worker {worker} has {', '.join(found)}; results would not be comparable"
