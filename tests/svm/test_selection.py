"""Selection of tuples and chains against naming every label, ties included; hostile arrays are refused."""

from __future__ import annotations

import time
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.external import primal_objective
from babi_cascade.svm.learner import BlockFrankWolfe
from babi_cascade.svm.selection import SelectionProblem
from babi_cascade.svm.selection_kernels import may_be_chosen
from tests.svm.making import VIEWS, selection_problem
from tests.svm.reference import (
    as_label,
    broadcast,
    brute_force,
    chain_value,
    filled,
    labels_of,
    loss,
    prepare,
    scores_of,
    tuple_value,
)

seeds = st.integers(0, 2**32 - 1)
problems = st.builds(
    lambda seed, items, **more: selection_problem(
        np.random.default_rng(seed), items=(0, items), **more
    ),
    seed=seeds,
    items=st.integers(0, 5),
    density=st.sampled_from([0.05, 0.3, 0.7]),
    kinds=st.integers(0, 3),
    chains=st.sampled_from([0.0, 0.5, 1.0]),
    views=st.sets(st.sampled_from(VIEWS), min_size=1),
    must_link=st.booleans(),
)
# Whole numbers make ties; the zero vector makes nothing but ties.
weights = st.tuples(seeds, st.sampled_from([0, 1, 3]))


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


def same(problem, i, found, expected, *, w, gold=None, exclude=None):
    """The same score to the last bit; the same tuple, or a chain that is allowed and worth it."""
    label, score = filled(found[0]), found[1]
    assert score == expected[1]
    assert found[0].tolist() == as_label(label, problem.label_length).tolist()
    if not problem.examples.chain[i] or not np.isfinite(score):
        assert label == filled(expected[0])
        return
    assert label in labels_of(problem, i)
    true = None if gold is None else filled(gold)
    assert chain_value(scores_of(problem, i, prepare(problem, w)), label, true) == score
    assert exclude is None or label != filled(exclude)


def by_cube(problem, i, w, found, **more):
    """A third opinion, on tuples."""
    if not problem.examples.chain[i]:
        label, score = broadcast(problem, i, w, **more)
        assert (found[0].tolist(), found[1]) == (label.tolist(), score)


def searched_four_times(problem, w):
    for i in range(problem.n_examples):
        for gold in (None, problem.gold(i)):
            best = one(problem, i, w, gold)
            same(problem, i, best, brute_force(problem, i, w, gold=gold), w=w, gold=gold)
            by_cube(problem, i, w, best, gold=gold)
            given_up = {"gold": gold, "exclude": best[0]}
            second = one(problem, i, w, **given_up)
            same(problem, i, second, brute_force(problem, i, w, **given_up), w=w, **given_up)
            by_cube(problem, i, w, second, **given_up)
            assert second[1] <= best[1]
            assert filled(second[0]) != filled(best[0]) or second[1] == -np.inf


@settings(max_examples=500)
@given(problems, weights)
def test_the_search_finds_what_naming_every_label_finds(problem, recipe):
    searched_four_times(problem, drawn(problem, recipe))


@settings(max_examples=150)
@given(problems, seeds)
def test_real_weights_give_the_same_label(problem, seed):
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for i in range(problem.n_examples):
        for gold in (None, problem.gold(i)):
            label, score = one(problem, i, w, gold)
            expected, value = brute_force(problem, i, w, gold=gold)
            assert score == pytest.approx(value, abs=1e-9)
            if not problem.examples.chain[i]:
                assert label.tolist() == expected.tolist()


@settings(max_examples=200)
@given(problems, weights, st.data())
def test_any_label_can_be_left_out(problem, recipe, data):
    w = drawn(problem, recipe)
    for i in range(problem.n_examples):
        left_out = data.draw(st.sampled_from(labels_of(problem, i)))
        gold = data.draw(st.sampled_from([None, problem.gold(i)]))
        exclude = as_label(left_out, problem.label_length)
        found = one(problem, i, w, gold, exclude)
        expected = brute_force(problem, i, w, gold=gold, exclude=exclude)
        same(problem, i, found, expected, w=w, gold=gold, exclude=exclude)


@settings(max_examples=150)
@given(problems, seeds)
def test_a_score_is_the_sum_of_the_weights_of_the_features(problem, seed):
    w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
    for i in range(problem.n_examples):
        label, score = problem.search(i, w)
        _, ids = problem.features(i, label[None])
        assert score == pytest.approx(w[ids].sum(), abs=1e-9)
        assert problem.joint_feature(i, label) @ w == pytest.approx(score, abs=1e-9)
        hardest, value = problem.loss_augmented_search(i, w)
        _, ids = problem.features(i, hardest[None])
        lost = problem.losses(i, hardest[None])[0]
        assert value == pytest.approx(w[ids].sum() + lost, abs=1e-9)


