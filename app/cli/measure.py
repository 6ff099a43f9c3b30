"""What the commands share that measure something over whole tasks: run, ablate, compare, …"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from babi_cascade.app.cli.group import FOLDER, SOME_FAILED
from babi_cascade.app.cli.options import (
    CACHE,
    ENGINE,
    KINDS,
    PLACES,
    Decorator,
    all_of,
    engine_of,
    reader_of,
    seed_option,
    settings_of,
    signature_option,
    telling_progress,
)
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import notice, print_json, print_signature
from babi_cascade.pipeline.stories import StoryError, parse_task_list

if TYPE_CHECKING:
    from babi_cascade.app.experiments import DataSource
    from babi_cascade.app.experiments.plan import Plan
    from babi_cascade.app.experiments.progress import Telling
    from babi_cascade.app.experiments.seeds import SeveralSeeds
    from babi_cascade.app.results.table import Table
    from babi_cascade.cascade.settings import Settings

Made = TypeVar("Made", bound="Table")
Show = Callable[[Made, Path], None]

QUESTIONS = 1000
"""Simulated where nothing is said."""

SIZES = "25,50,100,250,500,1000"

OPTIONS: tuple[Decorator, ...] = (
    click.option("--data", "directory", type=FOLDER,
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
    *PLACES,
    *CACHE,
    *ENGINE,
    click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
                 help="Processes to parse and train in; the results are the same."),
    click.option("--force", is_flag=True, help="Start afresh where --out holds other results."),
    signature_option,
    json_option,
)  # fmt: skip
"""Questions, places, engine; what is measured on them is each command's own."""

seeds_option = click.option("--seeds", type=click.IntRange(1), default=1, show_default=True,
                            help="Train with so many seeds, from --seed on; tables have mean ± "
                            "deviation, never the best.")  # fmt: skip
data_seeds_option = click.option("--seeds", type=click.IntRange(1), default=1, show_default=True,
                                 help="Do it with so many seeds, from --seed on (new stories or a new split "
                                 "each); means come with bootstrap intervals.")  # fmt: skip
plot_option = click.option("--plot/--no-plot", default=None,
                           help="Draw a picture (needs the extra [plots]).  [default: if it is "
                           "there]")  # fmt: skip


def measuring(
    out: str, help_text: str, *more: Decorator, kinds: tuple[Decorator, ...] = KINDS
) -> Decorator:
    """Return the options of a command: its folder, its own ones, the back ends, and those of all."""
    folder = click.option(
        "--out", type=FOLDER, default=Path(out),
        show_default=True, help=help_text,
    )  # fmt: skip
    return all_of(folder, *more, *kinds, *OPTIONS)


def measured(
    plan: Plan[Made], chosen: dict[str, Any], show: Show[Made],
    draw: Callable[[Any, Made], None] | None = None,
) -> int:  # fmt: skip
    """Carry out a plan, show its table, and return the exit code; ``draw`` makes the picture."""
    result = carried_out(plan, chosen, draw)
    return shown(result, chosen, lambda: show(result, chosen["out"]), [result.signature])


def measured_often(
    make: Callable[[Settings], Plan[Made]], chosen: dict[str, Any], show: Show[Made],
    show_seeds: Callable[[SeveralSeeds[Made]], None],
    draw: Callable[[Any, Made], None] | None = None,
) -> int:  # fmt: skip
    """Carry out the plan of some settings with one seed, or with several, each in a folder of its own."""
    from babi_cascade.app.experiments.seeds import FILE, SeveralSeeds
    from babi_cascade.app.results.records import save_json
    from babi_cascade.pipeline.stories.saving import refuse_links_out

    seeds, out = seeds_of(chosen), chosen["out"]
    if len(seeds) == 1:
        return measured(make(settings_of(chosen)), chosen, show, draw)
    directory: Path | None = chosen["directory"]
    if directory is not None and chosen["split"] is None and any(directory.glob("qa*_test.*")):
        notice(
            "the test questions are the same for every seed, so intervals only tell what the learner's seed "
            "changes, and nothing is called beyond noise; --split draws other ones"
        )
    refuse_links_out(out, [FILE, "seed-*"])
    tables = []
    if draw is not None:
        chosen["plot"] = plots_wanted(chosen["plot"])  # told once
    for number, seed in enumerate(seeds, start=1):
        notice(f"seed {seed} ({number} of {len(seeds)})")
        own = {**chosen, "seed": seed, "out": out / f"seed-{seed}"}
        tables.append(carried_out(make(settings_of(own)), own, draw))
    result = SeveralSeeds(seeds, tuple(tables))
    save_json(out / FILE, result.to_json())
    told = [table.signature for table in tables]
    return shown(result, chosen, lambda: show_seeds(result), told)


