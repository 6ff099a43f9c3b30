"""The compiled search against naming every candidate and against numpy, ties included."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.reference import broadcast, brute_force
from tests.svm.making import ranking_problem, tuple_problem

problems = st.builds(
    lambda seed, facts, max_facts, density, words: tuple_problem(
        np.random.default_rng(seed),
        facts=(min(facts, 3), facts),
        max_facts=max_facts,
        density=density,
        words=words,
    ),
    seed=st.integers(0, 2**32 - 1),
    facts=st.integers(0, 8),
    max_facts=st.integers(1, 3),
    density=st.sampled_from([0.1, 0.25, 0.5, 0.9]),
    words=st.integers(1, 8),
)
# Whole numbers make ties; the zero vector makes nothing but ties.
weights = st.tuples(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 3]))


def drawn(problem, recipe):
    seed, largest = recipe
    rng = np.random.default_rng(seed)
    return rng.integers(-largest, largest + 1, problem.size_joint_feature).astype(float)


def one(problem, i, w, gold=None, exclude=None):
    labels, scores = problem.search_batch(
        np.array([i]),
        w,
        gold=None if gold is None else gold[None],
        exclude=None if exclude is None else exclude[None],
    )
    return labels[0], scores[0]


def same(found, expected):
    assert found[0].tolist() == expected[0].tolist()
    assert found[1] == expected[1]


@settings(max_examples=300)
@given(problems, weights)
def test_three_searches_agree_to_the_last_bit(problem, recipe):
    w = drawn(problem, recipe)
    for i in range(problem.n_examples):
        for gold in (None, problem.gold(i)):
            best = one(problem, i, w, gold)
            same(best, brute_force(problem, i, w, gold=gold))
            same(best, broadcast(problem, i, w, gold=gold))
            second = one(problem, i, w, gold, exclude=best[0])
            same(second, brute_force(problem, i, w, gold=gold, exclude=best[0]))
            same(second, broadcast(problem, i, w, gold=gold, exclude=best[0]))
            assert second[1] <= best[1]


@settings(max_examples=100)
@given(problems, st.integers(0, 2**32 - 1))
def test_real_weights_give_the_same_tuple(problem, seed):
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for i in range(problem.n_examples):
        for gold in (None, problem.gold(i)):
            label, score = one(problem, i, w, gold)
            expected, value = brute_force(problem, i, w, gold=gold)
            assert label.tolist() == expected.tolist()
            assert score == pytest.approx(value, abs=1e-9)


@settings(max_examples=50)
@given(problems, st.integers(0, 2**32 - 1))
def test_a_score_is_the_sum_of_the_weights_of_the_features(problem, seed):
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for i in range(problem.n_examples):
        label, score = problem.search(i, w)
        _, ids = problem.features(i, label[None])
        assert score == pytest.approx(w[ids].sum(), abs=1e-9)
        assert problem.joint_feature(i, label) @ w == pytest.approx(score, abs=1e-9)
        hardest, value = problem.loss_augmented_search(i, w)
        _, ids = problem.features(i, hardest[None])
        loss = problem.losses(i, hardest[None])[0]
        assert value == pytest.approx(w[ids].sum() + loss, abs=1e-9)


@settings(max_examples=50)
@given(problems, weights)
def test_examples_searched_together_or_alone_are_the_same(problem, recipe):
    w = drawn(problem, recipe)
    together = problem.predict(w)
    assert [
        problem.search(i, w)[0].tolist() for i in range(problem.n_examples)
    ] == together.tolist()
    backwards = np.arange(problem.n_examples)[::-1]
    assert problem.subset(backwards).predict(w).tolist() == together[backwards].tolist()


def test_long_stories_that_keep_no_tables_are_searched_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    sizes = {"stories": 1, "questions": 2, "groups": (12, 4), "words": 9, "density": 0.2}
    problem = tuple_problem(rng, facts=(1300, 1300), sentences=1200, **sizes)
    w = rng.integers(-3, 4, problem.size_joint_feature).astype(float)
    label, score = problem.search(0, w)
    _, ids = problem.features(0, label[None])
    assert score == w[ids].sum()
    # nobody names 2 * 10^9 tuples: any other tuple that is tried must not be better
    n = int(problem.examples.n_facts[0])
    others = np.array([rng.permutation(n)[:3] for _ in range(20_000)], np.int32)
    ptr, ids = problem.features(0, others)
    totals = np.add.reduceat(w[ids], ptr[:-1])
    linked = _allowed(problem, 0, others)
    assert totals[linked].max() <= score


def _allowed(problem, i, tuples):
    e = problem.examples
    content = np.zeros((len(e.content_ptr) - 1, 9), bool)
    content[np.repeat(np.arange(len(content)), np.diff(e.content_ptr)), e.content_ids] = True
    facts = content[e.story_facts[e.fact_start[i] + tuples]]  # [k, 3, words]
    x = (facts & content[e.question[i]]).any(2)
    ij, jk, ik = ((facts[:, p] & facts[:, q]).any(1) for p, q in ((0, 1), (1, 2), (0, 2)))
    return (x[:, 0] | ij | ik) & (x[:, 1] | ij | jk) & (x[:, 2] | ik | jk)


@pytest.mark.skipif(
    sys.platform != "linux", reason="reads the peak memory of a process as Linux has it"
)
def test_two_thousand_facts_stay_under_100_megabytes():
    code = """
