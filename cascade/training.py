"""Fit one structured SVM: C chosen by folds of the stories, then everything fitted again with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.settings import OWN
from babi_cascade.svm.problem import Problem

if TYPE_CHECKING:
    from babi_cascade.svm.choose_c import Choice
    from babi_cascade.svm.learner import BlockFrankWolfe

COMPILING = "compiling the search (once for a machine, about half a minute) …"

FOLDS = 5
"""Parts of the training stories that are held out, one after the other, to decide C."""

ENOUGH = 400
"""Once so many examples were held out, the parts that are left need not be: they would hardly tell more."""


@dataclass(frozen=True, slots=True)
class FitOptions:
    """How to fit; see the parameters of Cascade."""

    learner: str = OWN
    cost: float | None = None
    gap: float = 1e-3
    seed: int = 0
    progress: Callable[[str], None] | None = None


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights, the C they were found with, and the certificate.

    ``right`` is the share of ``n_held_out`` held-out examples that were right with this C; where C was given
    or there was nothing to choose on, none were held out.
    ``seconds`` is not kept in files: the same training gives the same bytes. Of a loaded model it is 0.
    """

    weights: NDArray[np.float64]
    cost: float
    gap: float
    converged: bool
    seconds: float = 0.0
    right: float = 0.0
    n_held_out: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return what is kept besides the weights."""
        names = ("cost", "gap", "converged", "right", "n_held_out")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_json(cls, record: Mapping[str, Any], weights: NDArray[np.float64]) -> Fitted:
        """Take over what was saved."""
        return cls(weights, **record)


def fit_problem(
    problem: Problem, stories: NDArray[np.int64], options: FitOptions, name: str
) -> Fitted:
    """Fit a problem; ``stories`` says which story each example comes from, ``name`` is for messages.

    C is chosen with our own learner in any case; another learner is then fitted with it.
    """
    from babi_cascade.svm.choose_c import choose_C
    from babi_cascade.svm.external import external_learner
    from babi_cascade.svm.learner import BlockFrankWolfe, Progress

    def told(now: Progress) -> None:
        if options.progress is not None:
            options.progress(f"{name}: pass {now.passes}, duality gap {100 * now.gap:.2g} %")

    if options.learner != OWN:
        external_learner(options.learner).check()  # what is wrong is told now, not after the work
    begun = time.perf_counter()
    learner = BlockFrankWolfe(gap=options.gap, seed=options.seed, progress=told)
    parts = deciding_folds(stories, options.seed)
    right, n_held_out = 0.0, 0
    with _compilation_told(options.progress):
        if options.cost is not None:
            learner.set_params(C=options.cost).fit(problem)
        elif not parts:  # a single question: nothing to choose on
            learner.fit(problem)
        else:
            choice = choose_C(problem, parts, learner=learner)
            learner = choice.learner
            right, n_held_out = choice.scores[choice.C], choice.n_held_out
            if options.progress is not None:
                options.progress(f"{name}: {_chosen(choice)}")
    if options.learner != OWN:
        fitted = _fit_external(problem, options, learner, begun)
        return replace(fitted, right=right, n_held_out=n_held_out)
    seconds = time.perf_counter() - begun
    return Fitted(
        learner.coef_, learner.C, learner.gap_, learner.converged_, seconds, right, n_held_out
    )


@contextmanager
def _compilation_told(progress: Callable[[str], None] | None) -> Iterator[None]:
    """Tell once if machine code has to be made: nothing else moves until it is there."""
    if progress is None:
        yield
        return
    from numba.core import event

    told: list[str] = []

    tell = progress

    class Compilation(event.Listener):
        def on_start(self, event: Any) -> None:
            if not told:
                told.append(COMPILING)
                tell(COMPILING)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Compilation()):
        yield


def _fit_external(
    problem: Problem, options: FitOptions, own: BlockFrankWolfe, begun: float
) -> Fitted:
    """Fit with another package's learner; our dual bound certifies its weights."""
    from babi_cascade.svm.external import external_learner

    tolerance = options.gap * max(own.primal_, 1e-12)
    other = external_learner(options.learner, C=own.C, tolerance=tolerance, seed=options.seed)
    other.fit(problem)
    gap = (other.primal_ - own.dual_) / max(other.primal_, 1e-12)
    seconds = time.perf_counter() - begun
    return Fitted(other.coef_, own.C, gap, gap <= 2 * options.gap, seconds)


def _chosen(choice: Choice) -> str:
    """Say which C was chosen, and how sure that was."""
    right = f"{100 * choice.scores[choice.C]:.1f} ± {100 * choice.error:.1f} %"
    others = [C for C in choice.scores if choice.C != C]
    said = f"C {choice.C:g}: {right} of {choice.n_held_out} held out right"
    if not others:
        return f"{said}, no other was tried"
    next_best = max(others, key=lambda C: (choice.scores[C], choice.margins[C]))  # noqa: N803
    return f"{said}; next best {next_best:g}: {100 * choice.scores[next_best]:.1f} %"


def folds(stories: NDArray[np.int64], seed: int, n_folds: int = FOLDS) -> list[NDArray[np.int64]]:
    """Split examples by whole stories (by questions where there is one story); none if impossible."""
    keys = stories if len(np.unique(stories)) > 1 else np.arange(len(stories))
    every = np.random.default_rng(seed).permutation(np.unique(keys))
    if len(every) < 2:
        return []
    parts = np.array_split(every, min(n_folds, len(every)))
    return [np.flatnonzero(np.isin(keys, part)) for part in parts]


def deciding_folds(stories: NDArray[np.int64], seed: int) -> list[NDArray[np.int64]]:
    """Return the folds that decide C: as many as hold out enough examples."""
    parts = folds(stories, seed)
    before = np.cumsum([0, *map(len, parts)])
    return [part for part, n in zip(parts, before, strict=False) if n < ENOUGH]


def held_out(
    stories: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return what is learned from and what decides, the first of the folds; None if impossible."""
    parts = folds(stories, seed)
    if not parts:
        return None
    deciding = parts[0]
    return np.setdiff1d(np.arange(len(stories)), deciding), deciding