@settings(max_examples=100)
@given(problems, st.data())
def test_every_label_has_the_features_and_the_loss_of_the_definition(problem, data):
    w = drawn(problem, data.draw(st.tuples(seeds, st.just(5))))
    for i in range(problem.n_examples):
        label = data.draw(st.sampled_from(labels_of(problem, i)))
        row = as_label(label, problem.label_length)
        is_chain = bool(problem.examples.chain[i])
        scores = scores_of(problem, i, prepare(problem, w))
        value = (chain_value if is_chain else tuple_value)(scores, label)
        _, ids = problem.features(i, row[None])
        assert w[ids].sum() == value
        expected = pytest.approx(loss(is_chain, filled(problem.gold(i)), label))
        assert problem.losses(i, row[None])[0] == expected
        assert problem.max_loss(problem.gold(i)) >= problem.losses(i, row[None])[0]


@settings(max_examples=50)
@given(problems, weights)
def test_examples_searched_together_or_alone_are_the_same(problem, recipe):
    w = drawn(problem, recipe)
    together, scores = problem.search_batch(np.arange(problem.n_examples), w)
    for i in range(problem.n_examples):
        label, score = problem.search(i, w)
        assert label.tolist() == together[i].tolist()
        assert score == scores[i]
    backwards = np.arange(problem.n_examples)[::-1]
    assert problem.subset(backwards).predict(w).tolist() == together[backwards].tolist()
    assert (
        problem.subset([2, 2]).gold_batch(np.arange(2)).tolist() == [problem.gold(2).tolist()] * 2
    )


@settings(max_examples=40)
@given(seeds, weights)
def test_gold_that_may_not_be_chosen_is_a_candidate_of_training_all_the_same(seed, recipe):
    """An item twice, a number of items that is not allowed, an empty chain: the hinge stays ≥ 0."""
    problem = selection_problem(
        np.random.default_rng(seed), items=(1, 4), odd_gold=True, must_link=True
    )
    w = drawn(problem, recipe)
    for i in range(problem.n_examples):
        gold = problem.gold(i)
        label, value = problem.loss_augmented_search(i, w)
        _, ids = problem.features(i, gold[None])
        _, top = brute_force(problem, i, w, gold=gold)
        assert value == pytest.approx(max(w[ids].sum(), top), abs=1e-9)
        assert filled(label) == filled(gold) or filled(label) in labels_of(problem, i)
        assert filled(problem.search(i, w)[0]) in labels_of(problem, i)
    assert problem.hinge(w) >= 0
    fitted = BlockFrankWolfe(C=0.1, gap=1e-2).fit(problem)
    assert fitted.dual_ <= fitted.primal_


# -- the learner -------------------------------------------------------------------------------------


@pytest.mark.parametrize("chains", [0.0, 0.5, 1.0])
def test_the_learner_proves_the_optimum(chains):
    problem = selection_problem(
        np.random.default_rng(11), stories=30, items=(2, 7), cases=30, chains=chains
    )
    fitted = BlockFrankWolfe(C=0.3, gap=1e-4).fit(problem)
    assert fitted.converged_
    assert fitted.primal_ == pytest.approx(primal_objective(problem, fitted.coef_, 0.3), rel=1e-12)
    better = BlockFrankWolfe(C=0.3, gap=1e-7).fit(problem)
    assert fitted.dual_ <= better.primal_ * (1 + 1e-12)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-1, 1.0):
        other = better.coef_ + size * rng.normal(size=len(better.coef_))
        assert primal_objective(problem, other, 0.3) >= better.dual_


def test_what_can_be_learned_is_learned():
    """Gold by hidden weights: training finds weights that choose the same."""
    problem = selection_problem(np.random.default_rng(5), stories=40, items=(3, 6), cases=40)
    hidden = np.random.default_rng(6).normal(size=problem.size_joint_feature)
    labels = problem.predict(hidden)
    taught = SelectionProblem(replace(problem.examples, labels=labels))
    fitted = BlockFrankWolfe(C=10.0).fit(taught)
    right = np.mean(np.all(taught.predict(fitted.coef_) == labels, axis=1))
    assert right >= 0.95


