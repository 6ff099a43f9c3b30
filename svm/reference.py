"""The same search twice more, slowly: what the compiled one is tested and timed against.

``brute_force`` names the candidates one by one in plain Python; ``broadcast`` fills the whole cube
with numpy. Both add in the order of :mod:`svm.cube_kernels`, so that equal means equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, permutations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints
from babi_cascade.svm.tuple_arrays import F1_F2, F1_F3, F2_F3, N_PAIRS
from babi_cascade.svm.tuples import SLOTS, TupleProblem

MISS = 1.0 / 3.0


def brute_force(
    problem: TupleProblem,
    i: int,
    w: Floats,
    *,
    gold: Ints | None = None,
    exclude: Ints | None = None,
    prepared: Prepared | None = None,
) -> tuple[Ints, float]:
    """Name every allowed tuple, score it, keep the best."""
    known = prepared or prepare(problem, w)
    unary, empty, pairs = pair_scores(problem, i, w, known, gold)
    u = unary.tolist()
    e = empty.tolist()
    p12, p23, p13 = (pairs[k].tolist() for k in (0, 1, 2))
    left_out = None if exclude is None else tuple(int(t) for t in exclude)
    best: tuple[int, ...] = (-1, -1, -1)
    top = -math.inf
    for chosen in _candidates(problem, i, known, gold):
        if chosen == left_out:
            continue
        one, two, three = chosen
        if three >= 0:
            total = (p12[one][two] + (u[0][one] + u[1][two])) + (
                (p13[one][three] + u[2][three]) + p23[two][three]
            )
        elif two >= 0:
            total = (p12[one][two] + (u[0][one] + u[1][two])) + e[2]
        elif one >= 0:
            total = (u[0][one] + e[1]) + e[2]
        else:
            total = (e[0] + e[1]) + e[2]
        if total > top or (total == top and _key(chosen) < _key(best)):
            best, top = chosen, total
    return np.array(best, np.int32), top


def broadcast(
    problem: TupleProblem,
    i: int,
    w: Floats,
    *,
    gold: Ints | None = None,
    exclude: Ints | None = None,
    prepared: Prepared | None = None,
) -> tuple[Ints, float]:
    """Fill a cube of (n + 1)³ totals, the last index of each axis being the empty fact."""
    known = prepared or prepare(problem, w)
    unary, empty, (p12, p23, p13) = pair_scores(problem, i, w, known, gold)
    n = unary.shape[1]
    cube = np.full((n + 1, n + 1, n + 1), -np.inf)
    allowed = np.zeros(cube.shape, bool)
    if n:
        direct, linked = sharing(problem, i, known)
        head = p12 + (unary[0][:, None] + unary[1])
        tail = p13 + unary[2]
        cube[:n, :n, :n] = head[:, :, None] + (tail[:, None, :] + p23)
        cube[:n, :n, n] = head + empty[2]
        cube[:n, n, n] = (unary[0] + empty[1]) + empty[2]
        _allow(allowed, direct, linked, problem.examples.max_facts)
    cube[n, n, n] = (empty[0] + empty[1]) + empty[2]
    allowed[n, n, n] = not allowed.any()
    if gold is not None:
        allowed[tuple(gold)] = True
    if exclude is not None:
        allowed[tuple(exclude)] = False
    cube[~allowed] = -np.inf
    where = np.unravel_index(int(np.argmax(cube)), cube.shape)  # the first of equals
    top = float(cube[where])
    best = np.array([-1 if t == n or top == -np.inf else t for t in where], np.int32)
    return best, top


@dataclass(frozen=True, slots=True)
class Prepared:
    """What can be computed once for all examples: sentences and weights as dense matrices."""

    bags: Floats  # [U, attributes]
    content: Floats  # [U, content ids]
    matrices: Floats  # [6, attributes, attributes]
    differences: Floats  # [6, 2R + 3]


def prepare(problem: TupleProblem, w: Floats) -> Prepared:
    """Spread sentences and weights out."""
    a = problem.arrays
    sentences = len(a.attribute_ptr) - 1
    bags = np.zeros((sentences, len(a.attribute_group)))
    bags[np.repeat(np.arange(sentences), np.diff(a.attribute_ptr)), a.attribute_ids] = 1.0
    content = np.zeros((sentences, a.n_content))
    content[np.repeat(np.arange(sentences), np.diff(a.content_ptr)), a.content_ids] = 1.0
    differences = np.zeros((N_PAIRS, 2 * a.reach + 3))
    rows = np.repeat(np.arange(2 * a.reach + 3), np.diff(a.difference_ptr))
    for pair in range(N_PAIRS):
        np.add.at(differences[pair], rows, w[pair * a.block + a.bilinear + a.difference_ids])
    matrices = np.array([_weights(problem, w, pair) for pair in range(N_PAIRS)])
    return Prepared(bags, content, matrices, differences)


def pair_scores(
    problem: TupleProblem, i: int, w: Floats, prepared: Prepared, gold: Ints | None = None
) -> tuple[Floats, Floats, tuple[Floats, Floats, Floats]]:
    """Scores of single facts [3, n] and empty slots [3], and P12, P23, P13 [n, n]."""
    a = problem.arrays
    n = int(a.n_facts[i])
    facts = prepared.bags[a.story_facts[a.fact_start[i] : a.fact_start[i] + n]]
    x = prepared.bags[a.question[i]]
    position = np.arange(n)
    middle = a.reach + 1
    ahead = np.clip(n - position, -middle, middle) + middle
    unary = np.zeros((SLOTS, n))
    empty = w[N_PAIRS * a.block :].copy()
    for slot in range(SLOTS):
        unary[slot] = facts @ (x @ prepared.matrices[slot]) + prepared.differences[slot, ahead]
        if gold is not None:
            unary[slot] += np.where(position != gold[slot], MISS, 0.0)
            empty[slot] += MISS if gold[slot] >= 0 else 0.0
    apart = np.clip(position[:, None] - position, -middle, middle) + middle
    p12, p23, p13 = (
        facts @ prepared.matrices[pair] @ facts.T + prepared.differences[pair, apart]
        for pair in (F1_F2, F2_F3, F1_F3)
    )
    return unary, empty, (p12, p23, p13)


def sharing(problem: TupleProblem, i: int, prepared: Prepared) -> tuple[Ints, Ints]:
    """Which facts share content with the question [n], and which with each other [n, n]."""
    a = problem.arrays
    facts = prepared.content[a.story_facts[a.fact_start[i] : a.fact_start[i] + a.n_facts[i]]]
    direct = (facts @ prepared.content[a.question[i]] > 0).astype(np.int32)
    linked = (facts @ facts.T > 0).astype(np.int32)
    return direct, linked


def _candidates(
    problem: TupleProblem, i: int, prepared: Prepared, gold: Ints | None
) -> Iterator[tuple[int, int, int]]:
    direct, linked = (values.tolist() for values in sharing(problem, i, prepared))
    found = False
    for size in range(1, problem.examples.max_facts + 1):
        for chosen in permutations(range(len(direct)), size):
            if all(
                direct[t] or any(linked[t][other] for other in chosen if other != t) for t in chosen
            ):
                found = True
                one, two, three = (*chosen, -1, -1)[:SLOTS]
                yield one, two, three
    if not found:
        yield -1, -1, -1
    if gold is not None:
        yield int(gold[0]), int(gold[1]), int(gold[2])


def _allow(allowed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], direct: Ints, linked: Ints,
           max_facts: int) -> None:  # fmt: skip
    n = len(direct)
    x = direct.astype(bool)
    near = linked.astype(bool)
    other = ~np.eye(n, dtype=bool)
    allowed[:n, n, n] = x
    if max_facts > 1:
        allowed[:n, :n, n] = other & (near | (x[:, None] & x))
    if max_facts > 2:
        ij, jk, ik = near[:, :, None], near[None, :, :], near[:, None, :]
        first = x[:, None, None] | ij | ik
        second = x[None, :, None] | ij | jk
        third = x[None, None, :] | ik | jk
        distinct = other[:, :, None] & other[None, :, :] & other[:, None, :]
        allowed[:n, :n, :n] = first & second & third & distinct


def _weights(problem: TupleProblem, w: Floats, pair: int) -> Floats:
    """The block-diagonal matrix of one pair of slots."""
    offsets = problem.examples.group_offsets
    out = np.zeros((offsets[-1], offsets[-1]))
    at = pair * problem.block
    for start, stop in pairwise(offsets):
        width = stop - start
        out[start:stop, start:stop] = w[at : at + width**2].reshape(width, width)
        at += width**2
    return out


def _key(label: tuple[int, ...]) -> tuple[float, ...]:
    return tuple(math.inf if t < 0 else t for t in label)
