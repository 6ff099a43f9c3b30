"""Commands that compare systems over whole tasks: compare, curve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import ExampleCommand
from babi_cascade.app.cli.measure import (
    SIZES,
    measured,
    measuring,
    plot_option,
    seeds_of,
    seeds_option,
)
from babi_cascade.app.cli.options import SETTINGS
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.tables import coloured, percent
from babi_cascade.app.cli.terminal import counted, print_signature, print_table
from babi_cascade.app.results.paper import paper_table

if TYPE_CHECKING:
    from babi_cascade.app.experiments import Comparison, Curve


@click.command(
    cls=ExampleCommand,
    example="babi-cascade compare --systems ngram,memnn-am --tasks 1,4 --questions 200",
)
@measuring(
    "out/compare", "Folder for tables and heat map; a stopped run goes on from it.",
    click.option("--systems", default="all", show_default=True, metavar="LIST",
                 help="ngram, lstm, cascade-PRESET, memnn, memnn-am, … (`all` names them in an "
                 "error if one is wrong)."),
    seeds_option,
    click.option("--joint", is_flag=True,
                 help="Also train the system of --analyse on all tasks at once."),
    click.option("--curve", "with_curve", is_flag=True,
                 help="Also measure how many training questions the system of --analyse needs."),
    click.option("--analyse", default="memnn-am-ng-nl", show_default=True, metavar="SYSTEM",
                 help="The system of the columns that --joint and --curve add."),
    click.option("--sizes", default=SIZES, show_default=True, metavar="LIST",
                 help="Training questions for --curve."),
    SETTINGS["cost"],
)  # fmt: skip
@plot_option
def compare(
    systems: str, joint: bool, with_curve: bool, analyse: str, sizes: str, **chosen: Any
) -> int:
    """Train and test the paper's systems and the cascade on every task: Table 3.

    The paper's figures stand in brackets beside ours. OUT gets compare.md, compare.csv, compare.json and
    compare.png; every finished system and task is kept, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments import ComparisonPlan, CurvePlan
    from babi_cascade.app.experiments.plans.curve import sizes_in
    from babi_cascade.app.experiments.systems import system_called, systems_called
    from babi_cascade.app.report.plots import draw_heat_map

    wanted, several = systems_called(systems, chosen["cost"]), sizes_in(sizes)
    together, sizes_of, seeds = None, None, seeds_of(chosen)
    if joint or with_curve:
        analysed = system_called(analyse, chosen["cost"])
        together = analysed if joint else None
        sizes_of = CurvePlan(analysed, several, seeds) if with_curve else None
    plan = ComparisonPlan(wanted, seeds, together, sizes_of)
    return measured(plan, chosen, print_comparison, draw_heat_map)


@click.command(
    cls=ExampleCommand,
    example="babi-cascade curve --tasks 1,6 --questions 200 --sizes 25,50,100 --out out/curve",
)
@measuring(
    "out/curve", "Folder for tables and plot; a stopped run goes on from it.",
    click.option("--system", "name", help="cascade-PRESET, or a system of `compare`.  [default: the "
                 "cascade as `run` has it]"),
    click.option("--sizes", default=SIZES, show_default=True, metavar="LIST",
                 help="Training questions; whole stories, and a smaller set is part of a larger "
                 "one."),
    seeds_option,
    SETTINGS["cost"],
)  # fmt: skip
@plot_option
def curve(name: str | None, sizes: str, **chosen: Any) -> int:
    """Show accuracy by number of training questions, and how many are enough for 95 %.

    The test questions are the same for all sizes. The last column is the paper's, for its best memory
    network. OUT gets curve.json, curve.csv and curve.png; stories are read once for all sizes.
    """
    from babi_cascade.app.experiments import CurvePlan
    from babi_cascade.app.experiments.plans.curve import sizes_in
    from babi_cascade.app.experiments.systems import CascadeSystem, system_called
    from babi_cascade.app.report.plots import draw_learning_curve

    system = system_called(name or CascadeSystem().name, chosen["cost"])
    plan = CurvePlan(system, sizes_in(sizes), seeds_of(chosen))
    return measured(plan, chosen, print_curve, draw_learning_curve)


def print_comparison(result: Comparison, out: Path) -> None:
    """Print tasks by systems."""
    from babi_cascade.app.experiments.plans.compare import LEGEND, cell, size_cell, summary_rows

    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [
            coloured(result.accuracy(each, task), cell(result, each, task))
            for each in result.columns
        ]
        rows.append((str(task), name, *cells, *size_cell(result, task)))
    extra = [] if result.curve is None else [f"for 95 %\n{result.curve.system}"]
    rows += [("", title, *cells, *("" for _ in extra)) for title, cells in summary_rows(result)]
    names = [column.replace("-", "-\n").replace(" ", "\n") for column in result.columns]
    title = f"accuracy of the systems ({result.data})"
    print_table(("task", "name", *names, *extra), rows, left=("name",), repeated=2, title=title)
    say(f"{LEGEND}; {out / 'compare.md'} has the table, compare.csv and compare.json every score")
    print_signature(out / result.file, result.signature)


def print_curve(result: Curve, out: Path) -> None:
    """Print one row a task, the mean, and how many tasks reach 95 %."""
    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [coloured(result.accuracy(size, task)) for size in result.columns]
        rows.append((str(task), name, *cells, needed(result.needed(task)), paper_size(task)))
    means = [percent(result.mean_accuracy(size)) for size in result.columns]
    rows.append(("", "mean", *means, "", ""))
    rows.append(
        ("", "tasks with 95 %", *(str(result.passed(size)) for size in result.sizes), "", "")
    )
    columns = ("task", "name", *result.columns, "for 95 %", "paper")
    title = f"{result.system}: accuracy by training questions"
    print_table(columns, rows, left=("name",), repeated=2, title=title)
    print_signature(out / result.file, result.signature)
    fewer = [count for count in result.available.values() if count < max(result.sizes)]
    if fewer:
        say(
            f"{counted(len(fewer), 'task has', 'tasks have')} fewer training questions than the largest "
            f"size (from {min(fewer)}); all of them are taken"
        )


def needed(size: int | None) -> str:
    """Return a number of training questions, as the paper writes it."""
    return "FAIL" if size is None else str(size)


def paper_size(task: int) -> str:
    """Return the paper's number for a task."""
    sizes = paper_table().sizes
    return needed(sizes[task]) if task in sizes else "-"
