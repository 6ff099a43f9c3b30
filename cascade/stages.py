"""The two stages of the cascade: each an encoder of features and a trained structured SVM."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.training import FitOptions, Fitted, fit_problem
from babi_cascade.features.answer import AnswerEncoder
from babi_cascade.features.group import AttributeGroup, DifferenceGroup
from babi_cascade.features.question_words import QuestionWords
from babi_cascade.features.support import SupportEncoder
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.ranking import RankingProblem
from babi_cascade.svm.tuples import TupleProblem

Named = tuple[str, str, float]
"""A feature's group, the feature in words, its weight."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Positions of the chosen facts in order, their score, and the distance of the runner-up."""

    positions: tuple[int, ...]
    score: float = 0.0
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The best answer, its score, and the distance of the runner-up; None if none is known."""

    answer: str | None
    score: float
    margin: float | None


class Stage:
    """What both stages have: weights, and how they were found."""

    encoder: Any
    fitted_: Fitted

    @property
    def cost_(self) -> float:
        """The C that was chosen."""
        return self.fitted_.cost

    @property
    def gap_(self) -> float:
        """The certified relative duality gap: how far the weights are from the best, at most."""
        return self.fitted_.gap

    @property
    def converged_(self) -> bool:
        """Whether the gap that was asked for was reached."""
        return self.fitted_.converged

    @property
    def seconds_(self) -> float:
        """How long choosing C and fitting took; 0 for a model that was loaded."""
        return self.fitted_.seconds

    @property
    def n_features_(self) -> int:
        """How many weights are not zero."""
        return int(np.count_nonzero(self.fitted_.weights))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model file."""
        return {"weights": self.fitted_.weights}

    def to_json(self) -> dict[str, Any]:
        """Return the rest of the model file."""
        return {"encoder": self.encoder.to_json(), "fit": self.fitted_.to_json()}

    def restore(self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved stage."""
        self.encoder.restore(record["encoder"])
        self.fitted_ = Fitted.from_json(record["fit"], arrays["weights"])

    def _best(self, problem: Problem) -> tuple[NDArray[np.int32], Any, list[float | None]]:
        """Labels, scores and margins of all examples."""
        every = np.arange(problem.n_examples, dtype=np.int64)
        weights = self.fitted_.weights
        labels, scores = problem.search_batch(every, weights)
        _, seconds = problem.search_batch(every, weights, exclude=labels)
        margins = [
            float(score - second) if np.isfinite(second) else None
            for score, second in zip(scores, seconds, strict=True)
        ]
        return labels, scores, margins

    def _second(self, problem: Problem) -> Choice | None:
        """Return the second best label of a problem with one example, None if there is none."""
        (label,), (score,) = problem.runner_up(self.fitted_.weights)
        if not np.isfinite(score):
            return None
        return Choice(tuple(int(i) for i in label if i >= 0), float(score))

    def _weights_of(self, problem: Problem, label: Sequence[int]) -> list[tuple[int, float]]:
        _, ids = problem.features(0, np.array([label], dtype=np.int32))
        return [(int(i), float(self.fitted_.weights[i])) for i in ids]


class SelectingStage(Stage, ABC):
    """What the stages that select supporting facts have in common, whatever their features and search."""

    @abstractmethod
    def problem(self, read: Sequence[ReadQuestion]) -> Problem:
        """Return the selection of facts for these questions as a structured problem."""

    def fit(self, read: Sequence[ReadQuestion], options: FitOptions) -> SelectingStage:
        """Learn from questions with known support; C by how often exactly the true facts are found."""
        self.encoder.fit(read)
        self.fitted_ = fit_problem(self.problem(read), story_numbers(read), options, "support")
        return self

    def predict(self, read: Sequence[ReadQuestion]) -> list[Choice]:
        """Return the facts of every question."""
        if not read:
            return []
        labels, scores, margins = self._best(self.problem(read))
        return [
            Choice(tuple(int(i) for i in label if i >= 0), float(score), margin)
            for label, score, margin in zip(labels, scores, margins, strict=True)
        ]

    def runner_up(self, asked: ReadQuestion) -> Choice | None:
        """Return the second best choice of facts."""
        return self._second(self.problem([asked]))

    def gold(self, read: Sequence[ReadQuestion]) -> list[Choice]:
        """Return the true facts, cut as in training."""
        return [Choice(tuple(i for i in self.encoder.label(asked) if i >= 0)) for asked in read]

    def explain(self, asked: ReadQuestion, positions: Sequence[int]) -> list[Named]:
        """Return every feature of a choice of facts with its weight."""
        problem = self.problem([asked])
        label = [*positions, *[-1] * (problem.label_length - len(positions))]
        return [
            (*self.encoder.explain(i), weight) for i, weight in self._weights_of(problem, label)
        ]


class SupportStage(SelectingStage):
    """Selects up to three supporting facts."""

    encoder: SupportEncoder

    def __init__(
        self, groups: Mapping[str, AttributeGroup | DifferenceGroup], max_facts: int
    ) -> None:
        self.encoder = SupportEncoder(groups, max_facts)

    def problem(self, read: Sequence[ReadQuestion]) -> TupleProblem:
        """Return the choice of a tuple."""
        return TupleProblem(self.encoder.encode(read))


class AnswerStage(Stage):
    """Ranks the answers that were met in training."""

    encoder: AnswerEncoder

    def __init__(self, groups: Mapping[str, AttributeGroup | QuestionWords]) -> None:
        self.encoder = AnswerEncoder(groups)

    def fit(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]], options: FitOptions
    ) -> AnswerStage:
        """Learn from questions with known answers and the facts they rest on."""
        self.encoder.fit(read, supports)
        problem = RankingProblem(self.encoder.encode(read, supports))
        self.fitted_ = fit_problem(problem, story_numbers(read), options, "answer")
        return self

    def predict(
        self, read: Sequence[ReadQuestion], supports: Sequence[Sequence[int]]
    ) -> list[Answer]:
        """Return the best answer to every question, given the facts."""
        if not read:
            return []
        problem = RankingProblem(self.encoder.encode(read, supports))
        labels, scores, margins = self._best(problem)
        return [
            Answer(self.encoder.answers_[label[0]], float(score), margin)
            for label, score, margin in zip(labels, scores, margins, strict=True)
        ]

    def explain(
        self, asked: ReadQuestion, positions: Sequence[int], answer: str | None
    ) -> list[Named]:
        """Return every feature of an answer with its weight."""
        if answer not in self.encoder.answers_:
            return []
        problem = RankingProblem(self.encoder.encode([asked], [positions]))
        label = [self.encoder.answers_.index(answer)]
        return [
            (*self.encoder.explain(i), weight) for i, weight in self._weights_of(problem, label)
        ]

    def candidates(
        self, asked: ReadQuestion, positions: Sequence[int]
    ) -> list[tuple[str, float, str]]:
        """Return every answer with its score, the best first."""
        problem = RankingProblem(self.encoder.encode([asked], [positions]))
        n = len(self.encoder.answers_)
        labels = np.arange(n, dtype=np.int32)[:, None]
        ptr, ids = problem.features_batch(np.zeros(n, np.int64), labels)
        weights = self.fitted_.weights
        scores = [float(weights[ids[a:b]].sum()) for a, b in pairwise(ptr)]
        found = [
            (answer, score, "") for answer, score in zip(self.encoder.answers_, scores, strict=True)
        ]
        return sorted(found, key=lambda each: (-each[1], each[0]))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of the model file."""
        return {**super().arrays(), "codes": self.encoder.codes_}

    def restore(self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take over a saved stage."""
        self.encoder.restore(record["encoder"], arrays["codes"])
        self.fitted_ = Fitted.from_json(record["fit"], arrays["weights"])


def story_numbers(read: Sequence[ReadQuestion]) -> NDArray[np.int64]:
    """Return for every question which story it belongs to."""
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(id(asked.story), len(numbers)) for asked in read])
