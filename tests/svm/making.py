"""Random problems, small enough to check by naming every candidate."""

from __future__ import annotations

import numpy as np

from svm.ranking import RankingExamples, RankingProblem
from svm.tuples import TupleExamples, TupleProblem


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
