"""Exact search for the best tuple of up to three facts.

The score of (i, j, k) is ``(u1[i] + u2[j] + P12[i, j]) + ((u3[k] + P13[i, k]) + P23[j, k])``.
With the largest value of each bracketed part in its place, added in the same order, the result is
an upper bound even in floating point (rounding keeps the order of sums). Prefixes are visited
from the highest bound down and left out when they cannot win, so that most of the cube is never
seen; what is returned is the same as by naming every tuple, ties included.

Among equal scores the tuple that comes first in lexicographic order wins, no fact (-1) counting
as later than any fact.
"""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled, compiled_maximum
from babi_cascade.svm.story_kernels import Story, score_rows
from babi_cascade.svm.tuple_arrays import F1_F2, F1_F3, F2_F3, TupleArrays

NO_FACT = 1 << 30  # compares as later than any position


@compiled
def best_tuple(
    a: TupleArrays,
    w: Floats,
    story: Story,
    difference: Floats,
    candidates: Ints,
    asked: Bytes,
    unary: Floats,
    empty: Floats,
    skip: Longs,
    best: Longs,
) -> float:
    """Find the best tuple of candidates, write their numbers to ``best`` and return the score.

    ``unary`` and ``empty`` are the scores of slots alone, ``skip`` is a tuple to leave out. ``best``
    comes as three times NO_FACT and stays so, with a score of -inf, where nothing is allowed.
    """
    m = len(candidates)
    top = -np.inf
    place = story.place[candidates]
    direct = asked[place]  # shares with the question
    for c in range(m):
        single = (unary[0, c] + empty[1]) + empty[2]
        if direct[c] and single > top and not _is(skip, c, NO_FACT, NO_FACT):
            top = single
            best[0] = c
    if a.max_facts == 1:
        return top

    triples = a.max_facts == 3
    tables, shares, sentences = story.tables, story.shares, story.sentences
    long = len(tables) == 0
    rows = np.empty((3, 1, len(sentences) if long else 0))
    last = np.empty((m if triples else 0, m))  # P23
    last_top = np.full(m, -np.inf)
    for j in range(m):
        if triples:
            if long:
                score_rows(a, w, story, F1_F2, sentences[place[j] : place[j] + 1], rows)
            values = rows[F2_F3 - F1_F2, 0] if long else tables[F2_F3 - F1_F2, place[j]]
            _spread(values, place, candidates, j, difference[F2_F3], last[j])
            last_top[j] = _maximum(last[j])

    head = np.empty(m)  # u1[i] + u2[j] + P12[i, j] over j
    tail = np.full(m, -np.inf)  # u3[k] + P13[i, k] over k
    bound = np.empty(m)
    for i in range(m):
        if long:
            score_rows(a, w, story, F1_F2, sentences[place[i] : place[i] + 1], rows)
        values = rows[F1_F2 - F1_F2, 0] if long else tables[F1_F2 - F1_F2, place[i]]
        _spread(values, place, candidates, i, difference[F1_F2], head)
        if triples:
            values = rows[F1_F3 - F1_F2, 0] if long else tables[F1_F3 - F1_F2, place[i]]
            _spread(values, place, candidates, i, difference[F1_F3], tail)
        tail_top = _add_unary(unary, i, head, tail)
        bound[i] = _bound(head, tail_top, last_top)
        top = _pairs(i, head, empty[2], direct, shares[place[i]], place, skip, best, top)
    if not triples:
        return top

    for i in np.argsort(-bound, kind="mergesort"):
        if bound[i] < top:
            break
        if bound[i] == top and i > best[0]:
            continue
        if long:
            score_rows(a, w, story, F1_F2, sentences[place[i] : place[i] + 1], rows)
        values = rows[F1_F2 - F1_F2, 0] if long else tables[F1_F2 - F1_F2, place[i]]
        _spread(values, place, candidates, i, difference[F1_F2], head)
        values = rows[F1_F3 - F1_F2, 0] if long else tables[F1_F3 - F1_F2, place[i]]
        _spread(values, place, candidates, i, difference[F1_F3], tail)
        tail_top = _add_unary(unary, i, head, tail)
        top = _triples(
            i, head, tail, tail_top, last, last_top, direct, shares, place, skip, best, top
        )
    return top


