"""What a comparison found: plain values, the cells of a table, and the remarks below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from babi_cascade.pipeline.stories.wording import counted

SAME, CLOSE, NOISE, DIFFERENT = "same", "close", "noise", "DIFFERENT"
"""The verdicts.

same: within threshold and noise; close: beyond noise but within the threshold; noise: beyond the
threshold, but a sample of that size differs so much by chance; DIFFERENT: neither, or forms that
only one side has.
"""

COLUMNS = (
    "task",
    "measure",
    "distance",
    "interval",
    "noise limit",
    "verdict",
    "largest difference",
)


@dataclass(frozen=True, slots=True)
class FidelitySettings:
    """All that can change a result, besides the files and the rules of the simulator."""

    language: str
    questions: int
    seed: int
    threshold: float
    confidence: float
    resamples: int


@dataclass(frozen=True, slots=True)
class Difference:
    """A category and its shares."""

    category: str
    real: float
    simulated: float


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of one task.

    `interval` holds 95 % of the bootstrap distances, corrected for noise; `noise_limit` is the
    distance that chance alone stays under with the chosen confidence; `differences` are the
    categories that differ most.
    """

    task: int
    measure: str
    distance: float
    interval: tuple[float, float]
    noise_limit: float
    verdict: str
    differences: tuple[Difference, ...]

    @property
    def failed(self) -> bool:
        """Whether the simulation is not true to the data here."""
        return self.verdict == DIFFERENT

    @property
    def detail(self) -> str:
        """The category that differs most, for a person to read."""
        if not self.differences or not self.distance:
            return ""
        return shown(self.differences[0])


@dataclass(frozen=True, slots=True)
class FormDifference:
    """A form that one side has and the other lacks.

    `missing` forms are in the real data and never simulated; the others are simulated and not in
    the real data. `chance` is how likely the other sample lacks the form only because it is small.
    """

    task: int
    measure: str
    form: str
    missing: bool
    count: int
    stories: int
    chance: float
    failed: bool
    example: str


@dataclass(frozen=True, slots=True)
class TaskFidelity:
    """The comparison of one task."""

    number: int
    name: str
    file: str
    split: str
    real_stories: int
    real_questions: int
    simulated_stories: int
    simulated_questions: int
    rows: tuple[Row, ...]
    forms: tuple[FormDifference, ...]

    @property
    def failed(self) -> bool:
        """Whether any measure of the task failed."""
        return any(row.failed for row in self.rows)


@dataclass(frozen=True, slots=True)
class FidelityReport:
    """The comparison of all tasks; `notes` say what was left out, and why."""

    settings: FidelitySettings
    tasks: tuple[TaskFidelity, ...]
    notes: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """All measures of all tasks."""
        return tuple(row for task in self.tasks for row in task.rows)

    @property
    def failures(self) -> tuple[Row, ...]:
        """The measures that failed."""
        return tuple(row for row in self.rows if row.failed)

    @property
    def passed(self) -> bool:
        """Whether the simulation is true to the data in every measure."""
        return not self.failures

    def to_json(self) -> dict[str, Any]:
        """Give everything as plain values that json can write."""
        return {
            "passed": self.passed,
            "settings": asdict(self.settings),
            "notes": list(self.notes),
            "tasks": [
                {**asdict(task), "passed": not task.failed, "interval_level": INTERVAL_LEVEL}
                for task in self.tasks
            ],
        }


INTERVAL_LEVEL = 0.95


def shown(difference: Difference) -> str:
    """Return a difference for a person to read."""
    return (
        f"{difference.category}: real {difference.real:.1%}, simulated {difference.simulated:.1%}"
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
