"""Commands that answer questions over whole tasks: run, ablate."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import SOME_FAILED, ExampleCommand
from babi_cascade.app.cli.options import (
    CACHE,
    ENGINE,
    KINDS,
    PLACES,
    SYSTEM,
    Decorator,
    all_of,
    engine_of,
    reader_of,
    seed_option,
    settings_of,
    telling_progress,
)
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import notice, print_json
from babi_cascade.app.cli.track_tables import print_ablation, print_run
from babi_cascade.pipeline.stories import StoryError, parse_task_list

if TYPE_CHECKING:
    from babi_cascade.app.experiments import DataSource
    from babi_cascade.app.experiments.telling import Telling

QUESTIONS = 1000
"""Simulated where nothing is said."""

OPTIONS: tuple[Decorator, ...] = (
    click.option("--data", "directory", type=click.Path(path_type=Path, file_okay=False),
                 help="Directory with official file names.  [default: simulated stories]"),
    click.option("--tasks", "task_list", metavar="LIST", help="Only these tasks, e.g. 1,3,5-8."),
    click.option("--split", type=click.FloatRange(0, 1, min_open=True, max_open=True),
                 help="Train on this share of the stories of the training files, test on the others."
                 "  [default: the test files; 0.8 where there are none]"),
    click.option("--limit", type=click.IntRange(1), help="At most so many training questions a task."),
    click.option("--questions", type=click.IntRange(1),
                 help="Simulated questions, for training and test each; not for --data."
                 f"  [default: {QUESTIONS}]"),
    seed_option,
    *SYSTEM,
    *KINDS,
    *PLACES,
    *CACHE,
    *ENGINE,
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                 help="Processes to parse and train in; the results are the same."),
    click.option("--force", is_flag=True, help="Start afresh where --out holds other results."),
    json_option,
)  # fmt: skip


def out_option(default: str, help_text: str) -> Decorator:
    """Return the option for the folder of a run."""
    return click.option(
        "--out", type=click.Path(path_type=Path, file_okay=False), default=Path(default),
        show_default=True, help=help_text,
    )  # fmt: skip


@click.command(
    cls=ExampleCommand,
    example="babi-cascade run --tasks 1,6 --questions 200 --out out/run",
)
@out_option("out/run", "Folder for results.json and predictions; a stopped run goes on from it.")
@all_of(*OPTIONS)
@click.option("--joint", is_flag=True, help="One model for all tasks, tested on each.")
@click.option(
    "--score-only", is_flag=True, help="Print the mean accuracy (0 to 1) and nothing else."
)
def run(
    out: Path, joint: bool, jobs: int, force: bool, as_json: bool, score_only: bool, **chosen: Any
) -> int:
    """Train and test the cascade on every task: the external-resources track.

    The table shows accuracy in percent beside the paper's structured SVM, the share of questions whose
    supporting facts are exactly right, and accuracy when the true facts are given. Every finished task is
    kept in the folder, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments import run as run_tasks

    if as_json and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    source = source_of(chosen)
    with told_to_people(out) as telling:
        result = run_tasks(
            source, settings_of(chosen), reader_of(chosen, jobs, telling), out,
            joint=joint, jobs=jobs, engine=engine_of(chosen), force=force, telling=telling,
        )  # fmt: skip
    if as_json:
        print_json(result.to_json())
    elif score_only:
        say("nan" if result.mean_accuracy is None else f"{result.mean_accuracy:.4f}")
    else:
        print_run(result, out)
    if result.not_done:
        notice(f"not done: {', '.join(f'task {task}' for task in result.not_done)}")
    return SOME_FAILED if result.not_done else 0


@click.command(
    cls=ExampleCommand,
    example="babi-cascade ablate --tasks 1,6 --questions 200 --out out/ablation",
)
@out_option("out/ablation", "Folder for the tables and the plot; a stopped run goes on from it.")
@all_of(*OPTIONS)
@click.option("--alone", is_flag=True,
              help="Also keep every group alone in its stage (the other stage keeps all).")  # fmt: skip
@click.option("--plot/--no-plot", default=None,
              help="Draw ablation.png (needs the extra [plots]).  [default: if it is there]")  # fmt: skip
def ablate(
    out: Path, alone: bool, plot: bool | None, jobs: int, force: bool, as_json: bool, **chosen: Any
) -> int:
    """Leave out every feature group in turn and show what it is worth.

    Figures are points of accuracy against the whole system. OUT gets ablation.csv, ablation.json and
    ablation.png; stories are read once for all variants.
    """
    from babi_cascade.app.experiments import ablate as ablate_groups
    from babi_cascade.app.experiments.plot import GET_PLOTS, check_plots, save_plot

    source = source_of(chosen)
    with told_to_people(out) as telling:
        if plot is None and find_spec("matplotlib") is None:
            notice(f"no plot without matplotlib; get it with: {GET_PLOTS}")
            plot = False
        if plot is not False:
            check_plots()
        result = ablate_groups(
            source, settings_of(chosen), reader_of(chosen, jobs, telling), out,
            alone=alone, jobs=jobs, engine=engine_of(chosen), force=force, telling=telling,
        )  # fmt: skip
        if plot is not False:
            save_plot(result, out / "ablation.png")
    if as_json:
        print_json(result.to_json())
    else:
        print_ablation(result, out)
    if result.not_done:
        notice(f"not done: {', '.join(result.not_done)}")
    return SOME_FAILED if result.not_done else 0


def source_of(chosen: dict[str, Any]) -> DataSource:
    """Return where the questions come from; an option that does nothing there is told of."""
    from babi_cascade.app.experiments import DataSource

    tasks, questions = chosen["task_list"], chosen["questions"]
    if chosen["directory"] is not None and questions is not None:
        notice(
            "--questions is for simulated stories and does nothing with --data; --limit limits the "
            "training questions"
        )
    return DataSource(
        directory=chosen["directory"],
        tasks=None if tasks is None else parse_task_list(tasks),
        split=chosen["split"],
        limit=chosen["limit"],
        questions=questions or QUESTIONS,
        seed=chosen["seed"],
    )


@contextmanager
def told_to_people(out: Path) -> Iterator[Telling]:
    """Show progress on a terminal; say how to go on after a stop, or when the disk is full.

    Where nothing is finished there is nothing to say.
    """
    try:
        with telling_progress() as telling:
            yield telling
    except (KeyboardInterrupt, OSError, StoryError):
        if any(out.rglob("units/*.json")):
            notice(f"{out}: what is finished is kept; the same command goes on from there")
        raise
