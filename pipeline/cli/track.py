"""Commands that answer questions over whole tasks: run, ablate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.group import SOME_FAILED, ExampleCommand
from pipeline.cli.stories import json_option
from pipeline.cli.terminal import notice, print_json, progress
from pipeline.cli.track_tables import print_ablation, print_run
from pipeline.stories import parse_task_list

if TYPE_CHECKING:
    from pipeline.annotate.reader import StoryReader
    from pipeline.track import DataSource, Settings
    from pipeline.track.telling import Telling

OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--data", "directory", type=click.Path(path_type=Path, file_okay=False),
                 help="Directory with official file names.  [default: simulated stories]"),
    click.option("--tasks", "task_list", metavar="LIST", help="Only these tasks, e.g. 1,3,5-8."),
    click.option("--split", type=click.FloatRange(0, 1, min_open=True, max_open=True),
                 help="Train on this share of the stories of the training files, test on the others."
                 "  [default: the test files; 0.8 where there are none]"),
    click.option("--limit", type=click.IntRange(1), help="At most so many training questions a task."),
    click.option("--questions", type=click.IntRange(1), default=1000, show_default=True,
                 help="Simulated questions, for training and test each."),
    click.option("--seed", type=int, default=0, show_default=True,
                 help="Of the simulation, the split and the learner."),
    click.option("--preset", default="paper", show_default=True, help="A choice of feature groups."),
    click.option("--features", metavar="LIST", help="Only these feature groups, e.g. a,b."),
    click.option("--without", metavar="LIST", default="", help="Less these feature groups."),
    click.option("--role-labels/--no-role-labels", default=True, show_default=True,
                 help="Whether verb-argument pairs say the role of the argument."),
    click.option("--learner", default="bcfw", show_default=True,
                 help="What solves the SVMs: bcfw (ours), pystruct-oneslack, pystruct-frankwolfe, "
                 "pystruct-subgradient or dlib."),
    click.option("--cost", type=click.FloatRange(0, min_open=True),
                 help="C of both stages.  [default: chosen on held-out training stories]"),
    click.option("--coref", type=click.Choice(["sieve", "stanza", "corenlp", "conllu", "none"]),
                 default="sieve", show_default=True, help="Coreference back end."),
    click.option("--srl", type=click.Choice(["stanza", "senna", "conllu", "none"]),
                 default="stanza", show_default=True, help="Semantic role back end."),
    click.option("--stanza-models", default="shipped", show_default=True,
                 help="Parser models: shipped, default (Stanza's own), or a directory."),
    click.option("--conllu", type=click.Path(path_type=Path, dir_okay=False),
                 help="Your annotations in the place of the parser; entities and roles too with "
                 "--coref conllu, --srl conllu."),
    click.option("--senna", type=click.Path(path_type=Path, file_okay=False),
                 help="Folder of SENNA, for --srl senna.  [default: $SENNA]"),
    click.option("--corenlp-url", help="Server for --coref corenlp."),
    click.option("--coref-model", type=click.Path(path_type=Path, dir_okay=False),
                 help="Model for --coref stanza.  [default: in Stanza's folder]"),
    click.option("--coref-backbone", help="Transformer of that model, if not where it was trained."),
    click.option("--cache", "cache_path", type=click.Path(path_type=Path, dir_okay=False),
                 help="Where annotations are kept.  [default: the user's cache folder]"),
    click.option("--no-cache", is_flag=True, help="Neither read nor keep annotations."),
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                 help="Processes to parse and train in; the results are the same."),
    click.option("--force", is_flag=True, help="Start afresh where --out holds other results."),
    json_option,
)  # fmt: skip


def track_options(command: Any) -> Any:
    """Add what both commands let a user choose."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def out_option(default: str, help_text: str) -> Callable[[Any], Any]:
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
@track_options
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
    from pipeline.track import run as run_tasks

    if as_json and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    with told_to_people(out) as telling:
        result = run_tasks(
            source_of(chosen), settings_of(chosen), reader_of(chosen, jobs, telling), out,
            joint=joint, jobs=jobs, force=force, telling=telling,
        )  # fmt: skip
    if as_json:
        print_json(result.to_json())
    elif score_only:
        print("nan" if result.mean_accuracy is None else f"{result.mean_accuracy:.4f}")
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
@track_options
@click.option("--alone", is_flag=True,
              help="Also keep every group alone in its stage (the other stage keeps all).")  # fmt: skip
