"""Random problems, small enough to check by naming every candidate."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.ranking import RankingExamples, RankingProblem
from babi_cascade.svm.selection import (
    Cases,
    Differences,
    Profiles,
    SelectionExamples,
    SelectionLayout,
    SelectionProblem,
    Sizes,
)

VIEWS = ("cases", "profiles", "differences")


def csr(rows, dtype=np.int32):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    flat = [value for row in rows for value in sorted(row)]
    return ptr, np.array(flat, dtype)


def selection_problem(
    rng,
    *,
    stories=3,
    questions=2,
    items=(0, 5),
    views=VIEWS,
    chains=0.4,
    must_link=False,
    odd_gold=False,
    cases=7,
    attributes=(5, 6),
    profiles=8,
    groups=(5, 3),
    links=5,
    reach=2,
    kinds=2,
    density=0.3,
):
    """Random views; tuples and chains mixed. With ``odd_gold`` gold may be what no search may choose."""
    n_items, start, flags = [], [], []
    at = 0
    for _ in range(stories):
        most = int(rng.integers(items[0], items[1] + 1))
        n_items += [int(rng.integers(min(items[0], most), most + 1)) for _ in range(questions)]
        start += [at] * questions
        at += most
    examples = len(n_items)
    flags = rng.random(examples) < chains
    count = np.array(n_items, np.int64)
    kind = rng.integers(-1, kinds, examples)
    sizes = _sizes(rng, kinds)
    room = max([3, *count[flags]])
    labels = np.full((examples, room), -1)
    for e in range(examples):
        own = _gold_items(rng, int(count[e]), bool(flags[e]), sizes.allowed[kind[e]], odd_gold)
        labels[e, : len(own)] = own
    has = set(views)
    return SelectionProblem(
        SelectionExamples(
            SelectionLayout(
                attributes[0] if "cases" in has else 0,
                attributes[1] if "cases" in has else 0,
                np.cumsum([0, *groups] if "profiles" in has else [0]).astype(np.int32),
                2 * reach + 5 if "differences" in has else 0,
                n_sizes=5,
                chains=bool(flags.any()),
            ),
            count.astype(np.int32),
            flags.astype(np.uint8),
            kind.astype(np.int32),
            labels.astype(np.int32),
            sizes,
            _cases(rng, count, cases, attributes, density) if "cases" in has else None,
            _profiles(rng, start, at, profiles, groups, links, density)
            if "profiles" in has
            else None,
            _differences(reach) if "differences" in has else Differences(),
            must_link and "profiles" in has,
        )
    )


def _sizes(rng, kinds):
    allowed = rng.random((kinds + 1, 4)) < 0.6
    allowed[np.arange(kinds + 1), rng.integers(0, 4, kinds + 1)] = True
    rows = [np.flatnonzero(rng.random(5) < 0.4) for _ in range(4 * (kinds + 1))]
    return Sizes(*csr(rows), allowed.astype(np.uint8))


def _cases(rng, count, cases, attributes, density):
    item_rows, pair_rows = (_bags(rng, cases + extra, n, density)
                            for extra, n in zip((0, 3), attributes, strict=True))  # fmt: skip
    return Cases(
        *csr(item_rows),
        *csr(pair_rows),
        rng.integers(0, cases, int(count.sum())).astype(np.int32),
        np.cumsum([0, *count])[:-1].astype(np.int64),
        rng.integers(0, cases + 3, int((count**2).sum())).astype(np.int32),
        np.cumsum([0, *count**2])[:-1].astype(np.int64),
    )


def _profiles(rng, start, length, profiles, groups, links, density):
    def bags(size):
        return [np.flatnonzero(rng.random(size) < density) for _ in range(profiles)]

    return Profiles(
        *csr(bags(sum(groups))),
        *csr(bags(links)),
        rng.integers(0, profiles, length).astype(np.int32),
        np.array(start, np.int64),
        rng.integers(0, profiles, len(start)).astype(np.int32),
    )


def _differences(reach):
    rows = [[d, 2 * reach + 3 + (d > reach + 1)] for d in range(2 * reach + 3)]
    return Differences(*csr(rows))


def ranking_problem(
    rng, *, examples=30, attributes=12, classes=4, features=9, others=(0, 2), density=0.3
):
    """Known classes and candidates of an example's own; labels follow hidden weights, with some noise."""
    extra = rng.integers(others[0], others[1] + 1, examples)
    known = [rng.permutation(classes)[: int(rng.integers(1, classes + 1))] for _ in range(examples)]
    counts = np.array([len(own) for own in known]) + extra
    first = np.cumsum([0, *counts])
    numbers = [
        number for own, more in zip(known, extra, strict=True) for number in [*own, *[-1] * more]
    ]
    rows = _bags(rng, int(first[-1]), features, density)
    contexts = _bags(rng, examples, attributes, density)
    made = RankingExamples(
        first=first[:-1].astype(np.int64),
        counts=counts.astype(np.int32),
        classes=np.array(numbers, np.int32),
        own_ptr=csr(rows)[0],
        own_ids=csr(rows)[1],
        n_own=features,
        context_first=csr(contexts)[0][:-1],
        context_count=np.array([len(row) for row in contexts], np.int32),
        context_ids=csr(contexts)[1],
        n_contexts=attributes,
        n_classes=classes,
        labels=np.full(examples, -1, np.int32),
    )
    hidden = rng.normal(size=features + attributes * classes)
    labels = [
        int(np.argmax(scores + rng.normal(size=len(scores)) * 0.3))
        for scores in (ranking_scores(made, i, hidden) for i in range(examples))
    ]
    made.labels[:] = labels
    return RankingProblem(made)


def ranking_scores(e, i, w):
    """Scores of the candidates of an example, by the definition."""
    own, matrix = w[: e.n_own], w[e.n_own :].reshape(e.n_contexts, e.n_classes)
    context = e.context_ids[e.context_first[i] : e.context_first[i] + e.context_count[i]]
    scores = []
    for c in range(e.first[i], e.first[i] + e.counts[i]):
        score = own[e.own_ids[e.own_ptr[c] : e.own_ptr[c + 1]]].sum()
        if e.classes[c] >= 0:
            score += matrix[context, e.classes[c]].sum()
        scores.append(score)
    return np.array(scores)


def _bags(rng, rows, size, density):
    """Random lists of numbers below ``size``; a number may be there twice."""
    counts = rng.random((rows, size)) < density
    twice = counts & (rng.random((rows, size)) < 0.15)
    return [
        np.repeat(np.arange(size), one + two * 1) for one, two in zip(counts, twice, strict=True)
    ]


def _gold_items(rng, n, is_chain, sizes, odd):
    if odd and rng.random() < 0.3:
        return np.zeros(0, int) if is_chain else rng.integers(0, n, min(2, n))
    if is_chain:
        size = int(rng.integers(min(n, 1), n + 1))
        return np.sort(rng.permutation(n)[:size])
    allowed = [size for size in range(4) if sizes[size] and size <= n]
    return rng.permutation(n)[: rng.choice(allowed) if allowed else 0]
