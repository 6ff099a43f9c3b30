"""What a comparison found, as the cells of a table and the remarks below it."""

from __future__ import annotations

from collections.abc import Iterator

from babi_cascade.app.fidelity.report import FidelityReport, FormDifference, Row, shown
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