import resource, numpy as np
from tests.svm.making import tuple_problem
sizes = dict(stories=1, questions=1, groups=(30,), words=30, density=0.15, sentences=2000)
small = tuple_problem(np.random.default_rng(0), facts=(5, 5), **sizes)
large = tuple_problem(np.random.default_rng(0), facts=(2000, 2000), **sizes)
w = np.random.default_rng(1).normal(size=small.size_joint_feature)
gold = small.gold_batch(np.arange(1))
small.search_batch(np.arange(1), w, gold=gold)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
large.examples.n_facts[0] == 2000 or exit(3)
large.search_batch(np.arange(1), w, gold=gold)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=root, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 100


def test_weights_are_where_the_layout_says():
    problem = tuple_problem(np.random.default_rng(2), facts=(4, 4), questions=1, groups=(4, 2))
    e, block = problem.examples, problem.block
    assert block == 4 * 4 + 2 * 2 + e.n_difference_features
    assert problem.size_joint_feature == 6 * block + 3
    _, ids = problem.features(0, np.array([[1, 0, -1]], np.int32))
    facts = e.story_facts[e.fact_start[0] :]

    def attributes(s):
        return e.attribute_ids[e.attribute_ptr[s] : e.attribute_ptr[s + 1]]

    expected = [6 * block + 2]
    pairs = [
        (0, e.question[0], facts[1], 4 - 1),
        (1, e.question[0], facts[0], 4 - 0),
        (3, facts[1], facts[0], 1 - 0),
    ]
    for pair, first, second, difference in pairs:
        row = max(-3, min(3, difference)) + 3
        for d in e.difference_ids[e.difference_ptr[row] : e.difference_ptr[row + 1]]:
            expected.append(pair * block + 20 + d)
        for p in attributes(first):
            for q in attributes(second):
                if p < 4 and q < 4:
                    expected.append(pair * block + p * 4 + q)
                if p >= 4 and q >= 4:
                    expected.append(pair * block + 16 + (p - 4) * 2 + (q - 4))
    assert sorted(ids) == sorted(expected)


def test_arrays_that_point_outside_are_refused():
    problem = tuple_problem(np.random.default_rng(0), facts=(4, 4))
    e = problem.examples
    with pytest.raises(SvmError, match="facts must be sentences"):
        type(problem)(replace(e, story_facts=e.story_facts + 1000))
    with pytest.raises(SvmError, match="positions of facts"):
        type(problem)(replace(e, labels=e.labels + 100))
    with pytest.raises(SvmError, match="inside the groups"):
        type(problem)(replace(e, attribute_ids=e.attribute_ids + 100))


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 5]))
def test_classes_are_ranked_as_numpy_ranks_them(seed, largest):
    rng = np.random.default_rng(seed)
    problem = ranking_problem(rng, examples=12)
    e = problem.examples
    w = rng.integers(-largest, largest + 1, problem.size_joint_feature).astype(float)
    matrix = w.reshape(e.n_attributes, e.n_classes)
    for i in range(problem.n_examples):
        scores = matrix[e.attribute_ids[e.attribute_ptr[i] : e.attribute_ptr[i + 1]]].sum(0)
        label, score = problem.search(i, w)
        assert label[0] == np.argmax(scores)
        assert score == scores.max()
        loss = np.arange(e.n_classes) != e.labels[i]
        hardest, value = problem.loss_augmented_search(i, w)
        assert hardest[0] == np.argmax(scores + loss)
        assert value == (scores + loss).max()
        second, _ = problem.search(i, w, exclude=label)
        scores[label[0]] = -np.inf
        assert second[0] == np.argmax(scores)


def test_a_subset_of_a_ranking_keeps_its_examples():
    problem = ranking_problem(np.random.default_rng(4))
    w = np.random.default_rng(5).normal(size=problem.size_joint_feature)
    chosen = [7, 2, 2, 29]
    assert problem.subset(chosen).predict(w).tolist() == problem.predict(w)[chosen].tolist()
