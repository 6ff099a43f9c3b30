"""joblib's Dask backend, for clusters whose workers die; imported only when Dask is there.

As it comes, a task that the cluster gives up is never reported, and its caller waits for ever. Here such a
unit comes back as one that failed, and the others go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from joblib._dask import DaskDistributedBackend

from babi_cascade.app.experiments.cluster import given_up
from babi_cascade.app.experiments.workers import Done


class Cluster(DaskDistributedBackend):  # type: ignore[misc]
    """Units on a cluster; each is a call of `cluster.attempt_there`."""

    def effective_n_jobs(self, n_jobs: int) -> int:
        """Never 1, which joblib takes for leave to do without the cluster; nor 0, before workers come."""
        cores: dict[str, int] = self.client.ncores()
        return max(2, sum(cores.values()))

    def submit(self, func: Any, callback: Callable[[Any], object] | None = None) -> Any:
        """Send a unit and remember its name."""
        ((_, (_, name, _), _),) = func.items
        return super().submit(func, _Named(name, callback))

    async def _collect(self) -> None:
        while self._continue:
            async for future, result in self.waiting_futures:
                outcome, heard = self._results.pop(future), self._callbacks.pop(future)
                if future.status != "finished":
                    error = result[1] if future.status == "error" else result
                    result = [Done(heard.name, None, given_up(error), repr(error))]
                outcome.set_result(result)
                heard(result)
            await asyncio.sleep(0.01)


class _Named:
    """A callback that knows which unit it waits for."""

    def __init__(self, name: str, callback: Callable[[Any], object] | None) -> None:
        self.name = name
        self._callback = callback

    def __call__(self, result: Any) -> None:
        if self._callback is not None:
            self._callback(result)
