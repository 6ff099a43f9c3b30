"""What the kernels of the log-linear model with a hidden choice read.

A *row* is what one thing in one place adds: a list of attributes. Choices that have a thing in common have
its row in common, so an example lists its rows once, and its choices point to them.
"""

from __future__ import annotations

from typing import NamedTuple

from babi_cascade.svm.arrays import Ints, Longs


class LatentArrays(NamedTuple):
    """One argument for every kernel; ``ptr`` and ``ids`` are CSR rows.

    ``score_…`` is about how probable a choice is, ``target_…`` about what it answers.
    """

    # Choices of example e: first[e] … first[e + 1] - 1.
    first: Longs  # [E + 1]
    sizes: Ints  # [C] items of a choice
    given: Ints  # [E] which choice is known to be true, counted from first[e]; -1 for none
    score_places: Ints  # [C, P] rows of a choice, counted from score_first[e]; -1 for none
    score_first: Longs  # [E + 1]
    score_rows: Ints  # rows that the choices of an example have
    score_ptr: Longs
    score_ids: Ints
    target_places: Ints  # [C, Q], as score_places
    target_first: Longs  # [E + 1]
    target_rows: Ints
    context_ptr: (
        Longs  # [rows * parts + 1] contexts of a row, by what part of the answer is looked for
    )
    context_ids: Ints
    copy_ptr: Longs  # [rows + 1] texts that a row names, and an attribute of each; -1 for none
    copy_texts: Ints
    copy_ids: Ints
    known_ptr: Longs  # [kinds * parts + 1] texts that are candidates whatever is chosen
    known_texts: Ints
    asked_ptr: Longs  # [E + 1] attributes of texts that the example itself names
    asked_texts: Ints
    asked_ids: Ints
    kinds: Ints  # [E]
    part_first: Longs  # [E + 1] parts of the answer of example e
    parts: Ints  # which row of the tables each is
    true: Ints  # the text of each
    n_scores: int
    n_copies: int
    n_contexts: int
    n_parts: int
    nowhere: int  # attribute of a text that no row of a choice names; -1 for none
    n_classes: int  # texts 0 … n_classes - 1 are known answers, with a weight for every context
    n_texts: int
