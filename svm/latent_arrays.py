"""What the kernels of the log-linear model with a hidden choice read."""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Ints, Longs

SLOTS = 3


class LatentArrays(NamedTuple):
    """One argument for every kernel; CSR rows are ``ptr`` and ``ids``."""

    # choices
    first: Longs  # [E + 1] choices of example e: first[e] … first[e + 1] - 1
    choices: Ints  # [C, 3] items in order, -1 at the end
    given: Ints  # [E] which choice is known to be true, counted from first[e]; -1 for none
    item_case: Ints
    item_start: Longs  # [E]
    pair_case: Ints
    pair_start: Longs  # [E]
    n_items: Ints  # [E]
    item_ptr: Longs
    item_ids: Ints
    pair_ptr: Longs
    pair_ids: Ints
    n_item_attributes: int
    n_pair_attributes: int
    # answers
    told: Ints  # [as item_case] which telling each item is, beside this example
    kind: Ints  # [E] kind of the example
    part_first: Longs  # [E + 1] parts of the answer of example e
    part_row: Ints  # [parts] what is looked for: which rows of the tables below
    true: Ints  # [parts] text
    n_part_rows: int
    base_ptr: Longs  # [kinds * 4 * n_part_rows + 1] contexts by kind and number of items
    base_ids: Ints
    told_ptr: Longs  # [tellings * 3 * n_part_rows + 1] contexts of a telling in a slot
    told_ids: Ints
    next_ptr: Longs  # [pair cases * 2 * n_part_rows + 1] contexts of two items in neighbouring slots
    next_ids: Ints
    copy_ptr: Longs  # [tellings * 3 + 1] texts that a telling names in a slot, with an attribute each
    copy_texts: Ints
    copy_ids: Ints
    asked_ptr: Longs  # [E + 1] attributes of texts that the example itself names
    asked_texts: Ints
    asked_ids: Ints
    nowhere: int  # attribute of a text that no chosen item names; -1 for none
    known_ptr: Longs  # [kinds * n_part_rows + 1] texts that are always candidates
    known_texts: Ints
    n_copies: int
    n_classes: int  # texts 0 … n_classes - 1 are known answers, with weights for every context
    n_texts: int
