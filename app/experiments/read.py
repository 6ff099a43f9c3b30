"""Tasks as the system sees them: read once, in one process, before anything is trained.

Who trains gets the questions as they were read, in this process or pickled to another: no worker ever parses
or resolves a pronoun, or needs the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.pipeline.read import ReadQuestion, StoryReader


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A task whose questions are read, and how many seconds that took."""

    task: int
    name: str
    train: tuple[ReadQuestion, ...]
    test: tuple[ReadQuestion, ...]
    seconds: float


def read_tasks(
    tasks: Iterable[TaskData],
    reader: StoryReader,
    progress: Callable[[str, int, int], None] | None = None,
) -> Iterator[ReadTask]:
    """Read tasks one after the other; sentences that they share are parsed in the first one."""
    for data in tasks:
        if reader.annotator is not None and progress is not None:
            said = f"annotating task {data.task}"
            reader.annotator.progress = lambda done, total, said=said: progress(said, done, total)
        start = time.perf_counter()
        read = reader.read((*data.train, *data.test))
        seconds = time.perf_counter() - start
        cut = len(data.train)
        yield ReadTask(data.task, data.name, tuple(read[:cut]), tuple(read[cut:]), seconds)
