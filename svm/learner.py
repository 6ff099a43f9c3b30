"""The learner: block-coordinate Frank-Wolfe with working sets, and a certificate.

It solves  min ½|w|² + C Σ_i max_y [loss_i(y) − w · (ψ_i(gold) − ψ_i(y))]  through its dual
(Lacoste-Julien et al. 2013; the working sets follow Shah et al. 2015 and Osokin et al. 2016).
Searches are dear and steps are cheap, so the most violating label of each example is kept and
used again: between two searches, cached passes move weight from the worst to the best known label of
each example by the exact best step. The gap between primal and dual, both exact, tells when
it is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from babi_cascade.svm.arrays import Floats, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.working_sets import DualState, WorkingSets, only_gold

TINY = 1e-12
STRETCHES = 20  # of cached passes; the average takes the weights at the end of each
SEGMENT = 8  # neighbours are searched together: they may share work


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known after a pass of searches at fixed weights."""

    passes: int
    searches: int
    primal: float  # the lowest so far
    dual: float
    gap: float  # relative
    seconds: float


class BlockFrankWolfe(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Structured SVM by block-coordinate Frank-Wolfe over working sets.

    Parameters
    ----------
    C : float
        Weight of the losses; they are summed over the examples.
    gap : float
        Stop when (primal - dual) / primal is not larger than this.
    max_passes : int
        Passes of searches over all examples, at most; one to begin and one to certify are the least.
    cached_passes : int
        Passes over the working sets between two searches, at most.
    averaging : bool
        Search and certify at the average of the weights of the last cached passes rather than at
        the last ones: its primal is lower and its planes are better. Whichever certified weights
        have the lowest primal are kept.
    seed : int
        Order of the examples. The same seed gives the same weights.
    progress : callable, optional
        Called with a :class:`Progress` after each certified pass.

    Attributes
    ----------
    coef_ : float64 array
        The weights.
    primal_, dual_, gap_ : float
        Objective of ``coef_``, the best lower bound, and their relative distance: the certificate.
    converged_ : bool
        Whether ``gap_`` is as asked. False after Ctrl-C, with the best weights so far.
    n_passes_, n_searches_ : int
        Passes of searches made and searches in all.
    planes_ : WorkingSets
        Labels and multipliers; ``fit(problem, start=planes_)`` starts from them, for any C.
    """

    def __init__(
        self,
        C: float = 1.0,  # noqa: N803
        gap: float = 1e-3,
        max_passes: int = 500,
        cached_passes: int = 300,
        averaging: bool = True,
        seed: int = 0,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self.C = C
        self.gap = gap
        self.max_passes = max_passes
        self.cached_passes = cached_passes
        self.averaging = averaging
        self.seed = seed
        self.progress = progress

    def fit(self, problem: Problem, start: WorkingSets | None = None) -> BlockFrankWolfe:
        """Learn weights, from nothing or from the working sets of an earlier fit."""
        self._check(problem)
        self.coef_: Floats = np.zeros(problem.size_joint_feature)
        self.primal_ = np.inf
        self.dual_ = -np.inf
        self.gap_ = np.inf
        self.converged_ = False
        self.n_passes_ = 0
        self.n_searches_ = 0
        self._began = time.perf_counter()
        state = DualState(
            problem, only_gold(problem, self.C) if start is None else start.scaled(self.C)
        )
        try:
            self._learn(problem, state, warm=start is not None)
        except KeyboardInterrupt:
            self.converged_ = False
        self.planes_ = state.working_sets(self.C)
        return self

    def _learn(self, problem: Problem, state: DualState, warm: bool) -> None:
        everything = np.arange(problem.n_examples, dtype=np.int64)
        rng = np.random.default_rng(self.seed)
        if not warm:
            self._first_pass(state, everything, rng)
        average = np.empty_like(state.w)
        candidate = state.w
        while True:
            slack = self._certify(state, candidate, everything)
            if self._done():
                return
            self._ascend(state, everything, 0.1 * slack, rng, average)
            state.refresh()
            candidate = average if self.averaging else state.w

    def _ascend(
        self,
        state: DualState,
        everything: Longs,
        enough: float,
        rng: np.random.Generator,
        average: Floats,
    ) -> None:
        """Cached passes; ``average`` gets that of the weights on the way, later ones counting more."""
        stretch = max(1, self.cached_passes // STRETCHES)
        for k in range(STRETCHES):
            made, _ = state.ascend(rng.permutation(everything), stretch, enough)
            state.average(average, 2.0 / (k + 2.0))
            if made < stretch:
                break

    def _first_pass(self, state: DualState, everything: Longs, rng: np.random.Generator) -> None:
        """Search in small batches at moving weights: at w = 0 most searches would be wasted."""
        segments = np.array_split(everything, max(1, len(everything) // SEGMENT))
        order = [segments[s] for s in rng.permutation(len(segments))]
        size = max(1, len(order) // 12)
        seen = everything[:0]
        for at in range(0, len(order), size):
            batch = np.concatenate(order[at : at + size])
            state.drop_idle()
            labels, _ = state.violations(batch, state.w)
            self.n_searches_ += len(batch)
            state.add(batch, labels)
            seen = np.concatenate((seen, batch))
            state.ascend(rng.permutation(seen), 2, 0.0)
        self.n_passes_ += 1

    def _certify(self, state: DualState, w: Floats, everything: Longs) -> float:
        """Search every example at fixed weights: the exact primal, and new planes."""
        state.drop_idle()
        labels, values = state.violations(everything, w)
        self.n_searches_ += len(everything)
        self.n_passes_ += 1
        primal = 0.5 * float(w @ w) + self.C * float(np.sum(values))
        dual = state.dual()
        if primal < self.primal_:
            self.primal_ = primal
            self.coef_[:] = w
        self.dual_ = max(self.dual_, dual)
        self.gap_ = (self.primal_ - self.dual_) / max(self.primal_, TINY)
        state.add(everything, labels)
        return primal - dual

    def _done(self) -> bool:
        self.converged_ = self.gap_ <= self.gap
        if self.progress is not None:
            seconds = time.perf_counter() - self._began
            self.progress(
                Progress(
                    self.n_passes_, self.n_searches_, self.primal_, self.dual_, self.gap_, seconds
                )
            )
        return self.converged_ or self.n_passes_ >= self.max_passes

    def _check(self, problem: Problem) -> None:
        if not self.C > 0:
            raise SvmError(f"C must be positive, not {self.C}")
        if not self.gap > 0:
            raise SvmError(f"gap must be positive, not {self.gap}")
        if self.max_passes < 1 or self.cached_passes < 1:
            raise SvmError("max_passes and cached_passes must be at least 1")
        if problem.n_examples < 1:
            raise SvmError("there are no examples to learn from")
        problem.check_gold()
