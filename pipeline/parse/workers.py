"""Parsing in several processes.

Each worker is a Python of its own (`pipeline.parse.worker`) that gets a batch as a line of JSON and
answers with a line of JSON. It ends when its input does: however this process ends, killed or not, no
worker stays behind. Nothing of the caller's program is imported there, so scripts need no guard. (joblib's
workers, tried in their place, were still there 45 seconds after a kill -9, each with its models in memory.)
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.trees import Tree
from babi_cascade.pipeline.trees.rows import compact_json, tree_of_rows


class Workers:
    """Processes that each have loaded the models once.

    Parameters
    ----------
    settings : arguments of `StanzaParser`
    jobs : how many processes
    """

    def __init__(self, settings: dict[str, str], jobs: int) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._closed = threading.Event()
        self._finalizer = weakref.finalize(self, _end, self._processes, self._closed)
        for _ in range(jobs):
            process = subprocess.Popen(
                [sys.executable, "-c", _program(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for this process, which ends the others
            )
            self._processes.append(process)
            self._idle.put(process)

    def map(self, batches: Sequence[Any]) -> Iterator[list[Tree]]:
        """Yield the trees of each batch, in order; after an error no worker is left."""
        # One thread a worker: it only waits for the answer.
        threads = ThreadPoolExecutor(len(self._processes))
        try:
            yield from threads.map(self._ask, batches)
        except BaseException:
            self.close()
            raise
        finally:
            threads.shutdown(cancel_futures=True)

    def close(self) -> None:
        """End the processes at once."""
        self._finalizer()

    def _ask(self, batch: Any) -> list[Tree]:
        process = self._idle.get()
        try:
            answer = _answer(process, batch)
            if not answer:
                raise ParserError(_how_it_ended(process, self._closed.is_set()))
            said = json.loads(answer)
            if "error" in said:
                raise ParserError(f"a parsing process failed: {said['error']}")
            return [tree_of_rows(tree) for tree in said["trees"]]
        finally:
            self._idle.put(process)


def _program(settings: dict[str, str]) -> str:
    """Return what a worker runs, with the modules of this process and no others."""
    return (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from babi_cascade.pipeline.parse.worker import main; main({settings!r})"
    )


def _answer(process: subprocess.Popen[bytes], batch: Any) -> bytes:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(compact_json(batch).encode("utf-8", "surrogatepass") + b"\n")
        process.stdin.flush()
        return process.stdout.readline()
    except (OSError, ValueError):  # its pipe is broken, or was closed here
        return b""


def _how_it_ended(process: subprocess.Popen[bytes], closed: bool) -> str:
    if closed:
        return "parsing was stopped"
    code = process.wait()
    how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
    return (
        f"a parsing process {how} (-9 is often lack of memory); nothing of its batch was kept; "
        "--jobs 1 needs the least memory"
    )


def _end(processes: list[subprocess.Popen[bytes]], closed: threading.Event) -> None:
    closed.set()
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None and not pipe.closed:
                with suppress(OSError):  # what it did not read any more
                    pipe.close()
