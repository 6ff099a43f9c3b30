"""Where the units of a run are done: in processes of this machine, or on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from babi_cascade.app.experiments.errors import TrackError

ENGINES = ("local", "dask")


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
        raise TrackError(f"--engine: found {name!r}, expected one of {', '.join(ENGINES)}")
    if name == "dask" and not scheduler:
        raise TrackError(
            "--engine dask needs --scheduler ADDRESS; start one with: dask scheduler "
            "(docs/scaling.md shows how)"
        )
    if name == "local" and scheduler:
        raise TrackError("--scheduler is for --engine dask")
    return Engine(scheduler)
