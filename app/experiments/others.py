"""The answers of a system that we do not have, a language model say, beside those of the systems we train."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.systems import Hear, Trained, system_names
from babi_cascade.app.results.matching import match
from babi_cascade.app.results.predictions import SavedPrediction, read_predictions
from babi_cascade.app.results.signature import SHORT
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")


@dataclass(frozen=True, slots=True)
class GivenPredictions:
    """A system of which there are predictions only: it learns nothing and says what it has said.

    Parameters
    ----------
    name : what a table calls it
    said : its predictions of all test questions
    """

    name: str
    said: tuple[SavedPrediction, ...]

    reads: ClassVar[bool] = False
    packages: ClassVar[tuple[str, ...]] = ()

    def reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return nothing: its answers are there."""
        return None

    def check(self) -> None:
        """Have nothing that could be missing."""

    def seeded(self, seed: int) -> GivenPredictions:
        """Return itself: what was said was said."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the name, and a fingerprint of what was said."""
        told = repr([(each.id, each.answer, each.support) for each in self.said])
        made = hashlib.sha256(told.encode(errors="backslashreplace")).hexdigest()[:SHORT]
        return {"system": self.name, "parameters": {"predictions": made}}

    def warm_up(self) -> None:
        """Do nothing."""

    def train(self, asked: Sequence[Any], hear: Hear = None) -> Trained:
        """Learn nothing."""
        return Trained(self._answers, any(each.support for each in self.said), here=False)

    def placed(self, tasks: Sequence[TaskData]) -> GivenPredictions:
        """Return the predictions under the ids of the test questions of all tasks."""
        asked = [question for task in tasks for question in task.test]
        ids = {question.id for question in asked}
        # Of other tasks than those that are measured now there may be predictions too.
        own = [each for each in self.said if each.id in ids] or self.said
        try:
            _, found = match(own, asked, advice="--tasks chooses those that it answered")
        except UserError as error:
            raise UserError(f"--predictions {self.name}: {error}") from error
        return replace(
            self,
            said=tuple(
                replace(said, id=question.id or "")
                for said, question in zip(found, asked, strict=True)
            ),
        )

    def _answers(self, questions: Sequence[Question]) -> list[Prediction]:
        by_id = {each.id: each for each in self.said}
        return [
            Prediction(by_id[asked.id or ""].answer, by_id[asked.id or ""].support, id=asked.id)
            for asked in questions
        ]


def given_predictions(told: Sequence[str]) -> tuple[GivenPredictions, ...]:
    """Return systems from texts like ``NAME=FILE``."""
    made: dict[str, GivenPredictions] = {}
    for each in told:
        name, equals, path = each.partition("=")
        if not equals or not path or not _NAME.fullmatch(name):
            raise UserError(
                f"--predictions: found {each!r}, expected NAME=FILE, a name of letters, digits, . _ + -"
            )
        if name in system_names() or name in made:
            raise UserError(
                f"--predictions: there is a system {name} already; give it another name"
            )
        made[name] = GivenPredictions(name, tuple(read_predictions(path, path)))
    return tuple(made.values())
