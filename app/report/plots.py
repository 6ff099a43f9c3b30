"""All plots: those of a report as PNG and SVG, and the picture that a command leaves beside its table.

matplotlib is imported here, when something is drawn, and nowhere else.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.app.report.charts import KINDS, STAGES
from babi_cascade.app.report.folders import (
    AblationRun,
    Found,
    Point,
    Run,
    learning_curves,
    task_names,
)
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.saving import drafted

if TYPE_CHECKING:
    from babi_cascade.app.experiments import Comparison

Draw = Callable[[Any], None]
"""Draws into a figure."""

GET_PLOTS = "pip install -c constraints.txt '.[plots]'"
COLOURS = ("#2f6fbf", "#c7751b", "#23855c", "#8a4fb0", "#b23a5e", "#5b6670")
FORMS: dict[str, dict[str, Any]] = {
    ".png": {"dpi": 150, "metadata": {"Software": None}},
    ".svg": {"metadata": {"Date": None, "Creator": None}},
}
"""Without program and date in the files the same results give the same bytes."""


def label(text: str) -> str:
    """Return a name as it can stand in a picture: nothing hidden, and no formula begins at a dollar."""
    return escaped(text).replace("$", r"\$")


def can_draw() -> bool:
    """Tell whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


def check_plots(hint: str = "") -> None:
    """Say now rather than after hours of other work that nothing can be drawn."""
    if not can_draw():
        raise UserError(f"plots need matplotlib; get it with: {GET_PLOTS}{hint}")


def save_picture(draw: Draw, path: Path) -> None:
    """Draw one picture beside the table of a command."""
    _save(draw, path.parent, path.stem, (path.suffix,))


def save_plots(found: Found, folder: Path) -> list[Path]:
    """Draw everything there is something for; return the files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: cannot write plots there: {error.strerror}") from error
    written = []
    for name, draw in _drawings(found):
        written += _save(draw, folder, name)
    return written


def _drawings(found: Found) -> Iterator[tuple[str, Draw]]:
    if found.runs:
        yield "accuracy", lambda figure: draw_accuracy(figure, found.runs)
    for run in found.timed:
        name = "seconds" if len(found.timed) == 1 else f"seconds-{_plain(run.name)}"
        yield name, lambda figure, run=run: draw_seconds(figure, run)  # type: ignore[misc]
    for ablation in found.ablations:
        name = "ablation" if len(found.ablations) == 1 else f"ablation-{_plain(ablation.name)}"
        yield name, lambda figure, ablation=ablation: draw_ablation(figure, ablation)  # type: ignore[misc]
    if found.points:
        yield "curves", lambda figure: draw_curves(figure, found.points)


def draw_accuracy(figure: Any, runs: Sequence[Run]) -> None:
    """Draw accuracy by task: bars of the runs, diamonds of the paper's SVM."""
    names = task_names(runs)
    numbers = list(names)
    figure.set_size_inches(max(6.0, 1.2 + 0.42 * len(numbers)), 4.4)
    axes = figure.subplots()
    width = 0.8 / len(runs)
    for place, run in enumerate(runs):
        shift = (place - (len(runs) - 1) / 2) * width
        axes.bar(
            [numbers.index(n) + shift for n in run.accuracy],
            [100 * share for share in run.accuracy.values()], width,
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


def draw_ablation(figure: Any, ablation: AblationRun) -> None:
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
    curves = learning_curves(points)
    systems = sorted({point.system for point in points})
    columns = max(1, min(5, len(curves)))
    rows = max(1, -(-len(curves) // columns))
    figure.set_size_inches(max(4.0, 2.4 * columns), 0.6 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).flat
    for axes, (task, lines) in zip(panels, curves.items(), strict=False):
        for system, line in lines.items():
            axes.plot([n for n, _ in line], [100 * share for _, share in line], "o-", markersize=3,
                      label=label(system), color=COLOURS[systems.index(system) % len(COLOURS)])  # fmt: skip
        axes.set_xscale("log")
        axes.axhline(100 * PASS, color="black", linewidth=0.8, linestyle="--")
        axes.set_ylim(0, 105)
        axes.set_title(f"task {task}", fontsize=9)
    for axes in list(panels)[len(curves) :]:
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


def draw_heat_map(figure: Any, result: Comparison) -> None:
    """Draw a square a task and system, the greener the better; the mean is the last row."""
    rows = [*result.tasks, (None, "mean")]
    table = [
        [
            result.mean_accuracy(column) if task is None else result.accuracy(column, task)
            for column in result.columns
        ]
        for task, _ in rows
    ]
    values = [
        [100 * each.mean if each is not None else float("nan") for each in row] for row in table
    ]
    figure.set_size_inches(3.2 + 0.95 * len(result.columns), 2.2 + 0.42 * len(rows))
    panel = figure.subplots()
    image = panel.imshow(values, cmap="RdYlGn", vmin=0, vmax=100, aspect="auto")
    for y, (task, _) in enumerate(rows):
        for x, column in enumerate(result.columns):
            found = table[y][x]
            paper = (
                result.paper_mean(column) if task is None else result.paper_accuracy(column, task)
            )
            colour = "white" if found is not None and not 0.12 < found.mean < 0.9 else "black"
            if found is not None:
                weight = "bold" if found.mean >= PASS else "normal"
                panel.text(x, y - 0.12, f"{100 * found.mean:.0f}", ha="center", va="center",
                           fontsize=9, fontweight=weight, color=colour)  # fmt: skip
            if paper is not None:
                panel.text(
                    x, y + 0.3, f"({paper:.0f})", ha="center", va="center", fontsize=7, color=colour
                )
    panel.axhline(len(rows) - 1.5, color="black", linewidth=1)
    panel.set_xticks(
        range(len(result.columns)), result.columns, rotation=40,
        ha="right",
    )  # fmt: skip
    panel.set_yticks(
        range(len(rows)), [name if task is None else f"{task} {label(name)}" for task, name in rows]
    )
    panel.set_title(f"accuracy (%), the paper's in brackets: {label(result.data)}", fontsize=9)
    figure.colorbar(image, ax=panel, shrink=0.6)


def _save(draw: Draw, folder: Path, name: str, forms: Sequence[str] = tuple(FORMS)) -> list[Path]:
    """Write a drawing in some forms, each in one piece or not at all."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    written = []
    with rc_context({"svg.hashsalt": "babi-cascade"}):
        figure = Figure(layout="constrained")
        draw(figure)
        for ending in forms:
            path = folder / f"{name}{ending}"
            try:
                with drafted(path) as draft:
                    figure.savefig(draft, format=ending[1:], **FORMS[ending])
            except OSError as error:
                raise UserError(f"{path}: cannot be written: {error.strerror}") from error
            except ValueError as error:  # more tasks or systems than a picture has room for
                raise UserError(f"{path}: cannot be drawn: {error}") from error
            written.append(path)
    return written


def _plain(name: str) -> str:
    """Return a name that can be part of a file's."""
    return "".join(c if c.isalnum() else "-" for c in name).strip("-") or "run"
