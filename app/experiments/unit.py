"""One unit of a run: train on some tasks, test on each of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babi_cascade.app.experiments.finishing import Scored
from babi_cascade.app.experiments.reading import ReadTask
from babi_cascade.app.experiments.settings import Settings
from babi_cascade.app.experiments.stopping import stopping_for_good
from babi_cascade.app.experiments.warming import warm_up
from babi_cascade.app.results.records import StageResult, TaskResult
from babi_cascade.app.results.scoring import accuracy, support_accuracy
from babi_cascade.app.results.signature import Signature

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade, Prediction


@dataclass(frozen=True, slots=True)
class Unit:
    """Tasks that are trained together (one, unless the run is a joint one).

    ``signatures`` are by the name of the record of each task.
    """

    tasks: tuple[ReadTask, ...]
    settings: Settings
    signatures: Mapping[str, Signature]
    keep_predictions: bool = True


def do_unit(unit: Unit) -> list[Scored[TaskResult]]:
    """Train and test."""
    scored = fit_and_score(unit.settings, unit.tasks)
    return [
        Scored(
            name, signature, result,
            tuple(each.to_json() for each in predictions) if unit.keep_predictions else None,
        )
        for (name, signature), (result, predictions) in zip(
            unit.signatures.items(), scored, strict=True
        )
    ]  # fmt: skip


def fit_and_score(
    settings: Settings, tasks: Sequence[ReadTask]
) -> list[tuple[TaskResult, list[Prediction]]]:
    """Train one system on the training questions of all tasks and test it on each."""
    warm_up(settings.preset)
    system = settings.estimator()
    start = time.perf_counter()
    with stopping_for_good():
        system.fit_read([asked for task in tasks for asked in task.train])
    seconds = time.perf_counter() - start
    total = sum(len(task.train) for task in tasks)
    # What a joint model costs is shared out, so that the seconds of a run add up.
    return [score(system, task, seconds * len(task.train) / total) for task in tasks]


def score(
    system: Cascade, task: ReadTask, fit_seconds: float
) -> tuple[TaskResult, list[Prediction]]:
    """Test a trained system on one task, with its own choice of facts and with the true ones."""
    start = time.perf_counter()
    predictions = system.predict_read(task.test)
    predict_seconds = time.perf_counter() - start
    questions = [asked.source for asked in task.test]
    known = [asked for asked in task.test if asked.source.support is not None]
    with_gold = system.predict_read(known, gold_support=True) if known else []
    result = TaskResult(
        task=task.task,
        name=task.name,
        n_train=len(task.train),
        n_test=len(task.test),
        accuracy=accuracy(predictions, questions),
        support_accuracy=support_accuracy(predictions, questions),
        gold_support_accuracy=(
            accuracy(with_gold, [asked.source for asked in known]) if known else None
        ),
        support_stage=stage_result(system.support_stage_),
        answer_stage=stage_result(system.answer_stage_),
        seconds={"annotate": task.seconds, "fit": fit_seconds, "predict": predict_seconds},
    )
    return result, predictions


def stage_result(stage: Any) -> StageResult:
    """Return how the training of a stage ended."""
    return StageResult(
        float(stage.cost_), float(stage.gap_), bool(stage.converged_), int(stage.n_features_),
        float(stage.seconds_),
    )  # fmt: skip
