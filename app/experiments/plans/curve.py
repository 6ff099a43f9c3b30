"""`curve`: the same test questions after training on more and more stories.

A unit is a task, a size and a seed; the seed draws the stories and is the learner's too. A sample has whole
stories, and a smaller one is part of every larger one.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.plan import Plan, Training
from babi_cascade.app.experiments.systems import System
from babi_cascade.app.results.paper import paper_table
from babi_cascade.app.results.records import PASS
from babi_cascade.app.results.table import Table
from babi_cascade.comparison.texts import story_numbers
from babi_cascade.errors import UserError

SIZES = (25, 50, 100, 250, 500, 1000)
"""The sizes of the paper's column are among them."""


@dataclass(frozen=True, slots=True)
class Curve(Table):
    """Results by size.

    ``available`` says how many training questions each task has; a size beyond has the result of all of them.
    """

    system: str = ""
    available: Mapping[int, int] = field(default_factory=dict)

    command: ClassVar[str] = "curve"
    file: ClassVar[str] = "curve.json"
    axis: ClassVar[str] = "size"

    @property
    def sizes(self) -> list[int]:
        """The columns as numbers."""
        return [int(column) for column in self.columns]

    def place(self, column: str, task: int, seed: int) -> str:
        """Return what a unit is called that failed."""
        return f"task {task} with {column} questions, seed {seed}"

    def passed(self, size: int) -> int:
        """Return how many tasks reach 95 % with so many questions."""
        found = [self.accuracy(str(size), task) for task in self.numbers]
        return sum(figure is not None and figure.mean >= PASS for figure in found)

    def needed(self, task: int) -> int | None:
        """Return the smallest number of training questions with 95 %, None if no size is enough."""
        for size in self.sizes:
            figure = self.accuracy(str(size), task)
            if figure is not None and figure.mean >= PASS:
                return min(size, self.available[task])
        return None

    def summary(self) -> dict[str, Any]:
        """Return what every size comes to, and what is enough for every task."""
        return {
            "system": self.system,
            "sizes": [
                {
                    "size": size,
                    "mean_accuracy": None if figure is None else figure.mean,
                    "deviation": None if figure is None else figure.deviation,
                    "passed": self.passed(size),
                }
                for size in self.sizes
                for figure in [self.mean_accuracy(str(size))]
            ],
            "questions_for_95": {str(task): self.needed(task) for task in self.numbers},
            "paper_questions_for_95": {str(t): paper_table().sizes.get(t) for t in self.numbers},
        }


@dataclass(frozen=True, slots=True)
class CurvePlan(Plan[Curve]):
    """One system, trained on at most so many questions in whole stories, once for every seed."""

    system: System
    sizes: tuple[int, ...] = SIZES
    seeds: tuple[int, ...] = (0,)

    table: ClassVar[type[Any]] = Curve
    varies: ClassVar[tuple[str, ...]] = ("size", "seed")

    @property
    def systems(self) -> tuple[System, ...]:
        """The one system."""
        return (self.system,)

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return one training a task, seed and sample; sizes with the very same questions share one."""
        made = []
        for task in tasks:
            for seed in self.seeds:
                sizes_of: dict[tuple[int, ...], list[int]] = {}
                for size, sample in nested_samples(task, sorted(self.sizes), seed).items():
                    sizes_of.setdefault(sample, []).append(size)
                for sample, sizes in sizes_of.items():
                    name = f"qa{task.task}.{sizes[0]}.seed{seed}"
                    keys = tuple((str(size), task.task, seed) for size in sizes)
                    made.append(
                        Training(
                            name, self.system.seeded(seed), (task.task,), (name,), (keys,),
                            own={"size": sizes[0]}, sample=sample,
                        )
                    )  # fmt: skip
        return made

    @property
    def columns(self) -> tuple[str, ...]:
        """The sizes."""
        return tuple(str(size) for size in sorted(self.sizes))

    def beside(self, tasks: Sequence[TaskData]) -> dict[str, Any]:
        """Return which system it is, and how many questions there are."""
        available = {task.task: len(task.train) for task in tasks}
        return {"system": self.system.name, "available": available}


def nested_samples(task: TaskData, sizes: Sequence[int], seed: int) -> dict[int, tuple[int, ...]]:
    """Return for each size the places of the training questions, in the order of the file.

    Stories are drawn in one order for all sizes; as many of them are taken as have no more questions
    together than the size says. A size beyond all questions takes all.
    """
    stories: dict[int, list[int]] = {}
    for place, story in enumerate(story_numbers(task.train).tolist()):
        stories.setdefault(story, []).append(place)
    drawn = list(stories.values())
    random.Random(seed).shuffle(drawn)
    samples = {}
    for size in sizes:
        taken: list[int] = []
        for places in drawn:
            if len(taken) + len(places) > size:
                break
            taken += places
        if not taken:
            raise UserError(
                f"--sizes: {size} is less than the {len(drawn[0])} questions of a story of task "
                f"{task.task}; stories are taken whole"
            )
        samples[size] = tuple(sorted(taken))
    return samples


def sizes_in(text: str) -> tuple[int, ...]:
    """Read sizes separated by commas; they come back once each, in order."""
    try:
        sizes = sorted({int(part) for part in text.split(",") if part.strip()})
    except ValueError:
        sizes = []
    if not sizes or sizes[0] < 1:
        raise UserError(f"--sizes: found {text!r}, expected numbers from 1 such as 25,50,100")
    return tuple(sizes)
