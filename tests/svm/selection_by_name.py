"""Selection by naming every label: what the compiled search is tested against.

Scores are added in the order that :mod:`svm.selection_kernels` and :mod:`svm.chain_kernels` write down, so
that equal means equal.
"""

from __future__ import annotations

import math
from itertools import chain, combinations, pairwise, permutations

import numpy as np

MISS = 1.0 / 3.0
AFTER_ALL = 10**9


def labels_of(problem, i):
    """Every label that may be chosen for an example."""
    e = problem.examples
    n = int(e.n_items[i])
    if not e.ordered[i]:
        some = (combinations(range(n), size) for size in range(1, n + 1))
        return list(chain.from_iterable(some)) or [()]
    allowed = [size for size in range(4) if e.sizes[e.size_kind[i], size] and size <= n]
    return [label for size in allowed or [0] for label in permutations(range(n), size)]


def best_by_name(problem, i, w, *, gold=None, exclude=None):
    """The best label and its score; of equal tuples the first in order, an empty slot coming last."""
    true = None if gold is None else filled(gold)
    left_out = None if exclude is None else filled(exclude)
    value = tuple_value if problem.examples.ordered[i] else chain_value
    scored = [
        (-value(problem, i, label, w, true), in_order(label), label)
        for label in labels_of(problem, i)
        if label != left_out
    ]
    if not scored:
        return (), -math.inf
    negative, _, label = min(scored)
    return label, -negative


def tuple_value(problem, i, label, w, gold=None):
    e, blocks = problem.examples, Blocks(problem, w)
    slots = [*label, None, None, None][:3]
    true = [*gold, None, None, None][:3] if gold is not None else slots
    missed = [MISS if own != other else 0.0 for own, other in zip(slots, true, strict=True)]
    u = [blocks.item(t, i, p) + missed[t] if p is not None else missed[t]
         for t, p in enumerate(slots)]  # fmt: skip
    kind = int(e.size_kind[i])
    size = blocks.sizes[kind][len(label)] if kind >= 0 else 0.0
    if len(label) < 2:
        return ((u[0] + u[1]) + u[2]) + size
    one, two, three = slots
    head = blocks.pair(0, i, one, two) + (u[0] + u[1])
    if three is None:
        return (head + u[2]) + size
    last = blocks.pair(1, i, two, three) + (u[2] + size)
    return head + (blocks.pair(2, i, one, three) + last)


def chain_value(problem, i, label, w, gold=None):
    blocks = Blocks(problem, w)

    def own(p):
        value = blocks.item(3, i, p)
        if gold is None:
            return value
        return (value + MISS) - 2.0 * MISS if p in gold else value + MISS

    total = own(label[0]) if label else 0.0
    for p, q in pairwise(label):
        total += blocks.pair(3, i, p, q) + own(q)
    offset = 0.0
    for _ in gold or ():
        offset += MISS
    return total + offset


def loss(ordered, gold, label):
    if ordered:
        rows = zip([*gold, *[None] * 3][:3], [*label, *[None] * 3][:3], strict=True)
        return sum(one != other for one, other in rows) / 3
    return len(set(gold) ^ set(label)) / 3


def filled(label):
    return tuple(int(p) for p in label if p >= 0)


def in_order(label):
    return (*label, *[AFTER_ALL] * 3)[: max(3, len(label))]


class Blocks:
    """The weights by the layout that SelectionProblem describes."""

    def __init__(self, problem, w):
        self.e = e = problem.examples
        items, pairs = 4 * e.n_item_attributes, 4 * e.n_pair_attributes
        self.items = w[:items].reshape(4, -1)
        self.pairs = w[items : items + pairs].reshape(4, -1)
        self.sizes = w[items + pairs :].reshape(-1, 4)

    def item(self, block, i, p):
        e = self.e
        return _sum(e.item_ptr, e.item_ids, e.items[e.item_start[i] + p], self.items[block])

    def pair(self, block, i, p, q):
        e = self.e
        case = e.pairs[e.pair_start[i] + p * e.n_items[i] + q]
        return _sum(e.pair_ptr, e.pair_ids, case, self.pairs[block])


def _sum(ptr, ids, case, weights):
    total = 0.0
    for t in range(ptr[case], ptr[case + 1]):
        total += float(weights[ids[t]])
    return total


def as_label(positions, length):
    return np.array([*positions, *[-1] * (length - len(positions))], np.int32)
