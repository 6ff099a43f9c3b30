"""Working sets of planes: what a learner remembers of each example, and how it starts again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from svm.arrays import Floats, Ints, Longs
from svm.errors import SvmError
from svm.problem import Problem


@dataclass(frozen=True, slots=True)
class WorkingSets:
    """Labels with their multipliers: a point of the dual that fits in little memory.

    Labels of example i are rows first[i] … first[i+1] - 1, gold first; their multipliers sum to C.
    """

    C: float
    first: Longs
    labels: Ints
    multipliers: Floats

    def scaled(self, C: float) -> WorkingSets:  # noqa: N803
        """The same point for another C: a start from which little is left to do."""
        return WorkingSets(C, self.first, self.labels, self.multipliers * (C / self.C))


def only_gold(problem: Problem, C: float) -> WorkingSets:  # noqa: N803
    """The start from nothing: w = 0."""
    n = problem.n_examples
    gold = problem.gold_batch(np.arange(n, dtype=np.int64))
    return WorkingSets(C, np.arange(n + 1, dtype=np.int64), gold, np.full(n, C))


class Workshop:
    """Planes of all examples of one problem, ready for the kernels, and the weights they make."""

    def __init__(self, problem: Problem, start: WorkingSets) -> None:
        from svm.plane_kernels import Planes, weights_of

        if len(start.first) != problem.n_examples + 1:
            raise SvmError(
                f"the start has working sets for {len(start.first) - 1} examples,"
                f" the problem has {problem.n_examples}"
            )
        self._problem = problem
        self._counts = np.zeros(problem.size_joint_feature, np.int32)
        self._step = np.zeros(problem.size_joint_feature)
        self._rest = np.zeros(problem.n_examples, np.int32)
        owners = np.repeat(np.arange(problem.n_examples, dtype=np.int64), np.diff(start.first))
        ptr, ids = self._differences(owners, start.labels)
        self.planes = Planes(
            start.first.astype(np.int64),
            ptr,
            ids,
            problem.losses_batch(owners, start.labels),
            start.multipliers.copy(),
            start.labels.astype(np.int32),
            np.zeros(len(owners), np.int32),
        )
        self.w: Floats = weights_of(self.planes, problem.size_joint_feature)

    def violations(self, examples: Longs, w: Floats) -> tuple[Ints, Floats]:
        """The most violating label of each example and by how much: max of loss - w · difference."""
        from svm.plane_kernels import sum_rows

        gold = self._problem.gold_batch(examples)
        labels, scores = self._problem.search_batch(examples, w, gold=gold)
        ptr, ids = self._problem.features_batch(examples, gold)
        return labels, scores - sum_rows(ptr, ids, w)

    def add(self, examples: Longs, labels: Ints, patience: int) -> int:
        """Put labels into the working sets; returns how many were new."""
        from svm.plane_kernels import add_planes

        ptr, ids = self._differences(examples, labels)
        losses = self._problem.losses_batch(examples, labels)
        self.planes, fresh = add_planes(self.planes, examples, ptr, ids, losses, labels, patience)
        return fresh

    def ascend(self, order: Longs, passes: int, enough: float) -> tuple[int, float]:
        """Cached passes over the working sets; see :func:`svm.plane_kernels.cached_passes`."""
        from svm.plane_kernels import cached_passes

        return cached_passes(self.planes, self.w, order, passes, enough, self._rest, self._step)

    def refresh(self) -> None:
        """Compute w from the multipliers again, free of what rounding has added up."""
        from svm.plane_kernels import weights_of

        self.w = weights_of(self.planes, self._problem.size_joint_feature)

    def dual(self) -> float:
        """Value of the dual: a lower bound of the primal at any weights."""
        return float(self.planes.losses @ self.planes.alphas) - 0.5 * float(self.w @ self.w)

    def working_sets(self, C: float) -> WorkingSets:  # noqa: N803
        """The planes that carry weight, as labels."""
        p = self.planes
        keep = p.alphas > 0.0
        keep[p.first[:-1]] = True
        counts = np.add.reduceat(keep.astype(np.int64), p.first[:-1]) if len(keep) else keep
        first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return WorkingSets(C, first, p.labels[keep], p.alphas[keep])

    def _differences(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        from svm.plane_kernels import signed_differences

        gold_ptr, gold_ids = self._problem.features_batch(
            examples, self._problem.gold_batch(examples)
        )
        ptr, ids = self._problem.features_batch(examples, labels)
        return signed_differences(gold_ptr, gold_ids, ptr, ids, self._counts)