def shown(
    result: Made | SeveralSeeds[Made], chosen: dict[str, Any], show: Callable[[], None],
    signatures: Sequence[str],
) -> int:  # fmt: skip
    """Show what came out and return the exit code."""
    if chosen["as_json"]:
        print_json(result.to_json())
    else:
        show()
        if chosen["signature"]:
            for signature in signatures:
                print_signature(signature)
    if result.not_done:
        notice(f"not done: {'; '.join(result.not_done)}")
    return SOME_FAILED if result.not_done else 0


def carried_out(
    plan: Plan[Made], chosen: dict[str, Any], draw: Callable[[Any, Made], None] | None = None
) -> Made:
    """Carry out a plan; ``draw`` makes the picture."""
    from babi_cascade.app.experiments import run_plan
    from babi_cascade.app.report.plots import save_picture

    out: Path = chosen["out"]
    drawing = draw is not None and plots_wanted(chosen["plot"])
    source = source_of(chosen)
    with told_to_people(out) as telling:
        for system in plan.systems:
            system.check()
        reads = "coref" in chosen and any(system.reads for system in plan.systems)
        reader = reader_of(chosen, chosen["jobs"], telling) if reads else None
        result = run_plan(
            plan, source, reader, out, jobs=chosen["jobs"], engine=engine_of(chosen),
            force=chosen["force"], telling=telling,
        )  # fmt: skip
        if drawing and draw is not None:
            picture = (out / result.file).with_suffix(".png")
            save_picture(lambda figure: draw(figure, result), picture)
    return result


def seeds_of(chosen: dict[str, Any]) -> tuple[int, ...]:
    """Return so many seeds, one after the other."""
    return tuple(range(chosen["seed"], chosen["seed"] + chosen["seeds"]))


def source_of(chosen: dict[str, Any]) -> DataSource:
    """Return where the questions come from; an option that does nothing there is told of."""
    from babi_cascade.app.experiments import DataSource
    from babi_cascade.pipeline.stories.background import named_background

    tasks, questions = chosen["task_list"], chosen["questions"]
    text = chosen.get("background")
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
        tested=chosen.get("tested"),
        background=None if text is None else named_background(text),
    )


def plots_wanted(plot: bool | None) -> bool:
    """Say before the work that no picture can be drawn, or that none will be."""
    from babi_cascade.app.report.plots import GET_PLOTS, can_draw, check_plots

    if plot is None and not can_draw():
        notice(f"no plot without matplotlib; get it with: {GET_PLOTS}")
        return False
    if plot is not False:
        check_plots(", or leave the plot out with --no-plot")
    return plot is not False


@contextmanager
def told_to_people(out: Path) -> Iterator[Telling]:
    """Show progress, in a pipe a line at a time; say how to go on after a stop, or when the disk is full.

    Where nothing is finished there is nothing to say.
    """
    try:
        with telling_progress(lines=True) as telling:
            yield telling
    except (KeyboardInterrupt, OSError, StoryError):
        if any(out.rglob("units/*.json")):
            notice(f"{out}: what is finished is kept; the same command goes on from there")
        raise
