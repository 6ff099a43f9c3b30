"""The plot of learning curves: a line a task, the mean over them, and the questions that are enough."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from babi_cascade.app.experiments.curve_record import Curve
from babi_cascade.app.experiments.plot import label
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS
from babi_cascade.pipeline.stories.saving import drafted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OWN, _PAPER = "#3b6fb6", "#e2a03f"


def save_curve_plot(curve: Curve, path: Path) -> None:
    """Draw accuracy by training questions, and beside it what each task needs for 95 %."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, max(4.5, 1.5 + 0.27 * len(curve.tasks))), layout="constrained")
    lines, bars = figure.subplots(1, 2)
    _draw_lines(curve, lines)
    _draw_needed(curve, bars)
    figure.suptitle(f"{label(curve.system)} ({label(curve.data)})")
    save_figure(figure, path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a picture, all of it or nothing; the same results give the same bytes."""
    with drafted(path) as draft:
        figure.savefig(draft, format="png", dpi=150, metadata={"Software": None})


def _draw_lines(curve: Curve, panel: Axes) -> None:
    from matplotlib import colormaps

    colours = colormaps["tab20"]
    for number, (task, _) in enumerate(curve.tasks):
        points = [
            (min(size, curve.available[task]), 100 * figure.mean)
            for size in curve.sizes
            if (figure := curve.accuracy(task, size)) is not None
        ]
        if points:
            panel.plot(*zip(*points, strict=True), ".-", linewidth=1, alpha=0.8,
                       color=colours(number % 20), label=f"{task}")  # fmt: skip
    largest = max(curve.available.values(), default=1)
    means = [
        (min(size, largest), figure)
        for size in curve.sizes
        if (figure := curve.mean_accuracy(size)) is not None
    ]
    if means:
        panel.errorbar(
            [size for size, _ in means], [100 * figure.mean for _, figure in means],
            yerr=[100 * (figure.deviation or 0.0) for _, figure in means],
            color="black", linewidth=2.5, capsize=3, label="mean",
        )  # fmt: skip
    panel.axhline(100 * PASS, color="black", linestyle=":", linewidth=0.8)
    panel.set_xscale("log")
    panel.set_xticks(curve.sizes, [str(size) for size in curve.sizes], minor=False)
    panel.minorticks_off()
    panel.set_xlabel("training questions")
    panel.set_ylabel("accuracy (%)")
    panel.legend(title="task", ncols=2, fontsize="small", frameon=False)


def _draw_needed(curve: Curve, panel: Axes) -> None:
    """Bars to the size that is enough; a task that no size is enough for has none."""
    papers = [(place, paper_table().sizes.get(task)) for place, (task, _) in enumerate(curve.tasks)]
    known = [(place, size) for place, size in papers if size is not None]
    needed = [curve.needed(task) for task, _ in curve.tasks]
    low = min(curve.sizes) / 2
    for place, size in enumerate(needed):
        if size is None:
            panel.text(low * 1.1, place, "not reached", va="center", fontsize="small")
        else:
            panel.barh(place, size - low, left=low, color=_OWN,
                       label="this run" if size == next(filter(None, needed)) else None)  # fmt: skip
    panel.plot(
        [size for _, size in known], [place for place, _ in known], "D", color=_PAPER,
        label="the paper's MemNN AM+NG+NL",
    )  # fmt: skip
    panel.set_yticks(
        range(len(curve.tasks)), [f"{task} {label(name)}" for task, name in curve.tasks]
    )
    panel.invert_yaxis()
    panel.set_xscale("log")
    panel.set_xlim(left=low)
    panel.set_xticks(curve.sizes, [str(size) for size in curve.sizes], minor=False)
    panel.minorticks_off()
    panel.set_xlabel("training questions for 95 %")
    handles = dict(reversed([*zip(*panel.get_legend_handles_labels()[::-1], strict=True)]))
    panel.legend(handles.values(), handles.keys(), fontsize="small", frameon=False)
