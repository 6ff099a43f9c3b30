"""Choosing C on training data: fit on some parts, score on the part left out, refit on all.

A single held-out part of a small training set picks bad costs: a few examples decide. Here every part is
held out once, and of costs that do equally well the one with the larger margin on what was held out wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.learner import BlockFrankWolfe
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.working_sets import WorkingSets

# Losses are summed over the examples: below the first, weights hardly leave 0; above the last,
# every example is fitted that can be. The same for every problem.
DEFAULT_GRID = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

Score = Callable[[Ints, Longs], float]


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen C, what each C scored, and the learner fitted on all examples."""

    C: float
    scores: dict[float, float]  # mean over the held-out examples
    margins: dict[
        float, float
    ]  # mean distance of gold from the best other label, for weights of length 1
    n_held_out: int
    learner: BlockFrankWolfe

    @property
    def error(self) -> float:
        """The standard error of the chosen score, as that of a share of independent examples."""
        share = min(max(self.scores[self.C], 0.0), 1.0)
        return float(np.sqrt(share * (1.0 - share) / self.n_held_out))


def choose_C(  # noqa: N802 - the name of the quantity
    problem: Problem,
    held_out: Sequence[npt.ArrayLike],
    *,
    grid: Sequence[float] = DEFAULT_GRID,
    score: Score | None = None,
    learner: BlockFrankWolfe | None = None,
    grid_gap: float = 1e-2,
) -> Choice:
    """Fit along the grid with warm starts, score what is held out, refit the best C on all.

    Parameters
    ----------
    problem : Problem
        All training examples.
    held_out : sequence of index arrays
        One or more folds; examples of one story belong in the same fold. For each, the learner is
        fitted on the other examples and scored on these.
    grid : sequence of float
        Candidates; tried in ascending order, until everything that is held out is right. A plateau is no
        reason to stop: counts in lists are learned all at once, by a large C. Of equal scores the one with
        the largest mean margin wins.
    score : callable, optional
        ``score(predictions, examples)``, higher is better: predicted labels [k, L] and the indices
        of their examples in ``problem``. By default the share of labels that are right entirely.
    learner : BlockFrankWolfe, optional
        Whose settings are used, apart from C.
    grid_gap : float
        Gap of the fits along the grid: they are compared, not kept, and may be rougher than the last.
    """
    settings = (learner or BlockFrankWolfe()).get_params()
    values = sorted(set(grid))
    if not values:
        raise SvmError("the grid of C is empty")
    folds = [_fold(problem, part) for part in held_out]
    if not folds:
        raise SvmError("no examples are held out to choose C on")
    judge = score or _exact(problem)
    n_held_out = sum(len(validation) for _, validation in folds)
    starts: list[WorkingSets | None] = [None] * len(folds)
    scores: dict[float, float] = {}
    margins: dict[float, float] = {}
    for C in values:  # noqa: N806
        rough = {**settings, "C": C, "gap": max(grid_gap, settings["gap"])}
        found, margin = 0.0, 0.0
        for at, (training, validation) in enumerate(folds):
            fitted = BlockFrankWolfe(**rough).fit(problem.subset(training), start=starts[at])
            starts[at] = fitted.planes_
            rest = problem.subset(validation)
            found += len(validation) * judge(rest.predict(fitted.coef_), validation)
            margin += float(np.sum(rest.margins(fitted.coef_)))
        scores[C], margins[C] = found / n_held_out, margin / n_held_out
        if score is None and scores[C] >= 1.0:
            break
    best = max(scores, key=lambda C: (scores[C], margins[C], -C))  # noqa: N803
    fitted = BlockFrankWolfe(**{**settings, "C": best}).fit(problem)
    return Choice(best, scores, margins, n_held_out, fitted)


def _fold(problem: Problem, part: npt.ArrayLike) -> tuple[Longs, Longs]:
    validation = np.unique(np.asarray(part, np.int64))
    if len(validation) and not 0 <= validation[0] <= validation[-1] < problem.n_examples:
        raise SvmError(f"held-out examples must be numbered 0 … {problem.n_examples - 1}")
    training = np.setdiff1d(np.arange(problem.n_examples, dtype=np.int64), validation)
    if not len(validation) or not len(training):
        raise SvmError("every fold needs examples to learn from and examples to score")
    return training, validation


def _exact(problem: Problem) -> Score:
    def share(predictions: Ints, examples: Longs) -> float:
        return float(np.mean(np.all(predictions == problem.gold_batch(examples), axis=1)))

    return share
