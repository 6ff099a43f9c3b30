"""The plots of a report as PNG and SVG, for papers and slides; matplotlib is imported when they are drawn."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from babi_cascade.app.experiments.plot import GET_PLOTS, label
from babi_cascade.app.report.charts import KINDS, STAGES
from babi_cascade.app.report.errors import ReportError
from babi_cascade.app.report.folders import Ablation, Found, Point, Run
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS, mean
from babi_cascade.pipeline.stories.saving import drafted

COLOURS = ("#2f6fbf", "#c7751b", "#23855c", "#8a4fb0", "#b23a5e", "#5b6670")
FORMS: dict[str, dict[str, Any]] = {
    ".png": {"dpi": 150, "metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None, "Creator": None}},
}
"""Without program and date in the files the same results give the same bytes."""


def check_plots() -> None:
    """Say now rather than after other work that nothing can be drawn."""
    if importlib.util.find_spec("matplotlib") is None:
        raise ReportError(f"--plots needs matplotlib; get it with: {GET_PLOTS}")


def save_plots(found: Found, folder: Path) -> list[Path]:
    """Draw everything there is something for; return the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{folder}: cannot write plots there: {error.strerror}") from error
    written = []
    for name, draw in _drawings(found):
        written += _save(draw, folder, name)
    return written


Draw = Callable[[Any], None]
"""Draws into a figure."""


def _drawings(found: Found) -> Iterator[tuple[str, Draw]]:
    if found.runs:
        yield "accuracy", lambda figure: draw_accuracy(figure, found.runs)
    timed = [run for run in found.runs if any(task.seconds for task in run.tasks)]
    for run in timed:
        name = "seconds" if len(timed) == 1 else f"seconds-{_plain(run.name)}"
        yield name, lambda figure, run=run: draw_seconds(figure, run)  # type: ignore[misc]
    for ablation in found.ablations:
        name = "ablation" if len(found.ablations) == 1 else f"ablation-{_plain(ablation.name)}"
        yield name, lambda figure, ablation=ablation: draw_ablation(figure, ablation)  # type: ignore[misc]
    if found.points:
        yield "curves", lambda figure: draw_curves(figure, found.points)


def draw_accuracy(figure: Any, runs: Sequence[Run]) -> None:
    """Draw accuracy by task: bars of the runs, diamonds of the paper's SVM."""
    numbers = sorted({task.task for run in runs for task in run.tasks})
    names = {task.task: task.name for run in runs for task in run.tasks}
    figure.set_size_inches(max(6.0, 1.2 + 0.42 * len(numbers)), 4.4)
    axes = figure.subplots()
    width = 0.8 / len(runs)
    for place, run in enumerate(runs):
        own = {task.task: 100 * task.accuracy for task in run.tasks}
        shift = (place - (len(runs) - 1) / 2) * width
        axes.bar(
            [numbers.index(n) + shift for n in own], list(own.values()), width,
            color=COLOURS[place % len(COLOURS)], label=label(run.name),
        )  # fmt: skip
    paper = [
        (i, share)
        for i, n in enumerate(numbers)
        if (share := paper_table().accuracy(n)) is not None
    ]
    if paper:
        axes.plot(*zip(*paper, strict=True), "D", color="white", markeredgecolor="black",
                  markersize=5, label="paper, structured SVM")  # fmt: skip
    axes.axhline(100 * PASS, color="black", linewidth=0.8, linestyle="--")
    labels = [label(f"{n} {names[n]}".strip()) for n in numbers]
    axes.set_xticks(range(len(numbers)), labels, rotation=60, ha="right", fontsize=8)
    axes.set_ylim(0, 105)
    axes.set_ylabel("accuracy (%)")
    figure.legend(loc="outside upper right", ncols=len(runs) + 1, frameon=False, fontsize=8)


