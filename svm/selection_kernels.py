"""Search and features of selection problems: tables of case scores, then gathers.

The score of (i, j, k) is ``(u1[i] + u2[j] + P12[i, j]) + (P13[i, k] + (u3[k] + P23[j, k]))``. As in
:mod:`svm.cube_kernels`, with the largest value of each bracketed part in its place the sum is an upper
bound even in floating point; prefixes are visited from the highest bound down. Among equal scores
the tuple that comes first in lexicographic order wins, no item counting as later than any item.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.chain_kernels import best_chain
from babi_cascade.svm.compiled import compiled, compiled_maximum
from babi_cascade.svm.selection_arrays import (
    ANY,
    ITEM_BLOCKS,
    MISS,
    NEXT,
    ONE_THREE,
    ONE_TWO,
    PAIR_BLOCKS,
    TWO_THREE,
    SelectionArrays,
)

NO_ITEM = 1 << 30


class Scores(NamedTuple):
    """Scores of every case that the searched examples need, one row a block of weights."""

    item: Floats  # [4, item cases]
    pair: Floats  # [4, pair cases]


@compiled
def search_batch(
    a: SelectionArrays,
    w: Floats,
    examples: Longs,
    gold: Ints,  # [k, L], or [0, L] for a plain search
    exclude: Ints,  # [k, L], or [0, L] to exclude nothing
    labels: Ints,  # [k, L], written; comes as -1
    scores: Floats,  # [k], written
) -> None:
    """Find the best label of each example."""
    tables = _score_cases(a, w, examples)
    for r in range(len(examples)):
        e = examples[r]
        n = a.n_items[e]
        items = a.items[a.item_start[e] : a.item_start[e] + n]
        pairs = a.pairs[a.pair_start[e] : a.pair_start[e] + n * n].reshape(n, n)
        true = gold[r] if len(gold) else gold[0:0].ravel()
        skip = exclude[r] if len(exclude) else exclude[0:0].ravel()
        if a.ordered[e]:
            sizes = _size_scores(a, w, e)
            scores[r] = _best_tuple(items, pairs, tables, sizes, true, skip, labels[r])
        else:
            unary = np.empty(n)
            for i in range(n):
                unary[i] = tables.item[ANY, items[i]]
            scores[r] = best_chain(unary, pairs, tables.pair[NEXT], true, skip, labels[r])


@compiled
def _score_cases(a: SelectionArrays, w: Floats, examples: Longs) -> Scores:
    item = np.zeros((ITEM_BLOCKS, len(a.item_ptr) - 1))
    pair = np.zeros((PAIR_BLOCKS, len(a.pair_ptr) - 1))
    used_item = np.zeros(len(a.item_ptr) - 1, np.uint8)
    used_pair = np.zeros(len(a.pair_ptr) - 1, np.uint8)
    tuples = False
    chains = False
    for e in examples:
        n = a.n_items[e]
        if a.ordered[e]:
            tuples = True
        else:
            chains = True
        for t in range(a.item_start[e], a.item_start[e] + n):
            used_item[a.items[t]] = 1
        for t in range(a.pair_start[e], a.pair_start[e] + n * n):
            used_pair[a.pairs[t]] = 1
    base = ITEM_BLOCKS * a.n_item_attributes
    for block in range(4):
        if (block == 3 and not chains) or (block < 3 and not tuples):
            continue
        _sum_cases(a.item_ptr, a.item_ids, w[block * a.n_item_attributes :], used_item, item[block])
        start = base + block * a.n_pair_attributes
        _sum_cases(a.pair_ptr, a.pair_ids, w[start:], used_pair, pair[block])
    return Scores(item, pair)


@compiled
def _sum_cases(ptr: Longs, ids: Ints, w: Floats, used: Bytes, out: Floats) -> None:
    for c in range(len(out)):
        if used[c]:
            total = 0.0
            for t in range(ptr[c], ptr[c + 1]):
                total += w[ids[t]]
            out[c] = total


@compiled
def _size_scores(a: SelectionArrays, w: Floats, e: int) -> Floats:
    """Scores of 0 … 3 items; -inf where so many may not be chosen. Where no number is left, it is 0."""
    out = np.zeros(4)
    kind = a.size_kind[e]
    if kind >= 0:
        base = ITEM_BLOCKS * a.n_item_attributes + PAIR_BLOCKS * a.n_pair_attributes + 4 * kind
        for size in range(4):
            out[size] = w[base + size]
    none = out[0]
    possible = False
    for size in range(4):
        if not a.sizes[kind, size] or size > a.n_items[e]:
            out[size] = -np.inf
        else:
            possible = True
    if not possible:
        out[0] = none
    return out


@compiled
def _best_tuple(
    items: Ints, pairs: Ints, tables: Scores, sizes: Floats, gold: Ints, skip: Ints, label: Ints
) -> float:
    n = len(items)
    unary = np.empty((3, n))
    empty = np.zeros(3)
    for slot in range(3):
        for i in range(n):
            unary[slot, i] = tables.item[slot, items[i]]
    if len(gold):
        for slot in range(3):
            empty[slot] = MISS if gold[slot] >= 0 else 0.0
            for i in range(n):
                if gold[slot] != i:
                    unary[slot, i] += MISS
    best = np.full(3, NO_ITEM, np.int64)
    left = np.full(3, -2, np.int64)
    if len(skip):
        for slot in range(3):
            left[slot] = NO_ITEM if skip[slot] < 0 else skip[slot]
    top = -np.inf
    if sizes[0] > -np.inf and not _is(left, NO_ITEM, NO_ITEM, NO_ITEM):
        top = ((empty[0] + empty[1]) + empty[2]) + sizes[0]
    if sizes[1] > -np.inf:
        for i in range(n):
            total = (unary[0, i] + empty[1] + empty[2]) + sizes[1]
            wins = total > top or (total == top and _before(i, NO_ITEM, NO_ITEM, best))
            if wins and not _is(left, i, NO_ITEM, NO_ITEM):
                top = total
                best[0], best[1], best[2] = i, NO_ITEM, NO_ITEM
    if sizes[2] > -np.inf or sizes[3] > -np.inf:
        top = _pairs_and_triples(pairs, tables, unary, empty[2], sizes, left, best, top)
    if top > -np.inf:
        for slot in range(3):
            label[slot] = -1 if best[slot] == NO_ITEM else best[slot]
    return top


@compiled
def _pairs_and_triples(
    pairs: Ints,
    tables: Scores,
    unary: Floats,
    third_empty: float,
    sizes: Floats,
    left: Longs,
    best: Longs,
    top: float,
) -> float:
    n = len(pairs)
    head = np.empty((n, n))  # u1[i] + u2[j] + P12[i, j]
    table = tables.pair[ONE_TWO]
    for i in range(n):
        for j in range(n):
            head[i, j] = table[pairs[i, j]] + (unary[0, i] + unary[1, j])
        head[i, i] = -np.inf
    if sizes[2] > -np.inf:
        for i in range(n):
            for j in range(n):
                total = (head[i, j] + third_empty) + sizes[2]
                if total < top or i == j or total == -np.inf:
                    continue
                wins = total > top or _before(i, j, NO_ITEM, best)
                if wins and not _is(left, i, j, NO_ITEM):
                    top = total
                    best[0], best[1], best[2] = i, j, NO_ITEM
    if sizes[3] == -np.inf or n < 3:
        return top
    last = np.empty((n, n))  # u3[k] + P23[j, k]
    last_top = np.empty(n)
    table = tables.pair[TWO_THREE]
    for j in range(n):
        for k in range(n):
            last[j, k] = table[pairs[j, k]] + (unary[2, k] + sizes[3])
        last[j, j] = -np.inf
        last_top[j] = _maximum(last[j])
    tail = np.empty((n, n))  # P13[i, k]
    tail_top = np.empty(n)
    bound = np.empty(n)
    table = tables.pair[ONE_THREE]
    for i in range(n):
        for k in range(n):
            tail[i, k] = table[pairs[i, k]]
        tail[i, i] = -np.inf
        tail_top[i] = _maximum(tail[i])
        bound[i] = _bound(head[i], tail_top[i], last_top)
    for i in np.argsort(-bound, kind="mergesort"):
        if bound[i] < top:
            break
        for j in range(n):
            limit = head[i, j] + (tail_top[i] + last_top[j])
            if limit < top or limit == -np.inf:
                continue
            top = _scan(i, j, head[i, j], tail[i], last[j], left, best, top)
    return top


@compiled
def _scan(
    i: int, j: int, head: float, tail: Floats, last: Floats, left: Longs, best: Longs, top: float
) -> float:
    for k in range(len(tail)):
        total = head + (tail[k] + last[k])
        if total < top or total == -np.inf:
            continue
        if (total > top or _before(i, j, k, best)) and not _is(left, i, j, k):
            top = total
            best[0], best[1], best[2] = i, j, k
    return top


@compiled_maximum
def _maximum(values: Floats) -> float:
    top = -np.inf
    for value in values:
        top = max(top, value)
    return top


@compiled_maximum
def _bound(head: Floats, tail_top: float, last_top: Floats) -> float:
    top = -np.inf
    for j in range(len(head)):
        top = max(top, head[j] + (tail_top + last_top[j]))
    return top


@compiled
def _is(left: Longs, i: int, j: int, k: int) -> bool:
    return bool(left[0] == i and left[1] == j and left[2] == k)


@compiled
def _before(i: int, j: int, k: int, best: Longs) -> bool:
    if i != best[0]:
        return bool(i < best[0])
    if j != best[1]:
        return bool(j < best[1])
    return bool(k < best[2])


@compiled
def selection_features(a: SelectionArrays, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
    """Features of labels[r] for examples[r]: counted first, then written."""
    ptr = np.zeros(len(examples) + 1, np.int64)
    for r in range(len(examples)):
        ptr[r + 1] = ptr[r] + _write(a, examples[r], labels[r], np.empty(0, np.int32), False)
    ids = np.empty(ptr[-1], np.int32)
    for r in range(len(examples)):
        _write(a, examples[r], labels[r], ids[ptr[r] : ptr[r + 1]], True)
    return ptr, ids


@compiled
def _write(a: SelectionArrays, e: int, label: Ints, out: Ints, write: bool) -> int:
    n = a.n_items[e]
    size = 0
    while size < len(label) and label[size] >= 0:
        size += 1
    count = 0
    ordered = a.ordered[e]
    for slot in range(size):
        block = slot if ordered else ANY
        case = a.items[a.item_start[e] + label[slot]]
        count = _copy(a.item_ptr, a.item_ids, case, block * a.n_item_attributes, out, count, write)
    base = ITEM_BLOCKS * a.n_item_attributes
    for p in range(size - 1):
        for q in range(p + 1, size):
            if not ordered and q > p + 1:
                break
            block = NEXT
            if ordered:
                block = ONE_THREE if q > p + 1 else p
            case = a.pairs[a.pair_start[e] + label[p] * n + label[q]]
            start = base + block * a.n_pair_attributes
            count = _copy(a.pair_ptr, a.pair_ids, case, start, out, count, write)
    if ordered and a.size_kind[e] >= 0:
        if write:
            out[count] = base + PAIR_BLOCKS * a.n_pair_attributes + 4 * a.size_kind[e] + size
        count += 1
    return count


@compiled
def _copy(ptr: Longs, ids: Ints, case: int, start: int, out: Ints, count: int, write: bool) -> int:
    for t in range(ptr[case], ptr[case + 1]):
        if write:
            out[count] = start + ids[t]
        count += 1
    return count


@compiled
def selection_losses(ordered: Bytes, gold: Ints, labels: Ints) -> Floats:
    """A third for each slot that differs (ordered), for each item in only one of both (chain)."""
    out = np.zeros(len(labels))
    width = labels.shape[1]
    for r in range(len(labels)):
        wrong = 0
        if ordered[r]:
            for slot in range(3):
                if gold[r, slot] != labels[r, slot]:
                    wrong += 1
        else:
            p = 0
            q = 0
            while (p < width and gold[r, p] >= 0) or (q < width and labels[r, q] >= 0):
                one = gold[r, p] if p < width and gold[r, p] >= 0 else NO_ITEM
                two = labels[r, q] if q < width and labels[r, q] >= 0 else NO_ITEM
                if one == two:
                    p += 1
                    q += 1
                else:
                    wrong += 1
                    if one < two:
                        p += 1
                    else:
                        q += 1
        out[r] = MISS * wrong
    return out
