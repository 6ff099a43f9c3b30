"""The N-gram classifier of section 5.

A bag of N-grams of all sentences of the story that share at least one word with the question, and a linear
classifier over the answers met in training. The question's own words are no features: the paper names only
the sentences. Supporting facts are not used.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC

from babi_cascade.cascade.prediction import Prediction
from babi_cascade.cascade.tables import ARRAYS, Tables, packed_tables
from babi_cascade.cascade.training import held_out
from babi_cascade.comparison.system import (
    System,
    check_shapes,
    check_training,
    story_numbers,
    texts_of,
)
from babi_cascade.comparison.words import ngrams, words
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.given import questions_in

Matrix = Any
"""A sparse matrix of scipy, which has no types."""


class NGramClassifier(System):
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
    finds_facts = False

    answers_: list[str]
    vocabulary_: dict[str, int]
    weights_: NDArray[np.float64]
    intercepts_: NDArray[np.float64]
    cost_: float

    def __init__(
        self, *, longest: int = 3, costs: Sequence[float] = (0.001, 0.01, 0.1, 1.0, 10.0),
        seed: int = 0, progress: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        self.longest = longest
        self.costs = costs
        self.seed = seed
        self.progress = progress

    def fit(self, questions: Sequence[Question]) -> NGramClassifier:
        """Learn from questions with known answers."""
        questions = check_training(questions, support=False)
        if self.longest < 1 or not self.costs or min(self.costs) <= 0:
            raise UserError(
                f"found longest={self.longest!r}, costs={self.costs!r}; expected N-grams of at least "
                "one word and one or more costs above 0"
            )
        bags = [bag_of_ngrams(asked, self.longest) for asked in questions]
        self.vocabulary_ = {gram: i for i, gram in enumerate(sorted(set().union(*bags)))}
        self.answers_ = sorted({asked.answer for asked in questions if asked.answer is not None})
        place = {answer: i for i, answer in enumerate(self.answers_)}
        target = np.array([place[asked.answer or ""] for asked in questions])
        features = self._matrix(bags)
        self.cost_ = self._choose_cost(features, target, story_numbers(questions))
        self.weights_, self.intercepts_ = self._learn(features, target, self.cost_)
        return self

    def predict(self, questions: Sequence[Question]) -> list[Prediction]:
        """Answer questions; this system chooses no facts."""
        questions = questions_in(questions, "predict")
        if not questions:
            return []
        bags = [bag_of_ngrams(asked, self.longest) for asked in questions]
        scores = np.asarray(self._matrix(bags) @ self.weights_.T) + self.intercepts_
        found = []
        for asked, row in zip(questions, scores, strict=True):
            best = int(np.argmax(row))
            others = np.delete(row, best)
            margin = float(row[best] - others.max()) if len(others) else None
            answer, score = self.answers_[best], float(row[best])
            found.append(Prediction(answer, score=score, margin=margin, id=asked.id))
        return found

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
            warnings.simplefilter(
                "ignore"
            )  # not converged: the held-out stories judge what was reached
            learner.fit(features, target)
        rows, constants = learner.coef_, learner.intercept_
        if len(seen) == 2:  # one row that tells the second class from the first
            rows, constants = np.vstack([-rows, rows]), np.concatenate([-constants, constants])
        weights[seen], intercepts[seen] = rows, constants
        return weights, intercepts

    def _matrix(self, bags: Sequence[Counter[str]]) -> Matrix:
        """Return counts, a row a bag; N-grams never met in training are left out."""
        known = self.vocabulary_
        entries = [
            (row, known[gram], count)
            for row, bag in enumerate(bags)
            for gram, count in bag.items()
            if gram in known
        ]
        table = np.array(entries, dtype=np.int32).reshape(-1, 3)  # liblinear wants 32 bits
        shape = (len(bags), len(known))
        return csr_array((table[:, 2].astype(np.float64), (table[:, 0], table[:, 1])), shape=shape)

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        told, tables = packed_tables({"ngrams": zip(self.vocabulary_)})
        meta = {"answers": self.answers_, "cost": self.cost_, **told}
        return meta, {"weights": self.weights_, "intercepts": self.intercepts_, **tables}

    def _restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        tables = Tables(meta, {name: arrays[name] for name in ARRAYS}, ("ngrams",))
        tables.check("ngrams", 1, 1)
        self.answers_ = texts_of(meta["answers"])
        n = len(self.answers_)
        check_shapes(arrays, {"weights": (n, tables.count("ngrams")), "intercepts": (n,)})
        self.vocabulary_ = {row[0]: i for i, row in enumerate(tables.rows("ngrams"))}
        self.cost_ = float(meta["cost"])
        self.weights_, self.intercepts_ = arrays["weights"], arrays["intercepts"]


def bag_of_ngrams(asked: Question, longest: int) -> Counter[str]:
    """Count the N-grams of the sentences that share at least one word with the question."""
    wanted = set(words(asked.text))
    bag: Counter[str] = Counter()
    for fact in asked.facts:
        found = words(fact.text)
        if wanted.intersection(found):
            bag.update(ngrams(found, longest))
    return bag
