"""Kernels over planes: labels as lists of signed feature ids.

The plane of label y of example i is ``value(w) = loss(y) - w · (ψ(gold) - ψ(y))``. Its features are
stored as that difference: id f for +1, ~f for -1, what cancels is gone. The gold label itself
is the plane without features and without loss.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bools, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled


class Planes(NamedTuple):
    """The working sets: planes of example i are those from first[i] to first[i + 1]."""

    first: Longs  # [examples + 1]; the plane at first[i] is gold
    ptr: Longs  # [planes + 1] CSR of signed ids
    ids: Ints
    losses: Floats  # [planes]
    alphas: Floats  # [planes] multipliers; those of an example sum to C
    labels: Ints  # [planes, L]


@compiled
def signed_differences(
    gold_ptr: Longs, gold_ids: Ints, ptr: Longs, ids: Ints, counts: Floats
) -> tuple[Longs, Ints]:
    """ψ(gold) - ψ(y) row by row. ``counts`` is scratch of zeros, one a feature, handed back clean."""
    out = np.empty(len(gold_ids) + len(ids), np.int32)
    out_ptr = np.zeros(len(ptr), np.int64)
    at = 0
    for r in range(len(ptr) - 1):
        for t in range(ptr[r], ptr[r + 1]):
            counts[ids[t]] += 1.0
        for t in range(gold_ptr[r], gold_ptr[r + 1]):
            if counts[gold_ids[t]] > 0.0:
                counts[gold_ids[t]] -= 1.0
            else:
                out[at] = gold_ids[t]
                at += 1
        for t in range(ptr[r], ptr[r + 1]):
            if counts[ids[t]] > 0.0:
                counts[ids[t]] -= 1.0
                out[at] = ~ids[t]
                at += 1
        out_ptr[r + 1] = at
    return out_ptr, out[:at]


@compiled
def find_known(p: Planes, examples: Longs, labels: Ints) -> Bools:
    """Which labels are in the working sets of their examples already."""
    known = np.zeros(len(examples), np.bool_)
    for r in range(len(examples)):
        i = examples[r]
        for j in range(p.first[i], p.first[i + 1]):
            if np.all(p.labels[j] == labels[r]):
                known[r] = True
    return known


@compiled
def drop_idle(p: Planes) -> tuple[int, int]:
    """Move gold and what carries weight to the front; returns how many planes these are, and their ids."""
    at = 0
    size = 0
    begin = p.first[0]
    for i in range(len(p.first) - 1):
        end = p.first[i + 1]
        for j in range(begin, end):
            if j > begin and p.alphas[j] <= 0.0:
                continue
            from_, to = p.ptr[j], p.ptr[j + 1]
            for t in range(from_, to):
                p.ids[size + t - from_] = p.ids[t]
            _move_plane(p, j, at)
            p.ptr[at] = size
            size += to - from_
            at += 1
        begin = end
        p.first[i + 1] = at
    p.ptr[at] = size
    return at, size


@compiled
def insert_planes(
    p: Planes, planes: int, size: int, examples: Longs, ptr: Longs, ids: Ints
) -> None:
    """Make room behind the planes of each of the (ascending) examples for one more, from the back on.

    ``p`` has ``planes`` planes with ``size`` ids in front and room for the new ones at the end. The
    new planes have ids and no weight; their rows are ``p.first[i + 1] - 1`` afterwards.
    """
    at = planes + len(examples)
    end = size + len(ids)
    p.ptr[at] = end
    r = len(examples) - 1
    for i in range(len(p.first) - 2, -1, -1):
        first, last = p.first[i], p.first[i + 1]
        p.first[i + 1] = at
        if r >= 0 and examples[r] == i:
            at -= 1
            end -= ptr[r + 1] - ptr[r]
            p.ids[end : end + ptr[r + 1] - ptr[r]] = ids[ptr[r] : ptr[r + 1]]
            p.ptr[at] = end
            p.alphas[at] = 0.0
            r -= 1
        if r < 0:
            return  # what stands before is where it belongs
        for j in range(last - 1, first - 1, -1):
            at -= 1
            for t in range(p.ptr[j + 1] - 1, p.ptr[j] - 1, -1):
                end -= 1
                p.ids[end] = p.ids[t]
            _move_plane(p, j, at)
            p.ptr[at] = end


@compiled
def _move_plane(p: Planes, j: int, to: int) -> None:
    """All of a plane but its ids."""
    p.losses[to] = p.losses[j]
    p.alphas[to] = p.alphas[j]
    p.labels[to] = p.labels[j]


@compiled
def weigh(p: Planes, w: Floats) -> None:
    """w = Σ α (ψ(gold) - ψ(y)), from scratch."""
    w[:] = 0.0
    for j in range(len(p.losses)):
        if p.alphas[j] > 0.0:
            _move(p.ids[p.ptr[j] : p.ptr[j + 1]], p.alphas[j], w)


@compiled
def approach(average: Floats, w: Floats, share: float) -> None:
    """Move an average a share of the way to w."""
    for f in range(len(w)):
        average[f] += (w[f] - average[f]) * share


@compiled
def cached_passes(
    p: Planes,
    w: Floats,
    order: Longs,
    passes: int,
    enough: float,
    rest: Ints,
    step: Floats,
) -> tuple[int, float]:
    """Ascend the dual over the working sets alone, changing w and the multipliers.

    Each visit of an example moves weight from its worst plane to its best one by the exact
    best step. Stops when the gaps of the examples sum to ``enough``. An example that had nothing to
    gain rests for a few passes, the longer the more often this happened. ``step`` is scratch of
    zeros, one a feature. Returns the passes made and the sum of gaps in the last one.
    """
    first, ptr, ids, losses, alphas = p.first, p.ptr, p.ids, p.losses, p.alphas
    values = np.empty(0)
    made = 0
    total = np.inf
    tiny = enough / (10.0 * max(1, len(order)))
    wait = np.zeros(len(rest), np.int32)
    rest[:] = 0
    while made < passes:
        made += 1
        total = 0.0
        complete = True
        for i in order:
            start = first[i]
            stop = first[i + 1]
            if stop - start < 2:
                continue
            if rest[i] > 0:
                rest[i] -= 1
                complete = False
                continue
            if len(values) < stop - start:
                values = np.empty(2 * (stop - start))
            gap = _visit(start, stop, ptr, ids, losses, alphas, w, values, step)
            total += gap
            if gap <= tiny:
                wait[i] = min(2 * wait[i] + 1, 16)
                rest[i] = wait[i]
            else:
                wait[i] = 0
        if total <= enough:
            if complete:
                break
            rest[:] = 0  # all of them must agree before it is over
    return made, total


@compiled
def _visit(
    start: int,
    stop: int,
    ptr: Longs,
    ids: Ints,
    losses: Floats,
    alphas: Floats,
    w: Floats,
    values: Floats,
    step: Floats,
) -> float:
    """One pairwise step of one example; returns the gap of its block before the step."""
    best = start
    worst = -1
    mean = 0.0
    mass = 0.0
    for j in range(start, stop):
        value = losses[j] - _dot(ids[ptr[j] : ptr[j + 1]], w)
        values[j - start] = value
        if value > values[best - start]:
            best = j
        if alphas[j] > 0.0:
            mean += alphas[j] * value
            mass += alphas[j]
            if worst < 0 or value < values[worst - start]:
                worst = j
    gap = max(mass * values[best - start] - mean, 0.0)
    gain = values[best - start] - values[worst - start]
    if gain <= 0.0:
        return float(gap)
    better = ids[ptr[best] : ptr[best + 1]]
    worse = ids[ptr[worst] : ptr[worst + 1]]
    _move(better, 1.0, step)
    _move(worse, -1.0, step)
    square = _squares(better, step) + _squares(worse, step)
    size = alphas[worst]
    if square > 0.0 and gain < size * square:
        size = gain / square
        alphas[worst] -= size
    else:
        alphas[worst] = 0.0
    alphas[best] += size
    _move(better, size, w)
    _move(worse, -size, w)
    return float(gap)


@compiled
def sum_rows(ptr: Longs, ids: Ints, w: Floats) -> Floats:
    """Σ w over the ids of each row."""
    out = np.zeros(len(ptr) - 1)
    for r in range(len(out)):
        for t in range(ptr[r], ptr[r + 1]):
            out[r] += w[ids[t]]
    return out


@compiled
def _dot(ids: Ints, w: Floats) -> float:
    total = 0.0
    for f in ids:
        if f >= 0:
            total += w[f]
        else:
            total -= w[~f]
    return total


@compiled
def _move(ids: Ints, size: float, w: Floats) -> None:
    for f in ids:
        if f >= 0:
            w[f] += size
        else:
            w[~f] -= size


@compiled
def _squares(ids: Ints, step: Floats) -> float:
    """Sum of squares of the entries of the step at these features, set to zero on the way."""
    total = 0.0
    for f in ids:
        at = f if f >= 0 else ~f
        total += step[at] * step[at]
        step[at] = 0.0
    return total
