"""Choice among candidates against numpy, ties included; hostile arrays are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.external import primal_objective
from babi_cascade.svm.learner import BlockFrankWolfe
from babi_cascade.svm.ranking import RankingProblem
from tests.svm.making import ranking_problem, ranking_scores

problems = st.builds(
    lambda seed, most, density: ranking_problem(
        np.random.default_rng(seed), examples=8, others=(0, most), density=density
    ),
    seed=st.integers(0, 2**32 - 1),
    most=st.integers(0, 3),
    density=st.sampled_from([0.05, 0.3, 0.8]),
)
# Whole numbers make ties; the zero vector makes nothing but ties.
weights = st.tuples(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 3]))


def drawn(problem, recipe):
    seed, largest = recipe
    rng = np.random.default_rng(seed)
    return rng.integers(-largest, largest + 1, problem.size_joint_feature).astype(float)


@settings(max_examples=300)
@given(problems, weights)
def test_candidates_are_ranked_as_numpy_ranks_them(problem, recipe):
    w = drawn(problem, recipe)
    for i in range(problem.n_examples):
        scores = ranking_scores(problem.examples, i, w)
        label, score = problem.search(i, w)
        assert (label[0], score) == (np.argmax(scores), scores.max())
        lost = np.arange(len(scores)) != problem.gold(i)[0]
        hardest, value = problem.loss_augmented_search(i, w)
        assert (hardest[0], value) == (np.argmax(scores + lost), (scores + lost).max())
        assert problem.losses(i, hardest[None])[0] == lost[hardest[0]]
        second, less = problem.search(i, w, exclude=label)
        scores[label[0]] = -np.inf
        assert less == scores.max()
        assert second[0] == (np.argmax(scores) if len(scores) > 1 else -1)


@settings(max_examples=50)
@given(problems, weights)
def test_features_belong_to_the_score_and_a_subset_keeps_its_examples(problem, recipe):
    w = drawn(problem, recipe)
    labels, scores = problem.search_batch(np.arange(problem.n_examples), w)
    ptr, ids = problem.features_batch(np.arange(problem.n_examples), labels)
    for i, score in enumerate(scores):
        assert w[ids[ptr[i] : ptr[i + 1]]].sum() == score
        assert problem.joint_feature(i, labels[i]) @ w == score
    chosen = [5, 0, 0, 7]
    part = problem.subset(chosen)
    assert part.predict(w).tolist() == labels[chosen].tolist()
    assert part.scores(w).tolist() == scores[chosen].tolist()
    assert part.gold_batch(np.arange(4)).tolist() == problem.gold_batch(np.array(chosen)).tolist()


def test_the_learner_proves_the_optimum():
    problem = ranking_problem(np.random.default_rng(2), examples=40)
    fitted = BlockFrankWolfe(C=0.3, gap=1e-4).fit(problem)
    assert fitted.converged_
    assert fitted.primal_ == pytest.approx(primal_objective(problem, fitted.coef_, 0.3), rel=1e-12)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        other = fitted.coef_ + size * rng.normal(size=len(fitted.coef_))
        assert primal_objective(problem, other, 0.3) >= fitted.dual_


def test_candidates_that_are_not_known_to_be_true_cannot_be_learned_from():
    known = ranking_problem(np.random.default_rng(2))
    labels = known.examples.labels.copy()
    labels[:3] = -1
    unknown = RankingProblem(replace(known.examples, labels=labels))
    w = np.random.default_rng(2).normal(size=known.size_joint_feature)
    assert unknown.predict(w).tolist() == known.predict(w).tolist()
    with pytest.raises(SvmError, match="3 of 30 examples have no true candidate"):
        BlockFrankWolfe().fit(unknown)


def hostile(e):
    """Ways to make the arrays of good examples lie, each with the rule that it breaks."""
    yield replace(e, first=e.first[:-1]), "match the labels"
    yield replace(e, counts=e.counts[:0]), "match the labels"
    yield replace(e, context_first=e.context_first[:-1]), "match the labels"
    yield replace(e, labels=e.labels[:3]), "match the labels"
    yield replace(e, counts=e.counts * 0), "needs a candidate"
    yield replace(e, first=e.first + 99), "candidates of examples"
    yield replace(e, first=e.first - 1), "candidates of examples"
    yield replace(e, counts=e.counts + 99), "candidates of examples"
    yield replace(e, classes=e.classes + 9), "have a class"
    yield replace(e, classes=e.classes - 9), "have a class"
    yield replace(e, classes=e.classes[:-1]), "candidates of examples|own_ptr"
    yield replace(e, n_classes=1), "have a class"
    yield replace(e, own_ptr=e.own_ptr[:-1]), "own_ptr"
    yield replace(e, own_ptr=e.own_ptr[:0]), "own_ptr"
    yield replace(e, own_ptr=e.own_ptr + 1), "own_ptr"
    yield replace(e, own_ptr=np.array([0, 10**6, *e.own_ptr[2:]])), "own_ptr"
    yield replace(e, own_ids=e.own_ids + e.n_own), "numbered"
    yield replace(e, own_ids=e.own_ids - 1), "numbered"
    yield replace(e, n_own=0), "numbered"
    yield replace(e, context_ids=e.context_ids - 1), "context attributes"
    yield replace(e, n_contexts=1), "context attributes"
    yield replace(e, context_count=e.context_count + 999), "contexts of examples"
    yield replace(e, context_count=-e.context_count - 1), "contexts of examples"
    yield replace(e, context_first=e.context_first - 1), "contexts of examples"
    yield replace(e, labels=e.labels + 99), "labels must be candidates"
    yield replace(e, labels=e.labels - 99), "labels must be candidates"
    yield replace(e, n_contexts=2**30), "too many weights"


def test_arrays_that_point_outside_are_refused():
    problem = ranking_problem(np.random.default_rng(3))
    for examples, rule in hostile(problem.examples):
        with pytest.raises(SvmError, match=rule):
            RankingProblem(examples)


def test_labels_that_do_not_fit_are_refused():
    problem = ranking_problem(np.random.default_rng(3))
    every, w = np.arange(30), np.zeros(problem.size_joint_feature)
    gold = problem.gold_batch(every)
    for wrong in (gold + 99, gold - 99):
        with pytest.raises(SvmError, match="a candidate that its example does not have"):
            problem.features_batch(every, wrong)
    for name in ("gold", "exclude"):
        for wrong in (gold[:2], gold[:, :0], gold[:, 0]):
            with pytest.raises(SvmError, match="one label for each example"):
                problem.search_batch(every, w, **{name: wrong})
    with pytest.raises(SvmError, match="must be numbered"):
        problem.search(30, w)
