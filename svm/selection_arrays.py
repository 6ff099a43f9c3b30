"""What the kernels of selection problems read: the examples as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Bytes, Ints, Longs

FIRST, SECOND, THIRD, ANY = range(4)
ITEM_BLOCKS = 4
ONE_TWO, TWO_THREE, ONE_THREE, NEXT = range(4)
PAIR_BLOCKS = 4

MISS = 1.0 / 3.0
"""What one wrong slot costs."""


class SelectionArrays(NamedTuple):
    """One argument for every kernel; see SelectionExamples for the shapes."""

    item_ptr: Longs
    item_ids: Ints
    n_item_attributes: int
    pair_ptr: Longs
    pair_ids: Ints
    n_pair_attributes: int
    items: Ints
    item_start: Longs
    n_items: Ints
    pairs: Ints
    pair_start: Longs
    ordered: Bytes
    size_kind: Ints
    sizes: Bytes
