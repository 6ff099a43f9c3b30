"""Working sets grow and shrink in place, and hold what a dictionary would."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.svm import working_sets
from babi_cascade.svm.working_sets import DualState, only_gold
from tests.svm.making import ranking_problem


def held(state):
    """What is in the working sets: (example, label) to loss, multiplier and difference of features."""
    p = state.planes
    found = {}
    for i in range(len(p.first) - 1):
        for j in range(p.first[i], p.first[i + 1]):
            features = Counter()
            for f in p.ids[p.ptr[j] : p.ptr[j + 1]].tolist():
                features[f if f >= 0 else ~f] += 1 if f >= 0 else -1
            found[i, int(p.labels[j, 0])] = (float(p.losses[j]), float(p.alphas[j]), features)
    assert len(found) == len(p.losses) == len(p.alphas) == len(p.labels) == len(p.ptr) - 1
    assert p.ptr[-1] == len(p.ids)
    return found


def difference(problem, example, label):
    gold = problem.features_batch(np.array([example]), problem.gold_batch(np.array([example])))[1]
    own = problem.features_batch(np.array([example]), np.array([[label]], np.int32))[1]
    features = Counter(gold.tolist())
    features.subtract(own.tolist())
    return Counter({f: n for f, n in features.items() if n})


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), portion=st.sampled_from([1, 2, 5, 64]), rounds=st.integers(1, 6))
def test_they_hold_what_was_put_in_and_carries_weight(seed, portion, rounds):
    rng = np.random.default_rng(seed)
    problem = ranking_problem(rng, examples=12, classes=5)
    state = DualState(problem, only_gold(problem, 1.0))
    expected = {
        (i, int(label)): (0.0, 1.0, Counter())
        for i, (label,) in enumerate(problem.gold_batch(np.arange(12)))
    }
    before = working_sets.PORTION
    working_sets.PORTION = portion
    try:
        for _ in range(rounds):
            examples = rng.permutation(12)[: rng.integers(0, 13)].astype(np.int64)
            labels = rng.integers(0, problem.examples.counts[examples])[:, None].astype(np.int32)
            new = 0
            for i, (label,) in zip(examples.tolist(), labels.tolist(), strict=True):
                if (i, label) not in expected:
                    new += 1
                    expected[i, label] = (1.0, 0.0, difference(problem, i, label))
            assert state.add(examples, labels) == new
            assert held(state) == expected

            p = state.planes
            p.alphas[:] = rng.random(len(p.alphas)) * (rng.random(len(p.alphas)) < 0.5)
            gold = {(i, int(label)) for i, (label,) in enumerate(problem.gold_batch(np.arange(12)))}
            expected = {k: v for k, v in held(state).items() if k in gold or v[1] > 0}
            state.drop_idle()
            assert held(state) == expected
            state.refresh()
            for f, weight in enumerate(state.w):
                total = sum(alpha * features[f] for _, alpha, features in expected.values())
                assert abs(weight - total) < 1e-9
    finally:
        working_sets.PORTION = before
