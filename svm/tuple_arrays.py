"""What the kernels of tuple problems read: the examples as flat arrays and a few sizes."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Ints, Longs

# The pairs of sentences that features look at, in the order of their blocks of weights.
X_F1, X_F2, X_F3, F1_F2, F2_F3, F1_F3 = range(6)
N_PAIRS = 6


class TupleArrays(NamedTuple):
    """One argument for every kernel; numba reads its fields as if they were local variables.

    A feature of attributes p and q of one group has the id
    ``pair * block + row_start[p] + q``: row_start already holds the group's base and offset.
    """

    attribute_ptr: Longs
    attribute_ids: Ints
    attribute_group: Ints  # [attributes]
    row_start: Longs  # [attributes]
    n_groups: int
    content_ptr: Longs
    content_ids: Ints
    n_content: int
    difference_ptr: Longs
    difference_ids: Ints
    reach: int  # differences beyond ± reach fall into one row each
    story_facts: Ints
    fact_start: Longs
    n_facts: Ints
    question: Ints
    max_facts: int
    bilinear: int  # weights of all attribute pairs of one pair of sentences
    block: (
        int  # weights of one pair of sentences; the weights "slot k is empty" follow the six blocks
    )
