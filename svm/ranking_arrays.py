"""What the kernels of ranking problems read."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Ints, Longs


class RankingArrays(NamedTuple):
    """One argument for every kernel; see RankingExamples for the shapes."""

    first: Longs
    counts: Ints
    classes: Ints
    own_ptr: Longs
    own_ids: Ints
    context_first: Longs
    context_count: Ints
    context_ids: Ints
    n_own: int
    n_classes: int
