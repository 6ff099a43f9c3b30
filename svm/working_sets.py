"""Working sets of planes: what a learner remembers of each example, and how it starts again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem

PORTION = 64
"""Examples whose features are written out at a time."""


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


class DualState:
    """Planes of all examples of one problem, ready for the kernels, and the weights they make.

    Memory is what the planes need and little else: they grow and shrink where they stand, and what is put
    in comes in small portions.
    """

    def __init__(self, problem: Problem, start: WorkingSets) -> None:
        from babi_cascade.svm.plane_kernels import Planes

        if len(start.first) != problem.n_examples + 1:
            raise SvmError(
                f"the start has working sets for {len(start.first) - 1} examples,"
                f" the problem has {problem.n_examples}"
            )
        self._problem = problem
        self._scratch = np.zeros(problem.size_joint_feature)
        self._rest = np.zeros(problem.n_examples, np.int32)
        owners = np.repeat(np.arange(problem.n_examples, dtype=np.int64), np.diff(start.first))
        self.planes = Planes(  # arrays of its own: those of a kernel cannot grow
            np.array(start.first, np.int64),
            np.zeros(len(owners) + 1, np.int64),
            np.empty(0, np.int32),
            np.array(problem.losses_batch(owners, start.labels)),
            np.array(start.multipliers),
            np.array(start.labels, np.int32),
        )
        for part in _portions(len(owners)):
            ptr, ids = self._differences(owners[part], start.labels[part])
            size = len(self.planes.ids)
            self.planes.ptr[part.start + 1 : part.start + len(ptr)] = size + ptr[1:]
            self.planes.ids.resize(size + len(ids), refcheck=False)
            self.planes.ids[size:] = ids
        self.w: Floats = np.empty(problem.size_joint_feature)
        self.refresh()

    def violations(self, examples: Longs, w: Floats) -> tuple[Ints, Floats]:
        """The most violating label of each example and by how much: max of loss - w · difference."""
        from babi_cascade.svm.plane_kernels import sum_rows

        gold = self._problem.gold_batch(examples)
        labels, values = self._problem.search_batch(examples, w, gold=gold)
        for part in _portions(len(examples)):
            ptr, ids = self._problem.features_batch(examples[part], gold[part])
            values[part] -= sum_rows(ptr, ids, w)
        return labels, values

    def drop_idle(self) -> None:
        """Let go of the planes that carry no weight: a search finds them again if they are worth it.

        To keep them longer costs memory and, on most problems, more time than it saves.
        """
        from babi_cascade.svm.plane_kernels import drop_idle

        self._resize(*drop_idle(self.planes))

    def add(self, examples: Longs, labels: Ints) -> int:
        """Put labels into the working sets, one for each of the (different) examples.

        A label that is already there is not added again. Returns how many were new.
        """
        from babi_cascade.svm.plane_kernels import find_known

        new = np.flatnonzero(~find_known(self.planes, examples, labels))
        new = new[np.argsort(examples[new])]
        for part in _portions(len(new)):
            self._insert(examples[new[part]], labels[new[part]])
        return len(new)

    def _insert(self, examples: Longs, labels: Ints) -> None:
        from babi_cascade.svm.plane_kernels import insert_planes

        ptr, ids = self._differences(examples, labels)
        planes, size = len(self.planes.losses), len(self.planes.ids)
        self._resize(planes + len(examples), size + len(ids))
        insert_planes(self.planes, planes, size, examples, ptr, ids)
        rows = self.planes.first[examples + 1] - 1
        self.planes.labels[rows] = labels
        self.planes.losses[rows] = self._problem.losses_batch(examples, labels)

    def _resize(self, planes: int, size: int) -> None:
        """Make room for so many planes and ids, in place."""
        p = self.planes
        p.ids.resize(size, refcheck=False)
        p.ptr.resize(planes + 1, refcheck=False)
        for array in (p.losses, p.alphas):
            array.resize(planes, refcheck=False)
        p.labels.resize((planes, p.labels.shape[1]), refcheck=False)

    def ascend(self, order: Longs, passes: int, enough: float) -> tuple[int, float]:
        """Cached passes over the working sets; see :func:`svm.plane_kernels.cached_passes`."""
        from babi_cascade.svm.plane_kernels import cached_passes

        return cached_passes(self.planes, self.w, order, passes, enough, self._rest, self._scratch)

    def average(self, average: Floats, share: float) -> None:
        """Move an average of weights a share of the way to those of now; the whole way is a fresh start."""
        from babi_cascade.svm.plane_kernels import approach

        if share >= 1.0:
            average[:] = self.w
        else:
            approach(average, self.w, share)

    def refresh(self) -> None:
        """Compute w from the multipliers again, free of what rounding has added up."""
        from babi_cascade.svm.plane_kernels import weigh

        weigh(self.planes, self.w)

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
        from babi_cascade.svm.plane_kernels import signed_differences

        gold_ptr, gold_ids = self._problem.features_batch(
            examples, self._problem.gold_batch(examples)
        )
        ptr, ids = self._problem.features_batch(examples, labels)
        return signed_differences(gold_ptr, gold_ids, ptr, ids, self._scratch)


def _portions(n: int) -> list[slice]:
    return [slice(at, at + PORTION) for at in range(0, n, PORTION)]
