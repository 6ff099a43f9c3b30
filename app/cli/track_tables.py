"""Results of runs as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import console, counted, print_signature, print_table
from babi_cascade.app.results import PASS, RunResult, TaskResult, paper_table
from babi_cascade.app.results.records import SECONDS, mean

if TYPE_CHECKING:
    from babi_cascade.app.experiments import Ablation

LIMIT = f"{100 * PASS:.0f} %"
_RUN_COLUMNS = (
    "task", "name", "accuracy", "paper", "", "support", "given\nsupport", "C\nsupport", "C\nanswer",
    "seconds\nannotate", "\nfit", "\npredict",
)  # fmt: skip

WIDE, NARROW = 112, 7
"""Columns of a terminal that hold the whole table, and the cells of a row that are shown on others."""


def print_run(result: RunResult, out: Path) -> None:
    """Print one row a task, the signature, and what it comes to."""
    if not result.tasks:
        say("no task could be done")
        return
    shown = slice(None) if console().width >= WIDE else slice(NARROW)
    rows = [run_row(task)[shown] for task in result.tasks]
    print_table(_RUN_COLUMNS[shown], rows, left=("name", ""))
    if shown.stop is not None:
        say("(C and seconds are in results.json, and here on a wider terminal)")
    unsolved = [
        f"task {task.task}"
        for task in result.tasks
        if not (task.support_stage.converged and task.answer_stage.converged)
    ]
    if unsolved:
        say(f"stopped before the certified gap was reached: {', '.join(unsolved)}")
    print_signature(out / "results.json", result.signature)
    say(summary(result))


def run_row(task: TaskResult) -> tuple[str, ...]:
    """Return the cells of a task."""
    paper = paper_table().accuracy(task.task)
    return (
        str(task.task),
        task.name,
        percent(task.accuracy),
        "-" if paper is None else f"{paper:.0f}",
        "pass" if task.passed else "fail",
        percent(task.support_accuracy),
        percent(task.gold_support_accuracy),
        f"{task.support_stage.cost:g}",
        f"{task.answer_stage.cost:g}",
        *(f"{task.seconds.get(name, 0.0):.1f}" for name in SECONDS),
    )


def summary(result: RunResult) -> str:
    """Return mean, failures, and the paper's for the same tasks."""
    numbers = [task.task for task in result.tasks]
    failed = result.failed_tasks
    said = f"mean {percent(result.mean_accuracy)} %, {counted(len(failed), 'task')} under {LIMIT}"
    if failed:
        said += f" ({', '.join(map(str, failed))})"
    seconds = [sum(task.seconds.get(name, 0.0) for task in result.tasks) for name in SECONDS]
    paper = paper_table().mean(numbers)
    if paper is not None:
        said += (
            f"; paper: mean {paper:.0f} %, {len(paper_table().failed_tasks(numbers))} under {LIMIT}"
        )
    times = ", ".join(f"{name} {value:.0f}" for name, value in zip(SECONDS, seconds, strict=True))
    return f"{said}; seconds: {times}"


def print_ablation(result: Ablation, out: Path) -> None:
    """Print tasks by groups, once for what is left out and once for what is kept alone."""
    for kind, title in (("without", "left out"), ("only", "alone in its stage")):
        chosen = result.of_kind(kind)
        if not chosen:
            continue
        names = [variant.name for variant in chosen]
        rows: list[Sequence[str]] = [
            (str(task), name, percent(result.accuracy(task)),
             *(points(result.delta(task, variant)) for variant in names))
            for task, name in result.tasks
        ]  # fmt: skip
        rows.append(("", "mean", percent(result.mean_accuracy()),
                     *(points(result.mean_delta(variant)) for variant in names)))  # fmt: skip
        found = [result.mean_support_delta(variant) for variant in names]
        if mean(each for each in found if each is not None) is not None:
            rows.append(("", "mean, support", "", *(points(each) for each in found)))
        print_table(
            ("task", "name", "all", *(variant.group.replace("-", "-\n") for variant in chosen)),
            rows, left=("name",), repeated=2,
            title=f"{title}: points of accuracy against all groups",
        )  # fmt: skip
    print_signature(out / "ablation.json", result.signature)


def percent(share: float | None) -> str:
    """Return a share as percent without the sign."""
    return "-" if share is None else f"{100 * share:.1f}"


def points(difference: float | None) -> str:
    """Return a difference in points, with its sign."""
    return "-" if difference is None else f"{100 * difference:+.1f}"
