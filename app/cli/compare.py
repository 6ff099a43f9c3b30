"""The command `compare`: the paper's Table 3 on any data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from babi_cascade.app.cli.curve import (
    DATA_OPTIONS,
    cost_option,
    plot_option,
    plots_wanted,
    seeds_option,
)
from babi_cascade.app.cli.group import SOME_FAILED, ExampleCommand
from babi_cascade.app.cli.options import all_of, engine_of, reader_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import notice, print_json, print_signature, print_table
from babi_cascade.app.cli.track import out_option, source_of, told_to_people
from babi_cascade.app.results import PASS

if TYPE_CHECKING:
    from babi_cascade.app.experiments.compare_table import Column, Comparison


@click.command(
    cls=ExampleCommand,
    example="babi-cascade compare --systems ngram,memnn-am --tasks 1,4 --questions 200",
)
@out_option("out/compare", "Folder for tables and heat map; a stopped run goes on from it.")
@click.option("--systems", default="all", show_default=True, metavar="LIST",
              help="ngram, lstm, cascade-PRESET, memnn, memnn-am, … (`all` names them in an "
              "error if one is wrong).")  # fmt: skip
@seeds_option
@click.option(
    "--joint", is_flag=True, help="Also train the system of --analyse on all tasks at once."
)
@click.option("--curve", "with_curve", is_flag=True,
              help="Also measure how many training questions the system of --analyse needs.")  # fmt: skip
@click.option("--analyse", default="memnn-am-ng-nl", show_default=True, metavar="SYSTEM",
              help="The system of the columns that --joint and --curve add.")  # fmt: skip
@click.option("--sizes", default="25,50,100,250,500,1000", show_default=True, metavar="LIST",
              help="Training questions for --curve.")  # fmt: skip
@cost_option
@all_of(*DATA_OPTIONS)
@plot_option
def compare(
    out: Path, systems: str, seeds: int, joint: bool, with_curve: bool, analyse: str, sizes: str,
    cost: float | None, plot: bool | None, jobs: int, force: bool, as_json: bool, **chosen: Any,
) -> int:  # fmt: skip
    """Train and test the paper's systems and the cascade on every task: Table 3.

    The paper's figures stand in brackets beside ours. OUT gets compare.md, compare.csv, compare.json and
    compare.png; every finished system and task is kept, and the same command goes on where it was stopped.
    """
    from babi_cascade.app.experiments.compare import compare as measure
    from babi_cascade.app.experiments.compare_plot import save_heat_map
    from babi_cascade.app.experiments.compare_systems import NamedSystem, systems_of
    from babi_cascade.app.experiments.curve_sample import sizes_in

    wanted = systems_of(systems, cost)
    analysed = NamedSystem(analyse, cost)
    several = sizes_in(sizes)
    for system in (*wanted, analysed) if joint or with_curve else wanted:
        system.check()
    reads = any(each.reads for each in wanted) or (analysed.reads and (joint or with_curve))
    drawing = plots_wanted(plot)
    source = source_of(chosen)
    with told_to_people(out) as telling:
        result = measure(
            source, wanted, reader_of(chosen, jobs, telling) if reads else None, out,
            joint=analysed if joint else None, curve_of=analysed if with_curve else None,
            sizes=several, seeds=seeds, jobs=jobs, engine=engine_of(chosen), force=force,
            telling=telling,
        )  # fmt: skip
        if drawing:
            save_heat_map(result, out / "compare.png")
    if as_json:
        print_json(result.to_json())
    else:
        print_comparison(result, out)
    if result.not_done:
        notice(f"not done: {'; '.join(result.not_done)}")
    return SOME_FAILED if result.not_done else 0


def print_comparison(result: Comparison, out: Path) -> None:
    """Print tasks by systems."""
    from babi_cascade.app.experiments.compare_files import LEGEND, cell, size_cell, summary_rows

    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [_coloured(result, each, task, cell(result, each, task)) for each in result.columns]
        rows.append((str(task), name, *cells, *size_cell(result, task)))
    extra = [] if result.curve is None else [f"for 95 %\n{result.curve.system}"]
    rows += [("", title, *cells, *("" for _ in extra)) for title, cells in summary_rows(result)]
    names = [column.name.replace("-", "-\n").replace(" ", "\n") for column in result.columns]
    title = f"accuracy of the systems ({result.data})"
    print_table(("task", "name", *names, *extra), rows, left=("name",), repeated=2, title=title)
    say(f"{LEGEND}; {out / 'compare.md'} has the table, compare.csv and compare.json every score")
    print_signature(out / "compare.json", result.signature)


def _coloured(result: Comparison, column: Column, task: int, text: str) -> Text:
    """Mark what is passed; in a pipe nothing is coloured."""
    figure = result.accuracy(column, task)
    passed = figure is not None and figure.mean >= PASS
    return Text(text, style="green" if passed else "")
