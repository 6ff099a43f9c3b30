"""Ids of the features of labels, in CSR form: counted first, then written."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.story_kernels import difference_row
from babi_cascade.svm.tuple_arrays import N_PAIRS, TupleArrays

# Which two of (f1, f2, f3, x) each pair of slots compares.
_FIRST = (3, 3, 3, 0, 1, 0)
_SECOND = (0, 1, 2, 1, 2, 2)


@compiled
def tuple_features(a: TupleArrays, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
    """Features of labels[r] for examples[r]."""
    k = len(examples)
    ptr = np.zeros(k + 1, np.int64)
    for r in range(k):
        ptr[r + 1] = ptr[r] + _write(a, examples[r], labels[r], np.empty(0, np.int32), False)
    ids = np.empty(ptr[k], np.int32)
    for r in range(k):
        _write(a, examples[r], labels[r], ids[ptr[r] : ptr[r + 1]], True)
    return ptr, ids


@compiled
def _write(a: TupleArrays, example: int, label: Ints, out: Ints, write: bool) -> int:
    n = a.n_facts[example]
    count = 0
    for pair in range(N_PAIRS):
        first = _FIRST[pair]
        second = _SECOND[pair]
        if label[second] < 0 or (first < 3 and label[first] < 0):
            continue
        s = a.question[example]
        position = n
        if first < 3:
            position = label[first]
            s = a.story_facts[a.fact_start[example] + position]
        other = a.story_facts[a.fact_start[example] + label[second]]
        begin = a.attribute_ptr[other]
        for t in range(a.attribute_ptr[s], a.attribute_ptr[s + 1]):
            p = a.attribute_ids[t]
            g = a.attribute_group[p]
            for u in range(begin, a.attribute_ptr[other + 1]):
                q = a.attribute_ids[u]
                if a.attribute_group[q] < g:
                    begin = u + 1  # sorted: no later attribute of s looks back
                    continue
                if a.attribute_group[q] > g:
                    break
                if write:
                    out[count] = pair * a.block + a.row_start[p] + q
                count += 1
        d = difference_row(a.reach, position - label[second])
        for t in range(a.difference_ptr[d], a.difference_ptr[d + 1]):
            if write:
                out[count] = pair * a.block + a.bilinear + a.difference_ids[t]
            count += 1
    for slot in range(3):
        if label[slot] < 0:
            if write:
                out[count] = N_PAIRS * a.block + slot
            count += 1
    return count


@compiled
def ranking_features(
    attribute_ptr: Longs, attribute_ids: Ints, n_classes: int, examples: Longs, labels: Ints
) -> tuple[Longs, Ints]:
    """Features of class labels[r, 0] for examples[r]."""
    k = len(examples)
    ptr = np.zeros(k + 1, np.int64)
    for r in range(k):
        e = examples[r]
        ptr[r + 1] = ptr[r] + attribute_ptr[e + 1] - attribute_ptr[e]
    ids = np.empty(ptr[k], np.int32)
    for r in range(k):
        at = ptr[r]
        for t in range(attribute_ptr[examples[r]], attribute_ptr[examples[r] + 1]):
            ids[at] = attribute_ids[t] * n_classes + labels[r, 0]
            at += 1
    return ptr, ids