@compiled
def _spread(
    values: Floats, place: Ints, candidates: Ints, i: int, difference: Floats, out: Floats
) -> None:
    """Scores of candidate i with every candidate: those of their sentences and of their distance."""
    at = candidates[i] + len(difference) // 2
    for c in range(len(out)):
        out[c] = values[place[c]] + difference[at - candidates[c]]
    out[i] = -np.inf  # facts are distinct


@compiled
def _add_unary(unary: Floats, i: int, head: Floats, tail: Floats) -> float:
    """Complete the rows of first fact i and return the largest value of the tail."""
    for c in range(len(head)):
        head[c] += unary[0, i] + unary[1, c]
        tail[c] += unary[2, c]
    return _maximum(tail)


@compiled_maximum
def _bound(head: Floats, tail_top: float, last_top: Floats) -> float:
    top = -np.inf
    for j in range(len(head)):
        top = max(top, head[j] + (tail_top + last_top[j]))
    return top


@compiled
def _pairs(
    i: int,
    head: Floats,
    empty: float,
    direct: Bytes,
    linked: Bytes,
    place: Ints,
    skip: Longs,
    best: Longs,
    top: float,
) -> float:
    """Consider the pairs that begin with i."""
    for j in range(len(head)):
        total = head[j] + empty
        if total < top or j == i or not (linked[place[j]] or (direct[i] and direct[j])):
            continue
        better = total > top or _before(i, j, NO_FACT, best)
        if better and not _is(skip, i, j, NO_FACT):
            top = total
            best[0], best[1], best[2] = i, j, NO_FACT
    return top


@compiled
def _triples(
    i: int,
    head: Floats,
    tail: Floats,
    tail_top: float,
    last: Floats,
    last_top: Floats,
    direct: Bytes,
    shares: Bytes,
    place: Ints,
    skip: Longs,
    best: Longs,
    top: float,
) -> float:
    """Consider the triples that begin with i, the most promising second fact first."""
    m = len(head)
    start = 0
    for j in range(m):
        if head[j] + last_top[j] > head[start] + last_top[start]:
            start = j
    for step in range(m):
        j = start + step if start + step < m else start + step - m
        limit = head[j] + (tail_top + last_top[j])
        if limit < top or j == i:
            continue
        if limit == top and (i > best[0] or (i == best[0] and j > best[1])):
            continue
        total, k = _scan(
            i,
            j,
            head[j],
            tail,
            last[j],
            direct,
            shares[place[i]],
            shares[place[j]],
            place,
            skip,
            top,
        )
        better = total > top or (total == top and _before(i, j, k, best))
        if better and total > -np.inf:
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
def _scan(
    i: int,
    j: int,
    head: float,
    tail: Floats,
    last: Floats,
    direct: Bytes,
    linked_i: Bytes,
    linked_j: Bytes,
    place: Ints,
    skip: Longs,
    floor: float,
) -> tuple[float, int]:
    """The best third fact after i and j and its total; nothing that is under the floor matters."""
    top = -np.inf
    where = 0
    special = skip[0] == i and skip[1] == j
    linked = linked_i[place[j]]
    settled = linked or (direct[i] and direct[j])  # i and j need no third fact to be allowed
    for k in range(len(tail)):
        total = head + (tail[k] + last[k])
        if total < floor or total <= top or (special and skip[2] == k):
            continue
        to_i = linked_i[place[k]]
        to_j = linked_j[place[k]]
        others = settled or ((direct[i] or to_i) and (direct[j] or to_j))
        if others and (direct[k] or to_i or to_j):
            top = total
            where = k
    return top, where


@compiled
def _before(i: int, j: int, k: int, best: Longs) -> bool:
    if i != best[0]:
        return bool(i < best[0])
    if j != best[1]:
        return bool(j < best[1])
    return bool(k < best[2])


@compiled
def _is(skip: Longs, i: int, j: int, k: int) -> bool:
    return bool(skip[0] == i and skip[1] == j and skip[2] == k)
