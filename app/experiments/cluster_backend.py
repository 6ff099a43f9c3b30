"""joblib's Dask backend, for clusters whose workers die; imported only when Dask is there.

As it comes, a task that the cluster gives up is never reported, and its caller waits for ever. Here such a
unit comes back as one that failed, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from joblib._dask import DaskDistributedBackend

from babi_cascade.app.experiments.cluster import given_up
from babi_cascade.app.experiments.pool import Done


class Cluster(DaskDistributedBackend):  # type: ignore[misc]
    """Units on a cluster; each is a call of `cluster.attempt_there`."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Never 1, which joblib takes for leave to do without the cluster; nor 0, before workers come."""
        cores: dict[str, int] = self.client.ncores()
        return max(2, sum(cores.values()))

    def submit(self, func: Any, callback: Callable[[Any], object] | None = None) -> Any:
        """Send a unit; whatever comes of it is called back."""
        ((_, (_, name, *_), _),) = func.items

        def lost(error: BaseException) -> list[Done[Any]]:
            return [Done(name, None, given_up(error), repr(error))]

        def heard(result: Any) -> None:
            # A unit that was cancelled has its error as its result.
            if callback is not None:
                callback(lost(result) if isinstance(result, BaseException) else result)

        def ended(future: Any) -> None:
            # Of a unit that failed nobody is told otherwise.
            error = future.exception()
            if error is not None:
                heard(error)

        future = super().submit(func, heard)
        future.add_done_callback(ended)
        return future
