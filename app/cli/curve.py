"""The command `curve`: how many training questions a system needs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from babi_cascade.app.cli.group import SOME_FAILED, ExampleCommand
from babi_cascade.app.cli.options import SYSTEM as SYSTEM_OPTIONS
from babi_cascade.app.cli.options import Decorator, all_of, engine_of, reader_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import counted, notice, print_json, print_signature, print_table
from babi_cascade.app.cli.track import OPTIONS, out_option, source_of, told_to_people
from babi_cascade.app.results import paper_table

if TYPE_CHECKING:
    from babi_cascade.app.experiments.curve_record import Curve

DATA_OPTIONS: tuple[Decorator, ...] = tuple(each for each in OPTIONS if each not in SYSTEM_OPTIONS)
"""Questions, back ends and processes as in `run`; the system is chosen by its name."""

cost_option = click.option("--cost", type=click.FloatRange(0, min_open=True),
                           help="C of both stages of a cascade.  [default: chosen on held-out "
                           "training stories]")  # fmt: skip
seeds_option = click.option("--seeds", type=click.IntRange(1), default=1, show_default=True,
                            help="Train with so many seeds, from --seed on; tables have mean ± "
                            "deviation, never the best.")  # fmt: skip
plot_option = click.option("--plot/--no-plot", default=None,
                           help="Draw a picture (needs the extra [plots]).  [default: if it is "
                           "there]")  # fmt: skip


@click.command(
    cls=ExampleCommand,
    example="babi-cascade curve --tasks 1,6 --questions 200 --sizes 25,50,100 --out out/curve",
)
@out_option("out/curve", "Folder for tables and plot; a stopped run goes on from it.")
@click.option("--system", "name", help="cascade-PRESET, or a system of `compare`.  [default: the "
              "cascade as `run` has it]")  # fmt: skip
@click.option("--sizes", default="25,50,100,250,500,1000", show_default=True, metavar="LIST",
              help="Training questions; whole stories, and a smaller set is part of a larger "
              "one.")  # fmt: skip
@seeds_option
@cost_option
@all_of(*DATA_OPTIONS)
@plot_option
def curve(
    out: Path, name: str | None, sizes: str, seeds: int, cost: float | None, plot: bool | None,
    jobs: int, force: bool, as_json: bool, **chosen: Any,
) -> int:  # fmt: skip
    """Show accuracy by number of training questions, and how many are enough for 95 %.

    The test questions are the same for all sizes. The last column is the paper's, for its best memory
    network. OUT gets curve.json, curve.csv and curve.png; stories are read once for all sizes.
    """
    from babi_cascade.app.experiments.compare_systems import NamedSystem, default_system
    from babi_cascade.app.experiments.curve import curve as measure
    from babi_cascade.app.experiments.curve_plot import save_curve_plot
    from babi_cascade.app.experiments.curve_sample import sizes_in

    system = NamedSystem(name or default_system(), cost)
    wanted = sizes_in(sizes)
    system.check()
    drawing = plots_wanted(plot)
    source = source_of(chosen)
    with told_to_people(out) as telling:
        reader = reader_of(chosen, jobs, telling) if system.reads else None
        result = measure(
            source, system, reader, out,
            sizes=wanted, seeds=seeds, jobs=jobs, engine=engine_of(chosen), force=force,
            telling=telling,
        )  # fmt: skip
        if drawing:
            save_curve_plot(result, out / "curve.png")
    if as_json:
        print_json(result.to_json())
    else:
        print_curve(result, out)
    if result.not_done:
        notice(f"not done: {'; '.join(result.not_done)}")
    return SOME_FAILED if result.not_done else 0


def print_curve(result: Curve, out: Path) -> None:
    """Print one row a task, the mean, and how many tasks reach 95 %."""
    rows: list[tuple[object, ...]] = []
    for task, name in result.tasks:
        cells = [coloured(result.accuracy(task, size)) for size in result.sizes]
        rows.append((str(task), name, *cells, needed(result.needed(task)), paper_size(task)))
    means = [shown(result.mean_accuracy(size)) for size in result.sizes]
    rows.append(("", "mean", *means, "", ""))
    rows.append(
        ("", "tasks with 95 %", *(str(result.passed(size)) for size in result.sizes), "", "")
    )
    columns = ("task", "name", *map(str, result.sizes), "for 95 %", "paper")
    title = f"{result.system}: accuracy by training questions"
    print_table(columns, rows, left=("name",), repeated=2, title=title)
    print_signature(out / "curve.json", result.signature)
    fewer = [count for count in result.available.values() if count < max(result.sizes)]
    if fewer:
        say(
            f"{counted(len(fewer), 'task has', 'tasks have')} fewer training questions than the largest "
            f"size (from {min(fewer)}); all of them are taken"
        )


def plots_wanted(plot: bool | None) -> bool:
    """Say before the work that no picture can be drawn, or that none will be."""
    from babi_cascade.app.experiments.plot import GET_PLOTS, check_plots

    if plot is None and find_spec("matplotlib") is None:
        notice(f"no plot without matplotlib; get it with: {GET_PLOTS}")
        return False
    if plot is not False:
        check_plots()
    return plot is not False


def needed(size: int | None) -> str:
    """Return a number of training questions, as the paper writes it."""
    return "FAIL" if size is None else str(size)


def paper_size(task: int) -> str:
    """Return the paper's number for a task."""
    sizes = paper_table().sizes
    return needed(sizes[task]) if task in sizes else "-"


def shown(figure: object) -> str:
    """Return a figure, or that there is none."""
    return "-" if figure is None else str(figure)


def coloured(figure: Any) -> Text:
    """Return a figure, green where the task is passed; in a pipe nothing is coloured."""
    from babi_cascade.app.results import PASS

    passed = figure is not None and figure.mean >= PASS
    return Text(shown(figure), style="green" if passed else "")