def draw_seconds(figure: Any, run: Run) -> None:
    """Draw the seconds of every stage and task, one beside the other."""
    figure.set_size_inches(7.0, 1.2 + 0.26 * len(run.tasks))
    axes = figure.subplots()
    start = [0.0] * len(run.tasks)
    for stage, number in STAGES.items():
        seconds = [task.seconds.get(stage, 0.0) for task in run.tasks]
        axes.barh(range(len(start)), seconds, left=start, color=COLOURS[number - 1], label=stage)
        start = [a + b for a, b in zip(start, seconds, strict=True)]
    labels = [label(f"{task.task} {task.name}".strip()) for task in run.tasks]
    axes.set_yticks(range(len(labels)), labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel(f"seconds ({label(run.name)})")
    axes.legend(frameon=False)


def draw_ablation(figure: Any, ablation: Ablation) -> None:
    """Draw what each group is worth: means as bars, tasks as ticks."""
    kinds = [kind for kind in KINDS if any(delta.kind == kind for delta in ablation.deltas)]
    most = max([sum(delta.kind == kind for delta in ablation.deltas) for kind in kinds] or [1])
    figure.set_size_inches(6.5 * max(len(kinds), 1), 1.2 + 0.5 * most)
    for axes, kind in zip(
        figure.subplots(1, max(len(kinds), 1), squeeze=False)[0], kinds, strict=False
    ):
        deltas = [delta for delta in ablation.deltas if delta.kind == kind]
        for place, delta in enumerate(deltas):
            for shift, value, what, colour in (
                (-0.19, delta.mean, "answers", COLOURS[0]), (0.19, delta.support, "facts", COLOURS[1]),
            ):  # fmt: skip
                named = what if place == 0 else None
                axes.barh(place + shift, 100 * (value or 0.0), 0.38, color=colour, label=named)
            ticks = [100 * value for _, value in delta.tasks]
            axes.plot(ticks, [place - 0.19] * len(ticks), "|", color="black", alpha=0.5)
        axes.set_yticks(range(len(deltas)), [label(delta.group) for delta in deltas])
        axes.invert_yaxis()
        axes.margins(x=0.08)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set_xlabel("points of accuracy (bars: mean, ticks: tasks)")
        axes.set_title(KINDS[kind], fontsize=10)
        axes.legend(frameon=False)


def draw_curves(figure: Any, points: Sequence[Point]) -> None:
    """Draw accuracy over the number of training questions, one panel a task."""
    tasks = sorted({point.task for point in points})
    systems = sorted({point.system for point in points})
    columns = min(5, len(tasks))
    rows = -(-len(tasks) // columns)
    figure.set_size_inches(max(4.0, 2.4 * columns), 0.6 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).flat
    for axes, task in zip(panels, tasks, strict=False):
        for place, system in enumerate(systems):
            by_size: dict[int, list[float]] = {}
            for point in points:
                if (point.system, point.task) == (system, task):
                    by_size.setdefault(max(point.n_train, 1), []).append(100 * point.accuracy)
            line = [(size, mean(shares)) for size, shares in sorted(by_size.items())]
            if line:
                axes.plot(*zip(*line, strict=True), "o-", markersize=3, label=label(system),
                          color=COLOURS[place % len(COLOURS)])  # fmt: skip
        axes.set_xscale("log")
        axes.axhline(100 * PASS, color="black", linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 105)
        axes.set_title(f"task {task}", fontsize=9)
    for axes in list(panels)[len(tasks) :]:
        axes.set_visible(False)
    handles = [*figure.axes[0].lines[: len(systems)]]
    figure.legend(
        handles,
        list(map(label, systems)),
        loc="outside upper right",
        ncols=len(systems),
        frameon=False,
        fontsize=8,
    )


def _save(draw: Draw, folder: Path, name: str) -> list[Path]:
    """Write a drawing in all forms, each in one piece or not at all."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    written = []
    with rc_context({"svg.hashsalt": "babi-cascade"}):
        figure = Figure(layout="constrained")
        draw(figure)
        for ending, options in FORMS.items():
            path = folder / f"{name}{ending}"
            try:
                with drafted(path) as draft:
                    figure.savefig(draft, format=ending[1:], **options)
            except OSError as error:
                raise ReportError(f"{path}: cannot be written: {error.strerror}") from error
            except ValueError as error:  # more tasks or systems than a picture has room for
                raise ReportError(f"{path}: cannot be drawn: {error}") from error
            written.append(path)
    return written


def _plain(name: str) -> str:
    """Return a name that can be part of a file's."""
    return "".join(c if c.isalnum() else "-" for c in name).strip("-") or "run"
