"""The table of a comparison as cells, and as markdown and CSV files."""

from __future__ import annotations

import csv
from pathlib import Path

from babi_cascade.app.experiments.compare_record import Figure
from babi_cascade.app.experiments.compare_table import Column, Comparison
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.saving import replacing

FOR_95 = "questions for 95 %"
LEGEND = "accuracy in percent; in brackets the paper's; a task fails under 95 %"


def save_csv(result: Comparison, path: Path) -> None:
    """Write one line a system, task and seed."""
    with replacing(path) as stream:
        writer = csv.DictWriter(stream, _COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(result.rows())


def save_markdown(result: Comparison, path: Path) -> None:
    """Write the table as a page can show it; what is passed stands in bold."""
    names = ["task", *(column.name for column in result.columns)]
    if result.curve is not None:
        names.append(f"{FOR_95} ({result.curve.system})")
    lines = [names, ["---", *("---:" for _ in names[1:])]]
    for task, name in result.tasks:
        cells = [cell(result, column, task, bold="**") for column in result.columns]
        lines.append([f"{task} {escaped(name)}", *cells, *size_cell(result, task)])
    for title, row in summary_rows(result):
        lines.append([title, *row, *([""] if result.curve is not None else [])])
    with replacing(path) as stream:
        for line in lines:
            stream.write("| " + " | ".join(line) + " |\n")
        stream.write(f"\n{LEGEND[0].upper()}{LEGEND[1:]}. Data: {escaped(result.data)}.\n")


def cell(result: Comparison, column: Column, task: int, *, bold: str = "") -> str:
    """Return the figure of a task, with the paper's in brackets."""
    figure = result.accuracy(column, task)
    text = shown(figure)
    if figure is not None and figure.mean >= PASS:
        text = f"{bold}{text}{bold}"
    return text + bracketed(result.paper_accuracy(column, task))


def size_cell(result: Comparison, task: int) -> list[str]:
    """Return the cell of the training-size column, if there is one."""
    if result.curve is None:
        return []
    own, sizes = result.curve.needed(task), paper_table().sizes
    paper = f" ({sizes[task] or 'FAIL'})" if task in sizes else ""
    return [f"{own or 'FAIL'}{paper}"]


def summary_rows(result: Comparison) -> list[tuple[str, list[str]]]:
    """Return mean, failed tasks, agreement with the paper and training time of every column."""
    means, failed, alike, times = [], [], [], []
    for column in result.columns:
        means.append(shown(result.mean_accuracy(column)) + bracketed(result.paper_mean(column)))
        theirs = result.paper_failed(column)
        others = "" if theirs is None else f" ({len(theirs)})"
        failed.append(f"{len(result.failed(column))}{others}")
        same = result.agreeing(column)
        alike.append("" if same is None else str(same))
        times.append(f"{result.fit_cpu_seconds(column) / 60:.1f}")
    return [
        ("mean", means),
        ("failed tasks", failed),
        ("passed or failed as in the paper", alike),
        ("training, CPU minutes", times),
    ]


def shown(figure: Figure | None) -> str:
    """Return a figure, or that there is none."""
    return "-" if figure is None else str(figure)


def bracketed(percent: float | None) -> str:
    """Return the paper's figure."""
    return "" if percent is None else f" ({percent:.0f})"


_COLUMNS = (
    "system", "task", "name", "seed", "n_train", "n_test", "accuracy", "support_accuracy",
    "paper_accuracy", "fit_seconds", "fit_cpu_seconds",
)  # fmt: skip
