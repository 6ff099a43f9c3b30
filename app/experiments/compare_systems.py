"""The systems that are compared, by name: the cascade with each of its presets, and the paper's others."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.app.experiments.compare_record import Score
from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.reading import ReadTask
from babi_cascade.app.experiments.settings import Settings
from babi_cascade.app.experiments.stopping import stopping_for_good
from babi_cascade.app.experiments.warming import warm_up
from babi_cascade.app.results.scoring import accuracy, support_accuracy
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.comparison import SYSTEMS, ComparisonError, make_system
from babi_cascade.features.registry import PRESETS
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.pipeline.stories import Question

CASCADE = "cascade-"
"""Followed by the name of a preset."""

ALL = "all"
Material = ReadTask | TaskData
"""A task as a system wants it: read, or as it was told."""

Fit = Callable[[Sequence[Any]], object]
Predict = Callable[[Sequence[Any]], list[Prediction]]

PAPER_COLUMNS = {
    "ngram": "ngram",
    "lstm": "lstm",
    "cascade-paper": "svm",
    "memnn": "memnn",
    "memnn-am": "am",
    "memnn-am-ng": "am_ng",
    "memnn-am-nl": "am_nl",
    "memnn-am-ng-nl": "am_ng_nl",
}
"""Which column of Table 3 stands beside a system; the others have none."""

PAPER_MEANS = {"memnn-am-multilinear": 93.0}
"""What the paper reports of a system that is not in the table, over all tasks (A.2.2)."""


def system_names() -> tuple[str, ...]:
    """Return all names, in the order of Table 3: weakly supervised, external resources, memory networks."""
    weak = [name for name in SYSTEMS if not name.startswith("memnn")]
    strong = [name for name in SYSTEMS if name.startswith("memnn")]
    return (*weak, *(CASCADE + preset for preset in PRESETS), *strong)


def default_system() -> str:
    """Return the cascade as `run` runs it."""
    return CASCADE + Settings().preset


def systems_of(text: str, cost: float | None = None) -> tuple[NamedSystem, ...]:
    """Read a list of names separated by commas, or "all"; each system comes once, as first named."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if ALL in names:
        names = [*system_names()]
    if not names:
        raise TrackError(f"system: found none, expected some of {', '.join(system_names())}")
    return tuple(NamedSystem(name, cost) for name in dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A system by its name; ``cost`` is the C of a cascade, None to choose it."""

    name: str
    cost: float | None = None

    @property
    def reads(self) -> bool:
        """Whether the system wants its questions annotated."""
        return self.name.startswith(CASCADE)

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages whose version can change a score, beside those that everything here needs."""
        return () if self.reads else make_system(self.name).packages

    @property
    def paper_column(self) -> str | None:
        """The column of the paper's table, if it has one."""
        return PAPER_COLUMNS.get(self.name)

    @property
    def paper_mean(self) -> float | None:
        """The mean of a system that has no column there."""
        return PAPER_MEANS.get(self.name)

    def check(self) -> None:
        """Say now that a system is not known, or that what it needs is not installed."""
        if self.name not in system_names():
            raise TrackError(
                f"system: found {self.name!r}, expected one of {', '.join(system_names())}"
            )
        if not self.reads:
            try:
                make_system(self.name)
            except ComparisonError as error:
                raise TrackError(str(error)) from error

    def described(self) -> str:
        """Return every parameter that can change a score, but the seed."""
        if self.reads:
            parts = self._settings(0).signature_parts()
        else:
            parts = dict(make_system(self.name).get_params())
        left_out = ("seed", "system", "progress")
        return " ".join(f"{key}={value}" for key, value in parts.items() if key not in left_out)

    def fit_and_score(
        self, tasks: Sequence[Material], seed: int, progress: Callable[[str], None] | None = None
    ) -> list[Score]:
        """Train on the training questions of all tasks and test on each."""
        fit, predict, finds_facts = self._made(seed, progress)
        clock, used = time.perf_counter(), time.process_time()
        fit([asked for task in tasks for asked in task.train])
        clock, used = time.perf_counter() - clock, time.process_time() - used
        total = sum(len(task.train) for task in tasks)
        scores = []
        for task in tasks:
            share = len(task.train) / total  # so that the seconds of a joint model add up
            start = time.perf_counter()
            found = predict(task.test)
            seconds = {
                "annotate": task.seconds if isinstance(task, ReadTask) else 0.0,
                "fit": clock * share,
                "fit_cpu": used * share,
                "predict": time.perf_counter() - start,
            }
            asked = questions_of(task.test)
            facts = support_accuracy(found, asked) if finds_facts else None
            scores.append(
                Score(task.task, task.name, len(task.train), len(asked), accuracy(found, asked),
                      facts, seconds)
            )  # fmt: skip
        return scores

    def _settings(self, seed: int) -> Settings:
        return Settings(preset=self.name.removeprefix(CASCADE), cost=self.cost, seed=seed)

    def _made(self, seed: int, progress: Callable[[str], None] | None) -> tuple[Fit, Predict, bool]:
        """Return what trains, what answers, and whether supporting facts are chosen."""
        if not self.reads:
            other = make_system(self.name, seed=seed, progress=progress)
            return other.fit, other.predict, other.finds_facts
        warm_up()
        cascade = self._settings(seed).estimator()

        def fit(asked: Sequence[Any]) -> None:
            with stopping_for_good():
                cascade.fit_read(asked)

        return fit, cascade.predict_read, True


def questions_of(asked: Sequence[ReadQuestion | Question]) -> list[Question]:
    """Return questions as they were told."""
    return [each.source if isinstance(each, ReadQuestion) else each for each in asked]
