"""`compare`: the paper's Table 3, every system trained and tested on every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.grid import Grid, carry_out
from babi_cascade.app.experiments.others import GivenPredictions
from babi_cascade.app.experiments.plan import OpenPlan, Training
from babi_cascade.app.experiments.plans.curve import Curve, CurvePlan
from babi_cascade.app.experiments.systems import System
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS, Figure, TaskResult, mean
from babi_cascade.app.results.table import Table
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.saving import replacing

JOINT = "joint"
"""What the paper's table calls its last column, and what follows the name of a system trained jointly."""

PAPER_COLUMNS = {
    "ngram": "ngram",
    "lstm": "lstm",
    "cascade-paper": "svm",
    "cascade-paper-plus": "svm",
    "memnn": "memnn",
    "memnn-am": "am",
    "memnn-am-ng": "am_ng",
    "memnn-am-nl": "am_nl",
    "memnn-am-ng-nl": "am_ng_nl",
    f"memnn-am-ng-nl {JOINT}": JOINT,
}
"""Which column of Table 3 stands beside ours; the others have none."""

PAPER_MEANS = {"memnn-am-multilinear": 93.0}
"""What the paper reports of a system that is not in the table, over all tasks (A.2.2)."""

FOR_95 = "questions for 95 %"
LEGEND = "accuracy in percent; in brackets the paper's; a task fails under 95 %"


@dataclass(frozen=True, slots=True)
class Comparison(Table):
    """Results by system; ``curve`` is there if the training-size column was asked for."""

    curve: Curve | None = None

    command: ClassVar[str] = "compare"
    file: ClassVar[str] = "compare.json"
    axis: ClassVar[str] = "system"

    @property
    def beside(self) -> tuple[Table, ...]:
        """The curve, if there is one."""
        return () if self.curve is None else (self.curve,)

    def fit_cpu_seconds(self, column: str) -> float | None:
        """Return the seconds of the processor that training took, all tasks and seeds together.

        None of a system that was trained elsewhere.
        """
        found = [
            result.fit_cpu_seconds for task in self.numbers for result in self.found(column, task)
        ]
        known = [seconds for seconds in found if seconds is not None]
        return sum(known) if known or not found else None

    def paper_accuracy(self, column: str, task: int) -> float | None:
        """Return the paper's figure in percent."""
        paper = PAPER_COLUMNS.get(column)
        return None if paper is None else paper_table().accuracy(task, paper)

    def paper_mean(self, column: str) -> float | None:
        """Return the mean of the paper's figures for these tasks, in percent."""
        paper = PAPER_COLUMNS.get(column)
        if paper is not None:
            return paper_table().mean(self.numbers, paper)
        every = set(paper_table().columns[JOINT])
        return PAPER_MEANS.get(column) if every == set(self.numbers) else None

    def paper_failed(self, column: str) -> list[int] | None:
        """Return the tasks that the paper's system fails."""
        paper = PAPER_COLUMNS.get(column)
        return None if paper is None else paper_table().failed_tasks(self.numbers, paper)

    def agreeing(self, column: str) -> int | None:
        """Return for how many tasks we and the paper pass, or fail, alike."""
        theirs = self.paper_failed(column)
        if theirs is None:
            return None
        done = [task for task in self.numbers if self.accuracy(column, task) is not None]
        known = [task for task in done if self.paper_accuracy(column, task) is not None]
        return sum((task in self.failed(column)) == (task in theirs) for task in known)

    def extra(self, column: str, result: TaskResult) -> dict[str, Any]:
        """Return the paper's figure."""
        return {"paper_accuracy": self.paper_accuracy(column, result.task)}

    def summary(self) -> dict[str, Any]:
        """Return what every system comes to."""
        return {
            "systems": [self._summary(column) for column in self.columns],
            "questions_for_95": None
            if self.curve is None
            else {str(task): self.curve.needed(task) for task in self.numbers},
        }

    def _summary(self, column: str) -> dict[str, Any]:
        figure = self.mean_accuracy(column)
        supports = [self.support_accuracy(column, task) for task in self.numbers]
        seconds = self.fit_cpu_seconds(column)
        return {
            "system": column,
            "mean_accuracy": None if figure is None else figure.mean,
            "deviation": None if figure is None else figure.deviation,
            "mean_support_accuracy": mean(each.mean for each in supports if each is not None),
            "failed_tasks": self.failed(column),
            "paper_mean_accuracy": self.paper_mean(column),
            "paper_failed_tasks": self.paper_failed(column),
            "agreeing_tasks": self.agreeing(column),
            "fit_cpu_seconds": None if seconds is None else round(seconds, 1),
        }

    def save(self, folder: Path) -> None:
        """Write the records, and the table as a page can show it; what is passed stands in bold."""
        Table.save(self, folder)
        names = ["task", *self.columns]
        if self.curve is not None:
            names.append(f"{FOR_95} ({self.curve.system})")
        lines = [names, ["---", *("---:" for _ in names[1:])]]
        for task, name in self.tasks:
            cells = [cell(self, column, task, bold="**") for column in self.columns]
            lines.append([f"{task} {escaped(name)}", *cells, *size_cell(self, task)])
        for title, row in summary_rows(self):
            lines.append([title, *row, *([""] if self.curve is not None else [])])
        with replacing((folder / self.file).with_suffix(".md")) as stream:
            for line in lines:
                stream.write("| " + " | ".join(line) + " |\n")
            stream.write(f"\n{LEGEND[0].upper()}{LEGEND[1:]}. Data: {escaped(self.data)}.\n")


