"""The N-gram classifier of section 5.

A bag of N-grams of all sentences of the story that share at least one word with the question, and a linear
classifier over the answers met in training. The question's own words are no features: the paper names only
the sentences. Supporting facts are not used.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import LinearSVC

from babi_cascade.cascade.tables import ARRAYS, Tables, packed_tables
from babi_cascade.cascade.training import held_out
from babi_cascade.comparison.system import (
    AnswerClassifier,
    check_shapes,
    check_training,
    texts_in,
)
from babi_cascade.comparison.texts import ngrams, story_numbers, words
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question

Matrix = Any
"""A sparse matrix of scipy, which has no types."""


@dataclass(kw_only=True, eq=False, repr=False)
class NGramClassifier(AnswerClassifier):
    """Answers from the bag of N-grams of the sentences that share a word with the question.

    Parameters
    ----------
    longest : N-grams of 1 to so many words
    costs : values of C to choose from on held-out training stories; a single one is taken as it is
    seed : choice of the held-out stories
    progress : gets short texts about what is being done

    Attributes
    ----------
    answers_ : the answers met in training, in the order of the rows of weights_
    vocabulary_ : N-gram to column
    weights_, intercepts_ : one row, one number an answer
    cost_ : the C that was chosen
    """

    kind = "ngram"
    packages = ("scikit-learn", "scipy")

    longest: int = 3
    costs: Sequence[float] = (0.001, 0.01, 0.1, 1.0, 10.0)
    seed: int = 0
    progress: Callable[[str], None] | None = None

    def _fit(self, questions: list[Question]) -> None:
        check_training(questions, support=False)
        if self.longest < 1 or not self.costs or min(self.costs) <= 0:
            raise UserError(
                f"found longest={self.longest!r}, costs={self.costs!r}; expected N-grams of at least "
                "one word and one or more costs above 0"
            )
        grams = (gram for asked in questions for gram in relevant_ngrams(asked, self.longest))
        self.vocabulary_ = {gram: i for i, gram in enumerate(sorted(set(grams)))}
        target = self._number_answers(questions)
        features = self._matrix(questions)
        self.cost_ = self._choose_cost(features, target, story_numbers(questions))
        self.weights_, self.intercepts_ = self._learn(features, target, self.cost_)

    def _scores(self, questions: Sequence[Question]) -> NDArray[np.float64]:
        return np.asarray(self._matrix(questions) @ self.weights_.T) + self.intercepts_

    def _choose_cost(
        self, features: Matrix, target: NDArray[np.int64], stories: NDArray[np.int64]
    ) -> float:
        """Return the smallest C with the most held-out answers right."""
        parts = held_out(stories, self.seed)
        if len(self.costs) == 1 or parts is None:
            return float(self.costs[0])
        train, deciding = parts
        best = (-1.0, 0.0)
        for cost in sorted(self.costs):
            weights, intercepts = self._learn(features[train], target[train], cost)
            scores = features[deciding] @ weights.T + intercepts
            right = float(np.mean(scores.argmax(axis=1) == target[deciding]))
            if self.progress is not None:
                self.progress(f"C {cost:g}: {100 * right:.1f} % of the held-out questions right")
            best = max(best, (right, -cost))
        return -best[1]

    def _learn(
        self, features: Matrix, target: NDArray[np.int64], cost: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return weights and intercepts for every answer; one that is not in ``target`` never wins."""
        weights = np.zeros((len(self.answers_), features.shape[1]))
        intercepts = np.full(len(self.answers_), -np.finfo(np.float32).max, dtype=np.float64)
        seen = np.unique(target)
        if len(seen) == 1:  # a classifier needs two classes
            intercepts[seen] = 0.0
            return weights, intercepts
        # liblinear draws the order of its coordinates: the seed makes the weights the same every time
        learner = LinearSVC(C=cost, random_state=self.seed, max_iter=5000, tol=1e-3)
        with warnings.catch_warnings():
            # not converged: the held-out stories judge what was reached
            warnings.simplefilter("ignore")
            learner.fit(features, target)
        rows, constants = learner.coef_, learner.intercept_
        if len(seen) == 2:  # one row that tells the second class from the first
            rows, constants = np.vstack([-rows, rows]), np.concatenate([-constants, constants])
        weights[seen], intercepts[seen] = rows, constants
        return weights, intercepts

    def _matrix(self, questions: Sequence[Question]) -> Matrix:
        """Return counts, a row a question; N-grams never met in training are left out."""
        if not self.vocabulary_:  # no sentence shares a word with its question
            return csr_array((len(questions), 0))
        counter = CountVectorizer(
            analyzer=partial(relevant_ngrams, longest=self.longest), vocabulary=self.vocabulary_
        )
        return counter.transform(questions).astype(np.float64)

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        told, tables = packed_tables({"ngrams": zip(self.vocabulary_)})
        meta = {"answers": self.answers_, "cost": self.cost_, **told}
        return meta, {"weights": self.weights_, "intercepts": self.intercepts_, **tables}

    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        tables = Tables(meta, {name: arrays[name] for name in ARRAYS}, ("ngrams",))
        tables.check("ngrams", 1, 1)
        self.answers_ = texts_in(meta["answers"])
        n = len(self.answers_)
        check_shapes(arrays, {"weights": (n, tables.count("ngrams")), "intercepts": (n,)})
        self.vocabulary_ = {row[0]: i for i, row in enumerate(tables.rows("ngrams"))}
        self.cost_ = float(meta["cost"])
        self.weights_, self.intercepts_ = arrays["weights"], arrays["intercepts"]


def relevant_ngrams(asked: Question, longest: int) -> Iterator[str]:
    """Yield the N-grams of the sentences that share at least one word with the question."""
    wanted = set(words(asked.text))
    for fact in asked.facts:
        found = words(fact.text)
        if wanted.intersection(found):
            yield from ngrams(found, longest)
