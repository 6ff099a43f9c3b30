"""One unit of work: train a system on some tasks, test it on each of them.

A unit touches no file: it may be done in another process or on another machine. Its tasks are read before,
once, in the process that was started; no worker ever parses or resolves a pronoun, or needs the cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.systems import Hear, System, Trained
from babi_cascade.app.results.predictions import accuracy, support_accuracy
from babi_cascade.app.results.records import TaskResult
from babi_cascade.pipeline.read import ReadQuestion, StoryReader
from babi_cascade.pipeline.stories import Question


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


Material = ReadTask | TaskData
"""A task as a system wants it: read, or as it was told."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A system and the tasks it is trained on together (one, unless it is a joint unit).

    ``names`` are those of the records, one a task. ``hear`` hears of the training; it stays in this process.
    """

    system: System
    tasks: tuple[Material, ...]
    names: tuple[str, ...]
    keeps_predictions: bool = False
    hear: Hear = None


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of one task under the name of its record, with what was predicted."""

    name: str
    result: TaskResult
    predictions: tuple[dict[str, Any], ...] | None = None


def do_unit(unit: Unit) -> list[Scored]:
    """Train and test."""
    unit.system.warm_up()
    clock, used = time.perf_counter(), time.process_time()
    trained = unit.system.train([asked for task in unit.tasks for asked in task.train], unit.hear)
    clock, used = time.perf_counter() - clock, time.process_time() - used
    total = sum(len(task.train) for task in unit.tasks)
    scored = []
    for name, task in zip(unit.names, unit.tasks, strict=True):
        share = len(task.train) / total  # so that the seconds of a joint model add up
        result, predictions = score(trained, task, clock * share, used * share)
        kept = tuple(predictions) if unit.keeps_predictions else None
        scored.append(Scored(name, result, kept))
    return scored


def score(
    trained: Trained, task: Material, fit_seconds: float, fit_cpu_seconds: float
) -> tuple[TaskResult, list[dict[str, Any]]]:
    """Test on one task: with the system's own choice of facts and, if it can be told, with the true ones."""
    begun = time.perf_counter()
    predictions = trained.predict(task.test)
    predict_seconds = time.perf_counter() - begun
    questions = told(task.test)
    given = None
    known = [asked for asked in task.test if told([asked])[0].support is not None]
    if trained.given_facts is not None and known:
        given = accuracy(trained.given_facts(known), told(known))
    result = TaskResult(
        task=task.task,
        name=task.name,
        n_train=len(task.train) if trained.here else None,
        n_test=len(task.test),
        accuracy=accuracy(predictions, questions),
        support_accuracy=support_accuracy(predictions, questions) if trained.finds_facts else None,
        gold_support_accuracy=given,
        support_stage=trained.support_stage,
        answer_stage=trained.answer_stage,
        imputation=trained.imputation,
        seconds={
            "annotate": task.seconds if isinstance(task, ReadTask) else 0.0,
            "fit": fit_seconds,
            "predict": predict_seconds,
        },
        fit_cpu_seconds=fit_cpu_seconds if trained.here else None,
        sentences_read=None if trained.sentences_read is None else trained.sentences_read(),
    )
    return result, [each.to_json() for each in predictions]


def told(asked: Sequence[Any]) -> list[Question]:
    """Return questions as they were told, also those that were read since."""
    return [each if isinstance(each, Question) else each.source for each in asked]