@dataclass(slots=True)
class ComparisonPlan(OpenPlan[Comparison]):
    """Systems by tasks and seeds.

    Parameters
    ----------
    chosen : the systems, a column each
    seeds : train with each of them
    together : a system that is also trained on all tasks at once
    sizes_of : the learning curves that are measured too, in a folder of their own
    """

    chosen: tuple[System, ...]
    seeds: tuple[int, ...] = (0,)
    together: System | None = None
    sizes_of: CurvePlan | None = None
    _curve: Curve | None = field(default=None, init=False)

    table: ClassVar[type[Any]] = Comparison
    compared: ClassVar[str] = "systems"

    @property
    def systems(self) -> tuple[System, ...]:
        """All of them."""
        joint = () if self.together is None else (self.together,)
        return (*self.chosen, *joint, *(() if self.sizes_of is None else self.sizes_of.systems))

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return what is to be trained, a column of the table after the other."""
        made = []
        for each in self.chosen:
            system = each.placed(tasks) if isinstance(each, GivenPredictions) else each
            for seed in self.seeds:
                for task in tasks:
                    name = f"{system.name}.qa{task.task}.seed{seed}"
                    keys = (((system.name, task.task, seed),),)
                    made.append(Training(name, system.seeded(seed), (task.task,), (name,), keys))
        for seed in self.seeds if self.together is not None else ():
            assert self.together is not None
            name, column = f"{self.together.name}.{JOINT}", f"{self.together.name} {JOINT}"
            made.append(
                Training(
                    f"{name}.seed{seed}", self.together.seeded(seed),
                    tuple(task.task for task in tasks),
                    tuple(f"{name}.qa{task.task}.seed{seed}" for task in tasks),
                    tuple(((column, task.task, seed),) for task in tasks), joint=True,
                )
            )  # fmt: skip
        return made

    @property
    def members(self) -> tuple[str, ...]:
        """The systems, without the joint one."""
        return tuple(system.name for system in self.chosen)

    def prepare(self, grid: Grid) -> None:
        """Measure the curves first: what their folder refuses is told before any other work."""
        if self.sizes_of is not None:
            (system,) = self.sizes_of.systems
            reader = grid.reader if system.reads else None
            own = replace(grid, out=grid.out / f"curve-{system.name}", reader=reader)
            self._curve = carry_out(self.sizes_of, own)

    @property
    def columns(self) -> tuple[str, ...]:
        """The systems, and the joint one at the end."""
        joint = () if self.together is None else (f"{self.together.name} {JOINT}",)
        return (*(system.name for system in self.chosen), *joint)

    def beside(self, tasks: Sequence[TaskData]) -> dict[str, Any]:
        """Return the curves."""
        return {"curve": self._curve}


def cell(result: Comparison, column: str, task: int, *, bold: str = "") -> str:
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
        seconds = result.fit_cpu_seconds(column)
        times.append("" if seconds is None else f"{seconds / 60:.1f}")
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
