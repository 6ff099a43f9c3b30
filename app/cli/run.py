"""Commands for the cascade over whole tasks: run, ablate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import ExampleCommand
from babi_cascade.app.cli.measure import measured, measuring, plot_option
from babi_cascade.app.cli.options import SETTINGS, settings_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.tables import percent, points
from babi_cascade.app.cli.terminal import console, counted, print_signature, print_table
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS, SECONDS, StageResult, TaskResult, mean

if TYPE_CHECKING:
    from babi_cascade.app.experiments import Ablation, RunTable

LIMIT = f"{100 * PASS:.0f} %"
_COLUMNS = (
    "task", "name", "accuracy", "paper", "", "support", "given\nsupport", "C\nsupport", "C\nanswer",
    "seconds\nannotate", "\nfit", "\npredict",
)  # fmt: skip

WIDE, NARROW = 112, 7
"""Columns of a terminal that hold the whole table, and the cells of a row that are shown on others."""


@click.command(
    cls=ExampleCommand,
    example="babi-cascade run --tasks 1,6 --questions 200 --out out/run",
)
@measuring(
    "out/run", "Folder for results.json and predictions; a stopped run goes on from it.",
    *SETTINGS.values(),
)  # fmt: skip
@click.option("--joint", is_flag=True, help="One model for all tasks, tested on each.")
@click.option(
    "--score-only", is_flag=True, help="Print the mean accuracy (0 to 1) and nothing else."
)
def run(joint: bool, score_only: bool, **chosen: Any) -> int:
    """Train and test the cascade on every task: the external-resources track.

    The table shows accuracy in percent beside the paper's structured SVM, the share of questions whose
    supporting facts are exactly right, and accuracy when the true facts are given. Every finished task is
    kept in the folder, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments import RunPlan

    if chosen["as_json"] and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    return measured(
        RunPlan(settings_of(chosen), joint), chosen, print_score if score_only else print_run
    )


@click.command(
    cls=ExampleCommand,
    example="babi-cascade ablate --tasks 1,6 --questions 200 --out out/ablation",
)
@measuring(
    "out/ablation", "Folder for the tables and the plot; a stopped run goes on from it.",
    *SETTINGS.values(),
)  # fmt: skip
@click.option("--alone", is_flag=True,
              help="Also keep every group alone in its stage (the other stage keeps all).")  # fmt: skip
@click.option("--plus", is_flag=True,
              help="Add every group that is not chosen in turn instead of leaving out one.")  # fmt: skip
@plot_option
def ablate(alone: bool, plus: bool, **chosen: Any) -> int:
    """Leave out every feature group in turn (or, with --plus, add every other one) and show what it is worth.

    Figures are points of accuracy against the whole system. OUT gets ablation.csv, ablation.json and
    ablation.png; stories are read once for all variants.
    """
    from babi_cascade.app.experiments import AblationPlan
    from babi_cascade.app.report.folders import ablation_of
    from babi_cascade.app.report.plots import draw_ablation

    def draw(figure: Any, result: Ablation) -> None:
        draw_ablation(figure, ablation_of(result.to_json(), ""))

    return measured(AblationPlan(settings_of(chosen), alone, plus), chosen, print_ablation, draw)


def print_score(result: RunTable, out: Path) -> None:
    """Print the mean and nothing else."""
    say("nan" if result.mean is None else f"{result.mean:.4f}")


def print_run(result: RunTable, out: Path) -> None:
    """Print one row a task, the signature, and what it comes to."""
    if not result.done:
        say("no task could be done")
        return
    shown = slice(None) if console().width >= WIDE else slice(NARROW)
    print_table(_COLUMNS[shown], [run_row(task)[shown] for task in result.done], left=("name", ""))
    if shown.stop is not None:
        say("(C and seconds are in results.json, and here on a wider terminal)")
    unsolved = [
        f"task {task.task}"
        for task in result.done
        if not all(stage.converged for stage in task.stages)
    ]
    if unsolved:
        say(f"stopped before the certified gap was reached: {', '.join(unsolved)}")
    print_signature(out / result.file, result.signature)
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
        _cost(task.support_stage),
        _cost(task.answer_stage),
        *(f"{task.seconds.get(name, 0.0):.1f}" for name in SECONDS),
    )


def _cost(stage: StageResult | None) -> str:
    return "-" if stage is None else f"{stage.cost:g}"


def summary(result: RunTable) -> str:
    """Return mean, failures, and the paper's for the same tasks."""
    numbers = [task.task for task in result.done]
    failed = [task.task for task in result.done if not task.passed]
    said = f"mean {percent(result.mean)} %, {counted(len(failed), 'task')} under {LIMIT}"
    if failed:
        said += f" ({', '.join(map(str, failed))})"
    seconds = [sum(task.seconds.get(name, 0.0) for task in result.done) for name in SECONDS]
    paper = paper_table().mean(numbers)
    if paper is not None:
        said += (
            f"; paper: mean {paper:.0f} %, {len(paper_table().failed_tasks(numbers))} under {LIMIT}"
        )
    times = ", ".join(f"{name} {value:.0f}" for name, value in zip(SECONDS, seconds, strict=True))
    return f"{said}; seconds: {times}"


KINDS = {"without": "left out", "only": "alone in its stage", "plus": "added"}
"""What an ablation does with a group."""


def print_ablation(result: Ablation, out: Path) -> None:
    """Print tasks by groups: what is left out, what is kept alone, what is added."""
    whole = result.columns[0]
    for kind, title in KINDS.items():
        chosen = result.of_kind(kind)
        if not chosen:
            continue
        names = [variant.name for variant in chosen]
        rows: list[Sequence[str]] = [
            (str(task), name, percent(result.accuracy(whole, task)),
             *(points(result.delta(task, variant)) for variant in names))
            for task, name in result.tasks
        ]  # fmt: skip
        rows.append(("", "mean", percent(result.mean_accuracy(whole)),
                     *(points(result.mean_delta(variant)) for variant in names)))  # fmt: skip
        found = [result.mean_support_delta(variant) for variant in names]
        if mean(each for each in found if each is not None) is not None:
            rows.append(("", "mean, support", "", *(points(each) for each in found)))
        print_table(
            ("task", "name", "all", *(variant.group.replace("-", "-\n") for variant in chosen)),
            rows, left=("name",), repeated=2,
            title=f"{title}: points of accuracy against all groups",
        )  # fmt: skip
    print_signature(out / result.file, result.signature)
