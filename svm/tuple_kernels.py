"""Search of many examples: what each asks of its story, and the gold tuple beside the pruned ones."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.cube_kernels import NO_FACT, best_tuple
from babi_cascade.svm.story_kernels import (
    Story,
    difference_scores,
    score_rows,
    share_rows,
    tell_story,
)
from babi_cascade.svm.tuple_arrays import F1_F2, F1_F3, F2_F3, N_PAIRS, X_F1, TupleArrays

MISS = 1.0 / 3.0  # the loss of one slot that differs from gold


@compiled
def search_batch(
    a: TupleArrays,
    w: Floats,
    examples: Longs,
    gold: Ints,  # [k, 3], or [0, 3] for a plain search
    exclude: Ints,  # [k, 3], or [0, 3] to exclude nothing
    labels: Ints,  # [k, 3], written
    scores: Floats,  # [k], written
) -> None:
    """Search each of the examples; neighbours of one story share its tables."""
    span = 0
    for e in examples:
        span = max(span, a.n_facts[e])
    difference = difference_scores(a, w, span)
    number = np.full(len(a.attribute_ptr) - 1, -1, np.int32)
    known = np.full(len(a.attribute_group), -1, np.int32)
    content = np.zeros(a.n_content, np.uint8)
    start = 0
    while start < len(examples):
        first = a.fact_start[examples[start]]
        n = 0
        stop = start
        while stop < len(examples) and a.fact_start[examples[stop]] == first:
            n = max(n, a.n_facts[examples[stop]])
            stop += 1
        story = tell_story(a, w, first, n, number, known, content)
        for r in range(start, stop):
            _search_one(
                a, w, story, difference, content, examples[r],
                gold[r : r + 1], exclude[r : r + 1], labels[r], scores[r : r + 1],
            )  # fmt: skip
        start = stop


@compiled
def _search_one(
    a: TupleArrays,
    w: Floats,
    story: Story,
    difference: Floats,
    content: Bytes,
    example: int,
    gold: Ints,
    exclude: Ints,
    label: Ints,
    score: Floats,
) -> None:
    n = a.n_facts[example]
    place = story.place
    span = difference.shape[1] // 2
    count = len(story.sentences)
    empty = w[N_PAIRS * a.block :].copy()
    asked = np.zeros((1, count), np.uint8)
    share_rows(a, a.question[example : example + 1], story.sentences, content, asked)
    candidates = _candidates(story.place, story.shares, asked[0], n, a.max_facts)
    m = len(candidates)

    with_x = np.empty((3, 1, count))
    score_rows(a, w, story, X_F1, a.question[example : example + 1], with_x)
    unary = np.empty((3, m))
    for slot in range(3):
        for c in range(m):
            t = candidates[c]
            unary[slot, c] = with_x[slot, 0, place[t]] + difference[slot, n - t + span]
            if len(gold) and gold[0, slot] != t:
                unary[slot, c] += MISS
        if len(gold) and gold[0, slot] >= 0:
            empty[slot] += MISS

    skip = np.full(3, -2, np.int64)  # the tuple to leave out, as numbers of candidates
    if len(exclude):
        for slot in range(3):
            skip[slot] = NO_FACT if exclude[0, slot] < 0 else -2
            for c in range(m):
                if candidates[c] == exclude[0, slot]:
                    skip[slot] = c
    best = np.full(3, NO_FACT, np.int64)
    top = -np.inf
    if m == 0 and not (skip[0] == NO_FACT and skip[1] == NO_FACT and skip[2] == NO_FACT):
        top = (empty[0] + empty[1]) + empty[2]
    if m > 0:
        top = best_tuple(a, w, story, difference, candidates, asked[0], unary, empty, skip, best)
    for slot in range(3):
        label[slot] = -1 if best[slot] == NO_FACT else candidates[best[slot]]
    if len(gold):
        top = _consider_gold(
            a, w, story, difference, with_x, n, gold[0], exclude, empty, label, top
        )
    score[0] = top


@compiled
def _candidates(place: Ints, shares: Bytes, asked: Bytes, n: int, max_facts: int) -> Ints:
    """The facts that share content with the question or with any other fact (a lone fact has none)."""
    out = np.empty(n, np.int32)
    m = 0
    for t in range(n):
        v = place[t]
        keep = asked[v] != 0
        if not keep and max_facts > 1:
            for other in range(n):
                if other != t and shares[v, place[other]]:
                    keep = True
                    break
        if keep:
            out[m] = t
            m += 1
    return out[:m]


@compiled
def _consider_gold(
    a: TupleArrays,
    w: Floats,
    story: Story,
    difference: Floats,
    with_x: Floats,
    n: int,
    gold: Ints,
    exclude: Ints,
    empty: Floats,
    label: Ints,
    top: float,
) -> float:
    """Gold itself is always allowed, even where pruning would forbid it; its loss is 0."""
    if len(exclude) and np.all(exclude[0] == gold):
        return top
    rows = np.empty((3, 1, len(story.sentences)))
    unary = np.empty(3)
    span = difference.shape[1] // 2
    for slot in range(3):
        unary[slot] = empty[slot]
        if gold[slot] >= 0:
            unary[slot] = (
                with_x[slot, 0, story.place[gold[slot]]] + difference[slot, n - gold[slot] + span]
            )
    pairs = np.zeros(N_PAIRS)
    for pair, p, q in ((F1_F2, 0, 1), (F2_F3, 1, 2), (F1_F3, 0, 2)):
        if gold[q] >= 0:
            v = story.place[gold[p]]
            if len(story.tables):
                values = story.tables[pair - F1_F2, v]
            else:
                score_rows(a, w, story, F1_F2, story.sentences[v : v + 1], rows)
                values = rows[pair - F1_F2, 0]
            pairs[pair] = values[story.place[gold[q]]] + difference[pair, gold[p] - gold[q] + span]
    if gold[2] >= 0:
        total = (pairs[F1_F2] + (unary[0] + unary[1])) + ((pairs[F1_F3] + unary[2]) + pairs[F2_F3])
    elif gold[1] >= 0:
        total = (pairs[F1_F2] + (unary[0] + unary[1])) + unary[2]
    else:
        total = (unary[0] + unary[1]) + unary[2]
    if total > top or (total == top and _earlier(gold, label)):
        label[:] = gold
        return float(total)
    return top


@compiled
def _earlier(one: Ints, other: Ints) -> bool:
    for slot in range(3):
        p = NO_FACT if one[slot] < 0 else one[slot]
        q = NO_FACT if other[slot] < 0 else other[slot]
        if p != q:
            return p < q
    return False