@click.option("--plot/--no-plot", default=True, show_default=True,
              help="Draw ablation.png (needs the extra [plots]).")  # fmt: skip
def ablate(
    out: Path, alone: bool, plot: bool, jobs: int, force: bool, as_json: bool, **chosen: Any
) -> int:
    """Leave out every feature group in turn and show what it is worth.

    Figures are points of accuracy against the whole system. OUT gets ablation.csv, ablation.json and
    ablation.png; stories are read once for all variants.
    """
    from pipeline.track import ablate as ablate_groups
    from pipeline.track.plot import check_plots, save_plot

    with told_to_people(out) as telling:
        if plot:
            check_plots()
        result = ablate_groups(
            source_of(chosen), settings_of(chosen), reader_of(chosen, jobs, telling), out,
            alone=alone, jobs=jobs, force=force, telling=telling,
        )  # fmt: skip
        if plot:
            save_plot(result, out / "ablation.png")
    if as_json:
        print_json(result.to_json())
    else:
        print_ablation(result, out)
    if result.not_done:
        notice(f"not done: {', '.join(result.not_done)}")
    return SOME_FAILED if result.not_done else 0


def source_of(chosen: dict[str, Any]) -> DataSource:
    """Return where the questions come from."""
    from pipeline.track import DataSource

    tasks = chosen["task_list"]
    return DataSource(
        directory=chosen["directory"],
        tasks=None if tasks is None else parse_task_list(tasks),
        split=chosen["split"],
        limit=chosen["limit"],
        questions=chosen["questions"],
        seed=chosen["seed"],
    )


def settings_of(chosen: dict[str, Any]) -> Settings:
    """Return the system that was chosen."""
    from pipeline.track import Settings

    return Settings(
        preset=chosen["preset"],
        features=None if chosen["features"] is None else names_in(chosen["features"]),
        without=names_in(chosen["without"]),
        role_labels=chosen["role_labels"],
        learner=chosen["learner"],
        cost=chosen["cost"],
        seed=chosen["seed"],
    )


def reader_of(chosen: dict[str, Any], jobs: int, telling: Telling) -> StoryReader:
    """Return the reading stages that were chosen, with the cache unless there is to be none."""
    from pipeline.annotate.annotator import default_cache_path
    from pipeline.track import BackEnds

    names = ("coref", "srl", "stanza_models", "conllu", "senna", "corenlp_url", "coref_model",
             "coref_backbone")  # fmt: skip
    cache = None if chosen["no_cache"] else chosen["cache_path"] or default_cache_path()
    return BackEnds(jobs=jobs, **{name: chosen[name] for name in names}).reader(
        cache, telling.notice
    )


def names_in(text: str) -> tuple[str, ...]:
    """Read names separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


@contextmanager
def told_to_people(out: Path) -> Iterator[Telling]:
    """Show progress on a terminal, turn wrong settings into one line, say how to go on after a stop."""
    from features.registry import FeatureError
    from pipeline.track import TrackError
    from pipeline.track.telling import Telling

    try:
        with progress(None, "starting") as (bar, task):
            yield Telling(
                lambda what, done, total: bar.update(
                    task, description=what, completed=done, total=total or None
                ),
                lambda line: bar.console.print(line, markup=False, highlight=False, soft_wrap=True),
            )
    except (TrackError, FeatureError) as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        notice(f"{out}: what is finished is kept; the same command goes on from there")
        raise
