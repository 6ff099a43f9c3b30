"""The heat map of a comparison: tasks by systems, our figure above the paper's."""

from __future__ import annotations

from pathlib import Path

from babi_cascade.app.experiments.compare_table import Comparison
from babi_cascade.app.experiments.curve_plot import save_figure
from babi_cascade.app.experiments.plot import label
from babi_cascade.app.results.records import PASS


def save_heat_map(result: Comparison, path: Path) -> None:
    """Draw a square a task and system, the greener the better; the mean is the last row."""
    from matplotlib.figure import Figure

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
    figure = Figure(
        figsize=(3.2 + 0.95 * len(result.columns), 2.2 + 0.42 * len(rows)), layout="constrained"
    )
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
        range(len(result.columns)), [label(column.name) for column in result.columns], rotation=40,
        ha="right",
    )  # fmt: skip
    panel.set_yticks(
        range(len(rows)), [name if task is None else f"{task} {label(name)}" for task, name in rows]
    )
    panel.set_title(f"accuracy (%), the paper's in brackets: {label(result.data)}", fontsize=9)
    figure.colorbar(image, ax=panel, shrink=0.6)
    save_figure(figure, path)
