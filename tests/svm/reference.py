"""Selection and ranking done slowly: what the compiled search is tested and timed against.

``brute_force`` names every label in plain Python; ``broadcast`` fills a whole cube of tuples with numpy. Both
add in the order of :mod:`svm.selection_kernels`, so that with whole numbers for weights equal means equal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, combinations, pairwise, permutations
from typing import Any

import numpy as np

MISS = 1.0 / 3.0
AFTER_ALL = 10**9
ANY = NEXT = 3


@dataclass(frozen=True)
class Prepared:
    """What can be computed once for all examples: profiles and weights as dense matrices."""

    bags: np.ndarray  # [profiles, attributes]
    links: np.ndarray  # [profiles, links]
    items: np.ndarray  # [blocks, weights of a block]
    pairs: np.ndarray
    item_products: np.ndarray  # [blocks, attributes, attributes]
    pair_products: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True)
class Scores:
    """Scores of one example, without loss: of items [blocks, n], of pairs [blocks, n, n], of sizes."""

    unary: np.ndarray
    pairs: np.ndarray
    sizes: list[float]
    allowed: list[int]
    direct: np.ndarray
    linked: np.ndarray


def prepare(problem: Any, w: np.ndarray) -> Prepared:
    """Spread profiles and weights out."""
    e = problem.examples
    layout, p = e.layout, e.profiles
    items = w[: layout.blocks * layout.item_block].reshape(layout.blocks, -1)
    rest = w[layout.blocks * layout.item_block :]
    pairs = rest[: layout.blocks * layout.pair_block].reshape(layout.blocks, -1)
    width = int(layout.group_offsets[-1])
    none = np.zeros((0, 0))
    return Prepared(
        none if p is None else _spread(p.ptr, p.ids, width),
        none if p is None else _spread(p.link_ptr, p.link_ids, int(p.link_ids.max(initial=-1)) + 1),
        items,
        pairs,
        np.array([_matrix(layout, block[layout.n_item_attributes :]) for block in items]),
        np.array([_matrix(layout, block[layout.n_pair_attributes :]) for block in pairs]),
        rest[layout.blocks * layout.pair_block :],
    )


def _spread(ptr: np.ndarray, ids: np.ndarray, width: int) -> np.ndarray:
    rows = len(ptr) - 1
    out = np.zeros((rows, width))
    out[np.repeat(np.arange(rows), np.diff(ptr)), ids] = 1.0
    return out


def _matrix(layout: Any, weights: np.ndarray) -> np.ndarray:
    """The block-diagonal matrix of products."""
    offsets = layout.group_offsets
    out = np.zeros((offsets[-1], offsets[-1]))
    at = 0
    for start, stop in pairwise(offsets):
        width = int(stop - start)
        out[start:stop, start:stop] = weights[at : at + width**2].reshape(width, width)
        at += width**2
    return out


def scores_of(problem: Any, i: int, known: Prepared) -> Scores:
    """Score everything of one example."""
    e = problem.examples
    layout, n = e.layout, int(e.n_items[i])
    unary, pairs = np.zeros((layout.blocks, n)), np.zeros((layout.blocks, n, n))
    direct, linked = np.ones(n, bool), np.ones((n, n), bool)
    if e.cases is not None:
        c = e.cases
        own = c.items[c.item_start[i] : c.item_start[i] + n]
        both = c.pairs[c.pair_start[i] : c.pair_start[i] + n * n]
        for block in range(layout.blocks):
            unary[block] = [_sum(c.item_ptr, c.item_ids, k, known.items[block]) for k in own]
            summed = [_sum(c.pair_ptr, c.pair_ids, k, known.pairs[block]) for k in both]
            pairs[block] = np.reshape(summed, (n, n))
    if e.profiles is not None:
        p = e.profiles
        items = p.items[p.start[i] : p.start[i] + n]
        facts, x = known.bags[items], known.bags[p.query[i]]
        for block in range(layout.blocks):
            unary[block] += facts @ (x @ known.item_products[block])
            pairs[block] += facts @ known.pair_products[block] @ facts.T
        if e.must_link:
            links = known.links[items]
            direct = links @ known.links[p.query[i]] > 0
            linked = links @ links.T > 0
    reach = (len(e.differences.ptr) - 4) // 2
    position = np.arange(n)
    ahead = np.clip(n - position, -reach - 1, reach + 1) + reach + 1
    apart = np.clip(position[:, None] - position, -reach - 1, reach + 1) + reach + 1
    for block in range(layout.blocks):
        start = layout.n_item_attributes + layout.n_products
        unary[block] += _differences(e.differences, known.items[block][start:])[ahead]
        start = layout.n_pair_attributes + layout.n_products
        pairs[block] += _differences(e.differences, known.pairs[block][start:])[apart]
    kind = int(e.size_kind[i]) if e.size_kind[i] >= 0 else len(e.sizes.allowed) - 1
    sizes = [_sum(e.sizes.ptr, e.sizes.ids, 4 * kind + size, known.sizes) for size in range(4)]
    return Scores(unary, pairs, sizes, e.sizes.allowed[kind].tolist(), direct, linked)


def _differences(differences: Any, weights: np.ndarray) -> np.ndarray:
    rows = range(len(differences.ptr) - 1)
    return np.array([_sum(differences.ptr, differences.ids, row, weights) for row in rows])


def _sum(ptr: np.ndarray, ids: np.ndarray, row: int, weights: np.ndarray) -> float:
    total = 0.0
    for t in range(ptr[row], ptr[row + 1]):
        total += float(weights[ids[t]])
    return total


# ---- naming every label ------------------------------------------------------------------------------


def brute_force(
    problem: Any, i: int, w: np.ndarray, *, gold: Any = None, exclude: Any = None,
    prepared: Prepared | None = None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """The best label and its score; of equal tuples the first in order, an empty slot coming last.

    Gold is a candidate even where it may not be chosen.
    """
    scores = scores_of(problem, i, prepared or prepare(problem, w))
    true = None if gold is None else filled(gold)
    left_out = None if exclude is None else filled(exclude)
    value = chain_value if problem.examples.chain[i] else tuple_value
    named = [label for label in labels_of(problem, i, scores) if label != left_out]
    best, top = (), -math.inf
    for label in named:
        total = value(scores, label, true)
        if total > top or (total == top and in_order(label) < in_order(best)):
            best, top = label, total
    if true is not None and true != left_out and true not in named:
        total = value(scores, true, true)
        first = not problem.examples.chain[i] and in_order(true) < in_order(best)
        if total > top or (total == top and first):
            best, top = true, total
    return as_label(best, problem.label_length), top


def labels_of(problem: Any, i: int, scores: Scores | None = None) -> list[tuple[int, ...]]:
    """Every label that may be chosen for an example."""
    e = problem.examples
    n = int(e.n_items[i])
    if e.chain[i]:
        some = (combinations(range(n), size) for size in range(1, n + 1))
        return list(chain.from_iterable(some)) or [()]
    s = scores or scores_of(problem, i, prepare(problem, np.zeros(problem.size_joint_feature)))
    direct, linked = s.direct.tolist(), s.linked.tolist()
    named = [
        label
        for size in range(4)
        if s.allowed[size] and size <= n
        for label in permutations(range(n), size)
        if all(direct[t] or any(linked[t][o] for o in label if o != t) for t in label)
    ]
    return named or [()]


def tuple_value(s: Scores, label: tuple[int, ...], gold: tuple[int, ...] | None = None) -> float:
    """Score of a tuple, and its loss if gold is given."""
    slots = [*label, None, None, None][:3]
    true = slots if gold is None else [*gold, None, None, None][:3]
    missed = [MISS if own != other else 0.0 for own, other in zip(slots, true, strict=True)]
    u = [float(s.unary[t, p]) + missed[t] if p is not None else missed[t]
         for t, p in enumerate(slots)]  # fmt: skip
    size = s.sizes[len(label)]
    if len(label) < 2:
        return ((u[0] + u[1]) + u[2]) + size
    one, two, three = slots
    head = float(s.pairs[0, one, two]) + (u[0] + u[1])
    if three is None:
        return head + (u[2] + size)
    tail = float(s.pairs[2, one, three]) + (u[2] + size)
    return head + (tail + float(s.pairs[1, two, three]))


def chain_value(s: Scores, label: tuple[int, ...], gold: tuple[int, ...] | None = None) -> float:
    """Score of a chain, and its loss if gold is given."""

    def own(p: int) -> float:
        value = float(s.unary[ANY, p])
        if gold is None:
            return value
        return (value + MISS) - 2.0 * MISS if p in gold else value + MISS

    total = own(label[0]) if label else 0.0
    for p, q in pairwise(label):
        total += float(s.pairs[NEXT, p, q]) + own(q)
    offset = 0.0
    for _ in gold or ():
        offset += MISS
    return total + offset


def loss(is_chain: bool, gold: tuple[int, ...], label: tuple[int, ...]) -> float:
    """A third for each slot, or item, that differs."""
    if is_chain:
        return len(set(gold) ^ set(label)) / 3
    rows = zip([*gold, *[None] * 3][:3], [*label, *[None] * 3][:3], strict=True)
    return sum(one != other for one, other in rows) / 3


# ---- a cube of tuples ----------------------------------------------------------------------------------


def broadcast(
    problem: Any, i: int, w: np.ndarray, *, gold: Any = None, exclude: Any = None,
    prepared: Prepared | None = None,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """Fill a cube of (n + 1)³ totals, the last index of each axis being the empty slot."""
    s = scores_of(problem, i, prepared or prepare(problem, w))
    n = s.unary.shape[1]
    unary, empty = s.unary[:3].copy(), np.zeros(3)
    for slot in range(3 if gold is not None else 0):
        unary[slot] += np.where(np.arange(n) != gold[slot], MISS, 0.0)
        empty[slot] += MISS if gold[slot] >= 0 else 0.0
    cube = np.full((n + 1, n + 1, n + 1), -np.inf)
    allowed = np.zeros(cube.shape, bool)
    if n:
        head = s.pairs[0] + (unary[0][:, None] + unary[1])
        tail = s.pairs[2] + (unary[2] + s.sizes[3])
        cube[:n, :n, :n] = head[:, :, None] + (tail[:, None, :] + s.pairs[1])
        cube[:n, :n, n] = head + (empty[2] + s.sizes[2])
        cube[:n, n, n] = ((unary[0] + empty[1]) + empty[2]) + s.sizes[1]
        _allow(allowed, s)
    cube[n, n, n] = ((empty[0] + empty[1]) + empty[2]) + s.sizes[0]
    allowed[n, n, n] = s.allowed[0] or not allowed.any()
    if gold is not None:
        allowed[tuple(gold[:3])] = True
    if exclude is not None:
        allowed[tuple(exclude[:3])] = False
    cube[~allowed] = -np.inf
    where = np.unravel_index(int(np.argmax(cube)), cube.shape)  # the first of equals
    top = float(cube[where])
    best = [int(t) for t in where if t < n and top > -np.inf]
    return as_label(best, problem.label_length), top


def _allow(allowed: np.ndarray, s: Scores) -> None:
    n = len(s.direct)
    x, near, other = s.direct, s.linked, ~np.eye(n, dtype=bool)
    if s.allowed[1]:
        allowed[:n, n, n] = x
    if s.allowed[2]:
        allowed[:n, :n, n] = other & (near | (x[:, None] & x))
    if s.allowed[3]:
        ij, jk, ik = near[:, :, None], near[None, :, :], near[:, None, :]
        first = x[:, None, None] | ij | ik
        second = x[None, :, None] | ij | jk
        third = x[None, None, :] | ik | jk
        distinct = other[:, :, None] & other[None, :, :] & other[:, None, :]
        allowed[:n, :n, :n] = first & second & third & distinct


def filled(label: Any) -> tuple[int, ...]:
    """The items of a label."""
    return tuple(int(p) for p in label if p >= 0)


def in_order(label: tuple[int, ...]) -> tuple[int, ...]:
    """A label as it is compared: an empty slot comes last."""
    return (*label, *[AFTER_ALL] * 3)[: max(3, len(label))]


def as_label(positions: Any, length: int) -> np.ndarray:
    """A label of full length."""
    return np.array([*positions, *[-1] * (length - len(positions))], np.int32)