# -- size --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chains", [0.0, 1.0])
def test_a_long_example_takes_little_time_and_memory(chains):
    rng = np.random.default_rng(7)
    problem = selection_problem(
        rng,
        stories=1,
        items=(230, 230),
        kinds=0,
        cases=300,
        attributes=(40, 60),
        density=0.1,
        chains=chains,
    )
    w = rng.normal(size=problem.size_joint_feature)
    problem.search(0, w)  # compiled by now
    tracemalloc.start()
    begun = time.process_time()
    label, score = problem.search(0, w)
    second, less = problem.search(0, w, exclude=label)
    seconds = time.process_time() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seconds < 2  # 12 million triples, most of them never looked at
    assert peak < 20e6
    assert filled(label) != filled(second)
    assert less <= score
    _, ids = problem.features(0, np.stack([label, second]))
    assert w[ids].sum() == pytest.approx(score + less)


def test_many_items_keep_no_tables_and_are_searched_the_same():
    """Nobody names 2 * 10^9 tuples: any other tuple that is tried must not be better."""
    rng = np.random.default_rng(5)
    problem = selection_problem(
        rng, stories=1, questions=1, items=(1300, 1300), profiles=1200, groups=(12, 4), links=9,
        density=0.2, chains=0.0, kinds=0, must_link=True, cases=50,
    )  # fmt: skip
    w = rng.integers(-3, 4, problem.size_joint_feature).astype(float)
    label, score = problem.search(0, w)
    _, ids = problem.features(0, label[None])
    assert score == w[ids].sum()
    others = np.array([rng.permutation(1300)[:3] for _ in range(20_000)], np.int32)
    ptr, ids = problem.features(0, others)
    totals = np.add.reduceat(w[ids], ptr[:-1])
    allowed = may_be_chosen(problem._arrays, np.zeros(len(others), np.int64), others)
    assert 0 < allowed.sum() < len(others)
    assert totals[allowed].max() <= score


def test_five_thousand_items_take_memory_for_their_numbers_and_little_else():
    rng = np.random.default_rng(5)
    sizes = {"stories": 1, "questions": 1, "chains": 0.0, "kinds": 0, "density": 0.1}
    small = selection_problem(rng, items=(9, 9), profiles=2000, groups=(30,), **sizes)
    large = selection_problem(rng, items=(5000, 5000), profiles=2000, groups=(30,), **sizes)
    w = rng.normal(size=small.size_joint_feature)
    small.search(0, w)  # compiled by now
    tracemalloc.start()
    large.search(0, w)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6  # a table of all pairs would be 200 MB


# -- what is refused ---------------------------------------------------------------------------------


