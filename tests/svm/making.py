"""Random problems, small enough to check by naming every candidate."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from babi_cascade.svm.candidates import CandidateExamples, CandidateProblem
from babi_cascade.svm.ranking import RankingExamples, RankingProblem
from babi_cascade.svm.selection import SelectionExamples, SelectionProblem
from babi_cascade.svm.tuples import TupleExamples, TupleProblem


def csr(rows, dtype=np.int32):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    flat = [value for row in rows for value in sorted(row)]
    return ptr, np.array(flat, dtype)


def tuple_problem(
    rng,
    *,
    stories=3,
    questions=2,
    facts=(0, 7),
    sentences=8,
    words=5,
    groups=(5, 3),
    reach=2,
    max_facts=3,
    density=0.4,
):
    """Random sentences, stories and labels; gold may be a tuple that pruning forbids."""
    offsets = np.cumsum([0, *groups]).astype(np.int32)
    attributes = [np.flatnonzero(rng.random(offsets[-1]) < density) for _ in range(sentences)]
    content = [np.flatnonzero(rng.random(words) < density) for _ in range(sentences)]
    differences = [[d, 2 * reach + 3 + (d > reach + 1)] for d in range(2 * reach + 3)]
    story_facts, start, count, question, labels = [], [], [], [], []
    for _ in range(stories):
        n = int(rng.integers(facts[0], facts[1] + 1))
        for _ in range(questions):
            start.append(len(story_facts))
            count.append(int(rng.integers(min(facts[0], n), n + 1)))
            question.append(int(rng.integers(sentences)))
            size = min(int(rng.integers(0, max_facts + 1)), count[-1])
            chosen = rng.permutation(count[-1])[:size]
            labels.append([*chosen, -1, -1, -1][:3])
        story_facts.extend(rng.integers(sentences, size=n))
    return TupleProblem(
        TupleExamples(
            *csr(attributes),
            offsets,
            *csr(content),
            *csr(differences),
            2 * reach + 5,
            np.array(story_facts, np.int32),
            np.array(start, np.int64),
            np.array(count, np.int32),
            np.array(question, np.int32),
            np.array(labels, np.int32).reshape(-1, 3),
            max_facts,
        )
    )


def ranking_problem(rng, *, examples=30, attributes=12, classes=4, density=0.3):
    """Labels that depend on the attributes, with some noise."""
    bags = rng.random((examples, attributes)) < density
    truth = rng.normal(size=(attributes, classes))
    labels = np.argmax(bags @ truth + rng.normal(size=(examples, classes)) * 0.3, axis=1)
    return RankingProblem(
        RankingExamples(
            *csr([np.flatnonzero(bag) for bag in bags]),
            attributes,
            classes,
            labels.astype(np.int32),
        )
    )


def selection_problem(
    rng,
    *,
    examples=6,
    items=(0, 5),
    cases=7,
    attributes=(5, 6),
    density=0.3,
    kinds=2,
    ordered=0.6,
    odd_gold=False,
):
    """Random cases; tuples and chains mixed. With ``odd_gold`` gold may be what no search may choose."""
    item_rows, pair_rows = (_bags(rng, cases + extra, n, density)
                            for extra, n in zip((0, 3), attributes, strict=True))  # fmt: skip
    sizes = rng.random((kinds + 1, 4)) < 0.6
    sizes[np.arange(kinds + 1), rng.integers(0, 4, kinds + 1)] = True
    count = rng.integers(items[0], items[1] + 1, examples)
    tuples = rng.random(examples) < ordered
    kind = rng.integers(-1, kinds, examples)
    room = max([3, *count[~tuples]])
    labels = np.full((examples, room), -1)
    for e in range(examples):
        own = _gold_items(rng, int(count[e]), bool(tuples[e]), sizes[kind[e]], odd_gold)
        labels[e, : len(own)] = own
    return SelectionProblem(
        SelectionExamples(
            *csr(item_rows),
            attributes[0],
            *csr(pair_rows),
            attributes[1],
            rng.integers(0, cases, int(count.sum())).astype(np.int32),
            np.cumsum([0, *count])[:-1].astype(np.int64),
            count.astype(np.int32),
            rng.integers(0, cases + 3, int((count**2).sum())).astype(np.int32),
            np.cumsum([0, *count**2])[:-1].astype(np.int64),
            tuples.astype(np.uint8),
            kind.astype(np.int32),
            kinds,
            sizes.astype(np.uint8),
            labels.astype(np.int32),
        )
    )


def candidate_problem(rng, *, examples=20, candidates=(1, 5), features=9, density=0.3):
    """Candidates with random features, some of them twice; the true one follows hidden weights."""
    counts = rng.integers(candidates[0], candidates[1] + 1, examples)
    rows = _bags(rng, int(counts.sum()), features, density)
    hidden = rng.normal(size=features)
    first = np.cumsum([0, *counts]).astype(np.int64)
    values = np.array([hidden[row].sum() for row in rows]) + rng.normal(size=len(rows)) * 0.3
    labels = [int(np.argmax(values[a:b])) for a, b in pairwise(first)]
    return CandidateProblem(
        CandidateExamples(first, *csr(rows), features, np.array(labels, np.int32))
    )


def _bags(rng, rows, size, density):
    """Random lists of numbers below ``size``; a number may be there twice."""
    counts = rng.random((rows, size)) < density
    twice = counts & (rng.random((rows, size)) < 0.15)
    return [
        np.repeat(np.arange(size), one + two * 1) for one, two in zip(counts, twice, strict=True)
    ]


def _gold_items(rng, n, ordered, sizes, odd):
    if odd and rng.random() < 0.3:
        return rng.integers(0, n, min(2, n)) if ordered else np.zeros(0, int)
    if not ordered:
        size = int(rng.integers(min(n, 1), n + 1))
        return np.sort(rng.permutation(n)[:size])
    allowed = [size for size in range(4) if sizes[size] and size <= n]
    return rng.permutation(n)[: rng.choice(allowed) if allowed else 0]
