"""What the paper reports: its Table 3, which ships in ``data/paper``."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from babi_cascade.app.results.records import PASS, mean

SVM = "svm"
SIZES = "questions_for_95"
_NO_ACCURACY = ("task", "name", SIZES)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Accuracy in percent by system and task.

    ``sizes`` are the training questions that the best memory network needs for 95 %, None where 1000 are not
    enough.
    """

    columns: Mapping[str, Mapping[int, float]]
    sizes: Mapping[int, int | None] = field(default_factory=dict)

    def accuracy(self, task: int, system: str = SVM) -> float | None:
        """Return the figure of a task in percent, None for a task that the paper does not have."""
        return self.columns[system].get(task)

    def mean(self, tasks: Iterable[int], system: str = SVM) -> float | None:
        """Return the mean over some tasks in percent, leaving out those the paper does not have."""
        column = self.columns[system]
        return mean(column[task] for task in tasks if task in column)

    def failed_tasks(self, tasks: Iterable[int], system: str = SVM) -> list[int]:
        """Return those of some tasks that the system does not solve."""
        column = self.columns[system]
        return [task for task in tasks if task in column and column[task] < 100 * PASS]


@cache
def paper_table() -> PaperTable:
    """Read the table."""
    text = (resources.files("babi_cascade.data") / "paper" / "table3.csv").read_text(
        encoding="utf-8"
    )
    rows = [row for row in csv.DictReader(text.splitlines()) if row["task"].isdecimal()]
    systems = [name for name in rows[0] if name not in _NO_ACCURACY]
    columns = {system: {int(row["task"]): float(row[system]) for row in rows} for system in systems}
    sizes = {int(row["task"]): int(row[SIZES]) if row[SIZES].isdecimal() else None for row in rows}
    return PaperTable(columns, sizes)