def hostile(e):
    """Ways to make the arrays of good examples lie, each with the rule that it breaks."""
    layout, c, p, s, d = e.layout, e.cases, e.profiles, e.sizes, e.differences

    def cases(**changed):
        return replace(e, cases=replace(c, **changed))

    def profiles(**changed):
        return replace(e, profiles=replace(p, **changed))

    def laid(**changed):
        return replace(e, layout=replace(layout, **changed))

    def sized(**changed):
        return replace(e, sizes=replace(s, **changed))

    yield laid(n_item_attributes=-1), "less than no weights"
    yield laid(n_sizes=-1), "less than no weights"
    yield laid(chains=False), "chains need blocks"
    yield laid(group_offsets=layout.group_offsets[:0]), "groups must be numbered"
    yield laid(group_offsets=layout.group_offsets + 1), "groups must be numbered"
    yield laid(group_offsets=layout.group_offsets[:2]), "inside the groups"
    yield laid(n_item_attributes=1), "item attributes"
    yield laid(n_pair_attributes=1), "pair attributes"
    yield laid(n_differences=1), "differences must be numbered"
    yield laid(n_sizes=1), "features of sizes"
    yield replace(e, differences=replace(d, ptr=d.ptr[:3])), "2R"
    yield replace(e, differences=replace(d, ids=d.ids - 1)), "differences must be numbered"
    yield cases(item_ptr=np.array([0, 10**6, *c.item_ptr[2:]])), "item attributes"
    yield cases(item_ptr=c.item_ptr + 1), "item attributes"
    yield cases(item_ptr=c.item_ptr[:0]), "item attributes"
    yield cases(item_ptr=np.array([-5, *c.item_ptr[1:]])), "item attributes"
    yield cases(pair_ptr=np.array([0, 10**6, *c.pair_ptr[2:]])), "pair attributes"
    yield cases(item_ids=c.item_ids - 1), "item attributes"
    yield cases(pair_ids=c.pair_ids - 1), "pair attributes"
    yield cases(items=c.items + 1000), "items must be cases"
    yield cases(pairs=c.pairs - 1000), "pairs must be cases"
    yield cases(item_start=c.item_start + 1000), "inside items"
    yield cases(item_start=c.item_start[:1]), "as many"
    yield cases(pair_start=c.pair_start - 1000), "inside pairs"
    yield cases(pair_start=c.pair_start[:-1]), "as many"
    yield profiles(ptr=p.ptr[:-1]), "inside the groups"
    yield profiles(ids=p.ids + 100), "inside the groups"
    yield profiles(ids=np.zeros_like(p.ids)), "must ascend"
    yield profiles(link_ptr=p.link_ptr[:-1]), "row of links"
    yield profiles(link_ids=p.link_ids - 1), "row of links"
    yield profiles(items=p.items + 1000), "items must be profiles"
    yield profiles(query=p.query - 1000), "queries must be profiles"
    yield profiles(query=p.query[:-1]), "as many"
    yield profiles(start=p.start + 1000), "inside profiles"
    yield replace(e, profiles=None, must_link=True), "linked by their profiles"
    yield replace(e, n_items=e.n_items + 1000), "inside"
    yield replace(e, n_items=-e.n_items - 1), "less than no items"
    yield replace(e, n_items=e.n_items[:-1]), "as many"
    yield replace(e, chain=e.chain[:-1]), "as many"
    yield replace(e, size_kind=e.size_kind + 10), "size kinds"
    yield replace(e, size_kind=e.size_kind - 10), "size kinds"
    yield replace(e, size_kind=e.size_kind[:0]), "as many"
    yield sized(allowed=s.allowed[:-1]), "row of features|size kinds"
    yield sized(allowed=s.allowed[:, :3]), "sizes must say"
    yield sized(ptr=s.ptr[:-1]), "row of features"
    yield sized(ids=s.ids - 1), "features of sizes"
    yield replace(e, labels=e.labels[:, :2]), "room for three"
    yield replace(e, labels=e.labels[:-1]), "a label for each"
    yield replace(e, labels=e.labels.ravel()), "room for three"
    yield replace(e, labels=np.where(e.labels >= 0, e.labels + 100, -1)), "positions of items"
    yield replace(e, labels=e.labels - 1), "positions of items"
    yield replace(e, labels=e.labels[:, ::-1]), "come last|ascend"
    turned = np.array([[*filled(row)[::-1], *row[row < 0]] for row in e.labels])
    yield replace(e, labels=turned), "ascend"
    none = np.full((len(e.labels), 3), -1, np.int32)
    yield replace(e, labels=none, chain=e.chain * 0 + 1), "room for all"


def mixed():
    problem = selection_problem(np.random.default_rng(3), stories=4, items=(4, 5), chains=0.5)
    assert 0 < problem.examples.chain.sum() < 8
    return problem


def test_arrays_that_point_outside_are_refused():
    for examples, rule in hostile(mixed().examples):
        with pytest.raises(SvmError, match=rule):
            SelectionProblem(examples)


def test_labels_that_point_outside_are_refused():
    problem = mixed()
    w, gold = np.zeros(problem.size_joint_feature), problem.gold_batch(np.arange(8))
    every = np.arange(8)
    wrong = gold.copy()
    wrong[0, 0] = 99
    with pytest.raises(SvmError, match="an item that its example does not have"):
        problem.features_batch(every, wrong)
    for name in ("gold", "exclude"):
        with pytest.raises(SvmError, match="an item that its example does not have"):
            problem.search_batch(every, w, **{name: wrong})
        for shape in (gold[:2], gold[:, :2], gold[0]):
            with pytest.raises(SvmError, match="one label for each example"):
                problem.search_batch(every, w, **{name: shape})
    for shape in (gold[:2], gold[:, :2], gold[0]):
        with pytest.raises(SvmError, match="one label for each example"):
            problem.losses_batch(every, shape)
        with pytest.raises(SvmError, match="one label for each example"):
            problem.features_batch(every, shape)
    four = as_label((0, 1, 2, 3), problem.label_length)
    tuples = np.flatnonzero(problem.examples.chain == 0)
    with pytest.raises(SvmError, match="more than three"):
        problem.features(int(tuples[0]), four[None])
    with pytest.raises(SvmError, match="must be numbered"):
        problem.search(8, w)
    with pytest.raises(SvmError, match="weights"):
        problem.predict(w[:-1])
