"""A comparison for a person to read: a table on a terminal, plain lines in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from babi_cascade.app.fidelity.report import (
    CLOSE,
    DIFFERENT,
    NOISE,
    SAME,
    FidelityReport,
    FormDifference,
    Row,
    shown,
)
from babi_cascade.pipeline.stories.wording import counted

COLUMNS = (
    "task",
    "measure",
    "distance",
    "interval",
    "noise limit",
    "verdict",
    "largest difference",
)
RIGHT = ("task", "distance", "noise limit")
STYLES = {SAME: "green", CLOSE: "green", NOISE: "yellow", DIFFERENT: "bold red"}


def show(report: FidelityReport, console: Console, *, failures_only: bool = False) -> None:
    """Print a report: in colour on a terminal, as plain text elsewhere."""
    if not console.is_terminal:
        # Not folded: programs read it line by line.
        plain = Text(plain_text(report, failures_only=failures_only))
        console.print(plain, soft_wrap=True, end="")
        return
    table = Table()
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in RIGHT else "left")
    for row in chosen_rows(report, failures_only):
        *values, verdict, detail = cells(row)
        table.add_row(*values, Text(verdict, STYLES[row.verdict]), Text(detail))
    if table.row_count:
        console.print(table)
    for line in remarks(report):
        console.print(Text(line))


def plain_text(report: FidelityReport, *, failures_only: bool = False) -> str:
    """Return a report as lines of text, the table in columns."""
    rows = [cells(row) for row in chosen_rows(report, failures_only)]
    lines = list(columns([COLUMNS, *rows])) if rows else []
    return "".join(f"{line}\n" for line in (*lines, *remarks(report)))


def chosen_rows(report: FidelityReport, failures_only: bool) -> tuple[Row, ...]:
    """Return the rows to show."""
    return report.failures if failures_only else report.rows


def cells(row: Row) -> tuple[str, ...]:
    """Return the columns of a row."""
    low, high = row.interval
    return (
        str(row.task),
        row.measure,
        f"{row.distance:.3f}",
        f"{low:.3f}-{high:.3f}",
        f"{row.noise_limit:.3f}",
        row.verdict,
        row.detail,
    )


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Align the cells of each column."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = (
            cell.rjust(width) if name in RIGHT else cell.ljust(width)
            for name, cell, width in zip(COLUMNS, row, widths, strict=True)
        )
        yield "  ".join(aligned).rstrip()


def remarks(report: FidelityReport) -> Iterator[str]:
    """Give what stands below the table: what failed and why, then the verdict on the whole."""
    for row in report.failures:
        yield f"task {row.task}, {row.measure}: " + "; ".join(map(shown, row.differences))
    for task in report.tasks:
        yield from map(form_remark, task.forms)
    yield from report.notes
    settings = report.settings
    yield (
        f"{counted(len(report.rows), 'measure')} of {counted(len(report.tasks), 'task')} against "
        f"{settings.questions} simulated questions each (seed {settings.seed}): "
        f"{counted(len(report.failures), 'differs', 'differ')}, by more "
        f"than {settings.threshold:g} and more than chance explains with confidence "
        f"{settings.confidence:g}, or by a form that only one side has"
    )


def form_remark(form: FormDifference) -> str:
    """Return a form that one side lacks, for a person to read."""
    lacking = "never simulated" if form.missing else "not in the real data"
    why = "" if form.failed else f" (by chance: {form.chance:.1%})"
    return (
        f"task {form.task}, {form.measure}: {lacking}{why}: {form.form} "
        f"({counted(form.count, 'time')} in {counted(form.stories, 'story', 'stories')}, such as: "
        f"{form.example})"
    )
