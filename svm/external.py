"""Other people's learners for the same problems: a second opinion on the optimum.

All have ``fit(problem)`` and leave ``coef_`` and the exact ``primal_`` of those weights. Each package is
imported where it is used; a missing one is named together with the command that gets it.
"""

from __future__ import annotations

import importlib.util
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from babi_cascade.svm.arrays import Floats
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.pystruct_shim import learners

DLIB = "pip install -c constraints.txt dlib-bin"


class ExternalLearner(ABC):
    """What the learners of other packages have in common.

    ``tolerance`` is an absolute distance from the optimal objective, as these packages ask for it;
    ``max_iter`` means passes or cutting planes; ``watch(w)`` is called with the weights at hand
    after each of them and may raise KeyboardInterrupt to stop.
    """

    name = ""

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        tolerance: float = 1e-3,
        max_iter: int = 10_000,
        seed: int = 0,
        watch: Callable[[Floats], None] | None = None,
    ) -> None:
        self.C = C
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.seed = seed
        self.watch = watch

    def check(self) -> None:
        """Say now what is missing and how to get it, rather than after other work."""
        learners()

    def fit(self, problem: Problem) -> ExternalLearner:
        """Learn weights; the primal is computed by our own exact search."""
        self.coef_: Floats = np.ascontiguousarray(self._solve(problem), np.float64)
        self.primal_ = primal_objective(problem, self.coef_, self.C)
        return self

    @abstractmethod
    def _solve(self, problem: Problem) -> Floats:
        """Let the package find the weights."""

    def _logger(self) -> Callable[[Any, Any], None] | None:
        """pystruct's loggers get the learner after each iteration."""
        watch = self.watch
        if watch is None:
            return None
        return lambda learner, iteration: None if iteration == "final" else watch(learner.w)


class PystructOneSlack(ExternalLearner):
    """pystruct's cutting planes with one slack variable."""

    name = "pystruct-oneslack"

    def _solve(self, problem: Problem) -> Floats:
        # its tolerance is for the mean slack, which C and the number of examples multiply
        tolerance = self.tolerance / (self.C * problem.n_examples)
        solver = learners().OneSlackSSVM(
            problem, C=self.C, tol=tolerance, max_iter=self.max_iter, logger=self._logger()
        )
        return _weights(solver.fit(*problem.training_data()))


class PystructFrankWolfe(ExternalLearner):
    """pystruct's block-coordinate Frank-Wolfe with averaging."""

    name = "pystruct-frankwolfe"

    def _solve(self, problem: Problem) -> Floats:
        solver = learners().FrankWolfeSSVM(
            problem,
            C=self.C,
            tol=self.tolerance,
            max_iter=self.max_iter,
            random_state=self.seed,
            logger=self._logger(),
        )
        return _weights(solver.fit(*problem.training_data()))


class PystructSubgradient(ExternalLearner):
    """pystruct's stochastic subgradient descent; it has no gap, so it runs a number of passes."""

    name = "pystruct-subgradient"

    def _solve(self, problem: Problem) -> Floats:
        solver = learners().SubgradientSSVM(
            problem, C=self.C, max_iter=min(self.max_iter, 200), logger=self._logger()
        )
        return _weights(solver.fit(*problem.training_data()))


class DlibLearner(ExternalLearner):
    """dlib's cutting planes with a cache of labels, in C++; only the search is ours."""

    name = "dlib"

    def check(self) -> None:
        """Say now if dlib is missing."""
        if importlib.util.find_spec("dlib") is None:
            raise SvmError(f"the learner dlib needs dlib; get it with: {DLIB}")

    def _solve(self, problem: Problem) -> Floats:
        try:
            import dlib
        except ImportError:
            raise SvmError(f"the learner dlib needs dlib; get it with: {DLIB}") from None
        weights = dlib.solve_structural_svm_problem(_DlibProblem(problem, self, dlib))
        return np.array(weights, np.float64)


class _DlibProblem:
    """The attributes and methods that dlib's solver asks for. Its C is for the mean loss."""

    def __init__(self, problem: Problem, learner: ExternalLearner, dlib: Any) -> None:
        self._problem = problem
        self._learner = learner
        self._dlib = dlib
        self.num_samples = problem.n_examples
        self.num_dimensions = problem.size_joint_feature
        self.C = learner.C * problem.n_examples
        self.epsilon = learner.tolerance / self.C
        self.max_iterations = learner.max_iter

    def get_truth_joint_feature_vector(self, i: int) -> Any:
        return self._sparse(i, self._problem.gold(i))

    def separation_oracle(self, i: int, current: Any) -> tuple[float, Any]:
        w = np.asarray(current, np.float64).reshape(-1)
        if i == 0 and self._learner.watch is not None:
            self._learner.watch(w)
        label, _ = self._problem.loss_augmented_search(i, w)
        loss = float(self._problem.losses(i, label[None])[0])
        return loss, self._sparse(i, label)

    def _sparse(self, i: int, label: Any) -> Any:
        _, ids = self._problem.features(i, label[None])
        found, counts = np.unique(ids, return_counts=True)
        vector = self._dlib.sparse_vector()
        pairs = zip(found.tolist(), counts.tolist(), strict=True)
        vector.extend([self._dlib.pair(f, float(count)) for f, count in pairs])
        return vector


LEARNERS: dict[str, type[ExternalLearner]] = {
    learner.name: learner
    for learner in (PystructOneSlack, PystructFrankWolfe, PystructSubgradient, DlibLearner)
}


def external_learner(name: str, **settings: Any) -> ExternalLearner:
    """A learner by its name."""
    if name not in LEARNERS:
        raise SvmError(f"no learner {name!r}; there are {', '.join(LEARNERS)}")
    return LEARNERS[name](**settings)


def primal_objective(problem: Problem, w: Floats, C: float) -> float:  # noqa: N803
    """½|w|² + C Σ max (loss − w · difference), by exact search."""
    value = 0.5 * float(w @ w) + C * problem.hinge(w)
    return value if math.isfinite(value) else math.inf


def _weights(solver: Any) -> Floats:
    return np.array(solver.w, np.float64)
