"""What every system that answers questions is to scikit-learn: a classifier of questions.

`cross_val_score`, `GridSearchCV`, `clone` and pipelines work on it. The questions are X; y, where it is
given, are their answers, and stands above those that the questions know themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from babi_cascade.cascade.errors import CascadeError
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.given import questions_in

Own = TypeVar("Own", bound="QuestionAnswerer")


class NotTrainedError(CascadeError, NotFittedError):  # type: ignore[misc]
    """A system is asked before it has learned anything; scikit-learn knows the error too."""


class QuestionAnswerer(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A system that learns from questions and answers others.

    Attributes
    ----------
    classes_ : the answers that `fit` met, in order
    """

    classes_: NDArray[np.str_]

    def fit(self: Own, questions: Sequence[Question], y: Iterable[str] | None = None) -> Own:
        """Learn from questions; ``y`` are their answers, if they are not those that the questions have."""
        known = answered_by(questions_in(questions, "fit"), y)
        self._fit(known)
        self.classes_ = np.unique([asked.answer or "" for asked in known])
        return self

    def predict(self, questions: Sequence[Question]) -> NDArray[np.str_]:
        """Return the answers to questions as an array of texts; `answer` says more about each."""
        found = self._asked_for_answers(questions, "predict")
        return np.array([each.answer or "" for each in found], dtype=str)

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """Answer questions: each answer with its facts, scores and margins."""
        return self._asked_for_answers(questions, "answer")

    def score(
        self,
        questions: Sequence[Question],
        y: Iterable[str] | None = None,
        sample_weight: Sequence[float] | None = None,
    ) -> float:
        """Return the share of questions answered as expected."""
        asked = answered_by(questions_in(questions, "score"), y)
        if not asked:
            return 0.0
        found = self._asked_for_answers(asked, "score")
        right = [p.answer == q.answer for p, q in zip(found, asked, strict=True)]
        return float(np.average(right, weights=sample_weight))

    def _asked_for_answers(self, questions: Sequence[Question], method: str) -> list[Prediction]:
        asked = questions_in(questions, method)
        self._check_trained()
        return self._answer(asked)

    def _check_trained(self) -> None:
        if not any(name.endswith("_") for name in vars(self)):
            raise NotTrainedError(
                f"the {type(self).__name__} is not trained; call fit or load first"
            )

    @abstractmethod
    def _fit(self, questions: list[Question]) -> None:
        """Learn from questions with known answers."""

    @abstractmethod
    def _answer(self, questions: list[Question]) -> list[Prediction]:
        """Answer questions."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = False
        tags.no_validation = True
        return tags


def answered_by(questions: list[Question], y: Iterable[str] | None) -> list[Question]:
    """Return questions with other answers than their own; without ``y`` as they are."""
    if y is None:
        return questions
    answers = list(y)
    if len(answers) != len(questions):
        raise UserError(f"y: found {len(answers)} answers for {len(questions)} questions")
    for place, answer in enumerate(answers, start=1):
        if not isinstance(answer, str):
            raise UserError(
                f"y: element {place}: found {type(answer).__name__} ({answer!r:.60}), expected a text"
            )
    return [
        asked if asked.answer == answer else replace(asked, answer=str(answer))
        for asked, answer in zip(questions, answers, strict=True)
    ]
