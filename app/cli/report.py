"""The command that makes something to look at of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babi_cascade.app.cli.group import FILE, FOLDER, example_command
from babi_cascade.app.cli.options import (
    CACHE,
    PLACES,
    all_of,
    cache_of,
    places_of,
    telling_progress,
)
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import counted, notice
from babi_cascade.pipeline.stories.saving import refuse_links_out

PAGE = "report.html"


@example_command("babi-cascade report out/small out/ablation")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...",
                type=FOLDER)  # fmt: skip
@click.option("-o", "--out", type=FILE,
              help="The page to write.  [default: report.html in the first RUN]")  # fmt: skip
@click.option("--title", help="Of the page.  [default: the names of the folders]")
@click.option("--explain", type=click.IntRange(0), default=15, show_default=True, metavar="N",
              help="Explain at most N questions of each task, two thirds of them wrong ones. A task "
              "whose model was not kept is trained again with the C of the run.")  # fmt: skip
@click.option("--data", type=FOLDER,
              help="Where the stories of the runs are.  [default: simulated ones, in RUN]")  # fmt: skip
@click.option("--plots", type=FOLDER, metavar="DIR",
              help="Also draw the plots into DIR as PNG and SVG (needs the extra [plots]).")  # fmt: skip
@all_of(*PLACES, *CACHE)
def report(
    runs: tuple[Path, ...], out: Path | None, title: str | None, explain: int, data: Path | None,
    plots: Path | None, **chosen: Any,
) -> None:  # fmt: skip
    """Make one self-contained HTML page of runs: tables, plots, and every question.

    RUN are folders that `run`, `ablate`, `compare` or `curve` wrote, or folders of such folders. The page
    needs no network and opens from the disk. What was explained is kept in the folders of the runs, so that
    the next report is quick.
    """
    from babi_cascade.app.report.folders import read_folders
    from babi_cascade.app.report.page import save_page
    from babi_cascade.app.report.questions import ReportOptions, questions_of

    found = read_folders(runs)
    if plots is not None:
        from babi_cascade.app.report.plots import check_plots

        check_plots()
    page = out or runs[0] / PAGE
    if out is None:
        refuse_links_out(runs[0], [PAGE])
    options = ReportOptions(explain, data, places_of(chosen), cache_of(chosen))
    with telling_progress() as telling:
        asked = questions_of(found, options, telling)
    named = title or ", ".join(dict.fromkeys(path.resolve().name for path in runs))
    save_page(page, found, asked, named)
    for each in asked:
        for said in (each.missing, each.unexplained if explain else ""):
            if said:
                notice(f"{each.run.name}: {said}")
    shown = sum(len(predictions) for each in asked for predictions in each.predictions.values())
    explained = sum(len(own) for each in asked for own in each.explained.values())
    say(
        f"{page}: {counted(len(found.runs), 'run')}, {counted(len(found.ablations), 'ablation')}, "
        f"{counted(shown, 'question')}, {explained} of them explained"
        + (f", {counted(len(found.points), 'point')} of learning curves" if found.points else "")
    )
    if plots is not None:
        from babi_cascade.app.report.plots import save_plots

        for path in save_plots(found, plots):
            say(path)
