"""The learner reaches the optimum, proves it, and can be stopped, repeated and resumed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from babi_cascade.svm.choose_c import choose_C
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.external import primal_objective
from babi_cascade.svm.learner import BlockFrankWolfe
from tests.svm.making import ranking_problem, selection_problem


@pytest.fixture(scope="module", params=["tuples", "ranking"])
def problem(request):
    rng = np.random.default_rng(3)
    if request.param == "tuples":
        return selection_problem(
            rng, stories=10, questions=4, items=(3, 9), views=("profiles", "differences"), chains=0.0,
            must_link=True,
        )  # fmt: skip
    return ranking_problem(rng, examples=60)


def test_the_certificate_is_true(problem):
    fitted = BlockFrankWolfe(C=0.3, gap=1e-4).fit(problem)
    assert fitted.converged_
    assert fitted.gap_ <= 1e-4
    assert fitted.primal_ == pytest.approx(primal_objective(problem, fitted.coef_, 0.3), rel=1e-12)
    assert fitted.dual_ <= fitted.primal_
    assert fitted.gap_ == pytest.approx((fitted.primal_ - fitted.dual_) / fitted.primal_)
    better = BlockFrankWolfe(C=0.3, gap=1e-7).fit(problem)
    assert fitted.dual_ <= better.primal_ * (1 + 1e-12)  # a lower bound of every primal
    assert better.dual_ <= fitted.primal_ * (1 + 1e-12)


def test_no_step_away_from_the_optimum_is_better(problem):
    fitted = BlockFrankWolfe(C=0.3, gap=1e-7).fit(problem)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1, 1.0):
        for _ in range(20):
            other = fitted.coef_ + size * rng.normal(size=len(fitted.coef_))
            assert primal_objective(problem, other, 0.3) >= fitted.dual_


def test_weights_and_multipliers_belong_together(problem):
    fitted = BlockFrankWolfe(C=0.3, gap=1e-6, averaging=False).fit(problem)
    sets = fitted.planes_
    sums = np.add.reduceat(sets.multipliers, sets.first[:-1])
    assert sums == pytest.approx(np.full(problem.n_examples, 0.3))
    assert (sets.multipliers >= 0).all()
    w = np.zeros(problem.size_joint_feature)
    loss = 0.0
    for i in range(problem.n_examples):
        for row in range(sets.first[i], sets.first[i + 1]):
            label, alpha = sets.labels[row], sets.multipliers[row]
            w += alpha * (
                problem.joint_feature(i, problem.gold(i)) - problem.joint_feature(i, label)
            )
            loss += alpha * problem.losses(i, label[None])[0]
    assert loss - 0.5 * w @ w == pytest.approx(fitted.dual_, rel=1e-9)


def test_the_same_seed_gives_the_same_weights(problem):
    one = BlockFrankWolfe(C=0.1, seed=4).fit(problem)
    two = BlockFrankWolfe(C=0.1, seed=4).fit(problem)
    assert one.coef_.tobytes() == two.coef_.tobytes()
    other = BlockFrankWolfe(C=0.1, seed=5).fit(problem)
    assert other.primal_ == pytest.approx(one.primal_, rel=2e-3)


@pytest.mark.parametrize("averaging", [True, False])
def test_with_and_without_averaging_the_optimum_is_one(problem, averaging):
    reference = BlockFrankWolfe(C=1.0, gap=1e-6).fit(problem)
    fitted = BlockFrankWolfe(C=1.0, gap=1e-4, averaging=averaging).fit(problem)
    assert fitted.converged_
    assert fitted.primal_ == pytest.approx(reference.primal_, rel=1e-4)


def test_a_warm_start_ends_at_the_same_optimum(problem):
    before = BlockFrankWolfe(C=0.1, gap=1e-4).fit(problem)
    cold = BlockFrankWolfe(C=0.2, gap=1e-5).fit(problem)
    warm = BlockFrankWolfe(C=0.2, gap=1e-5).fit(problem, start=before.planes_)
    assert warm.converged_
    assert warm.primal_ == pytest.approx(cold.primal_, rel=1e-5)
    again = BlockFrankWolfe(C=0.1, gap=2e-4, averaging=False).fit(problem, start=before.planes_)
    assert again.n_passes_ <= 3


def test_progress_is_told_and_the_dual_only_rises(problem):
    told = []
    BlockFrankWolfe(C=0.3, gap=1e-5, progress=told.append).fit(problem)
    assert len(told) > 1
    assert told[-1].gap <= 1e-5
    assert [p.dual for p in told] == sorted(p.dual for p in told)
    assert [p.primal for p in told] == sorted((p.primal for p in told), reverse=True)


def test_ctrl_c_leaves_the_best_model_so_far(problem):
    def interrupt(progress):
        if progress.passes >= 3:
            raise KeyboardInterrupt

    fitted = BlockFrankWolfe(C=1.0, gap=1e-9, progress=interrupt).fit(problem)
    assert not fitted.converged_
    assert fitted.primal_ == pytest.approx(primal_objective(problem, fitted.coef_, 1.0))
    assert fitted.gap_ == pytest.approx((fitted.primal_ - fitted.dual_) / fitted.primal_)
    resumed = BlockFrankWolfe(C=1.0).fit(problem, start=fitted.planes_)
    assert resumed.converged_


def test_the_limit_of_passes_is_kept(problem):
    fitted = BlockFrankWolfe(C=1.0, gap=1e-12, max_passes=4).fit(problem)
    assert fitted.n_passes_ == 4
    assert not fitted.converged_


def test_importing_the_room_does_not_load_the_compiler():
    code = (
        "import sys; from babi_cascade.svm import choose_c, external, ranking, selection;"
        " exit('numba' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=120).returncode == 0


def test_nonsense_is_refused(problem):
    with pytest.raises(SvmError, match="C must be positive"):
        BlockFrankWolfe(C=0).fit(problem)
    with pytest.raises(SvmError, match="no examples"):
        BlockFrankWolfe().fit(problem.subset([]))
    start = BlockFrankWolfe(C=0.1).fit(problem).planes_
    with pytest.raises(SvmError, match="working sets for"):
        BlockFrankWolfe().fit(problem.subset([0, 1]), start=start)
    with pytest.raises(ValueError, match="Invalid parameter 'c'"):
        BlockFrankWolfe().set_params(c=1)


def test_classes_that_are_not_known_cannot_be_learned_from():
    known = ranking_problem(np.random.default_rng(1))
    examples = replace(known.examples, labels=np.full(known.n_examples, -1, np.int32))
    unknown = type(known)(examples)
    w = np.random.default_rng(2).normal(size=known.size_joint_feature)
    assert unknown.predict(w).tolist() == known.predict(w).tolist()
    with pytest.raises(SvmError, match="30 of 30 examples have no true candidate"):
        BlockFrankWolfe().fit(unknown)


def test_arguments_that_do_not_fit_are_refused(problem):
    w = np.zeros(problem.size_joint_feature)
    with pytest.raises(SvmError, match="weights"):
        problem.predict(w[:-1])
    with pytest.raises(SvmError, match="must be numbered"):
        problem.search(problem.n_examples, w)
    with pytest.raises(SvmError, match="that its example does not have"):
        problem.features(0, np.full((1, problem.label_length), 99, np.int32))


def test_c_is_chosen_by_what_is_held_out():
    problem = ranking_problem(np.random.default_rng(8), examples=120)
    folds = [np.arange(0, 40), np.arange(40, 80)]
    choice = choose_C(problem, folds, grid=(1.0, 0.01, 0.1))
    assert list(choice.scores) == [0.01, 0.1, 1.0]
    assert choice.scores[choice.C] == max(choice.scores.values())
    assert choice.learner.C == choice.C
    assert choice.learner.converged_
    assert choice.learner.primal_ == pytest.approx(
        BlockFrankWolfe(C=choice.C).fit(problem).primal_, rel=2e-3
    )


@pytest.mark.parametrize(("grid", "chosen"), [((1e-3, 0.1, 1.0), 1e-3), ((0.1, 1.0), 1.0)])
def test_of_equal_scores_the_larger_margin_wins(grid, chosen):
    """Be it the smallest C or the largest: it is the margin that decides."""
    problem = ranking_problem(np.random.default_rng(8), examples=120)
    folds = [np.arange(0, 40), np.arange(40, 80)]
    choice = choose_C(problem, folds, grid=grid, score=lambda *_: 0.5)
    best = choice.C
    assert best == chosen
    assert choice.margins[best] == max(choice.margins.values())
    assert len(set(choice.margins.values())) == len(grid)
    assert choice.n_held_out == 80
    assert choice.error == pytest.approx((0.25 / 80) ** 0.5)


def test_the_margin_is_the_distance_of_gold_from_the_best_other(problem):
    w = np.random.default_rng(2).normal(size=problem.size_joint_feature)
    margins = problem.margins(w)
    for i in range(problem.n_examples):
        _, other = problem.search(i, w, exclude=problem.gold(i))
        own = float(w @ problem.joint_feature(i, problem.gold(i)))
        expected = (own - other) / np.linalg.norm(w) if np.isfinite(other) else 0.0
        assert margins[i] == pytest.approx(expected)


def test_a_plateau_does_not_end_the_search_for_c():
    problem = ranking_problem(np.random.default_rng(8), examples=60)
    grid = (1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0)
    choice = choose_C(problem, [np.arange(20)], grid=grid, score=lambda *_: 0.5)
    assert list(choice.scores) == list(grid)


def test_the_users_score_chooses():
    problem = ranking_problem(np.random.default_rng(8))
    seen = []

    def score(predictions, examples):
        seen.append((predictions.shape, examples.tolist()))
        return 0.5

    choice = choose_C(problem, [[3, 1, 2]], grid=(0.1, 1.0), score=score)
    assert choice.scores == {0.1: 0.5, 1.0: 0.5}
    assert seen == [((3, 1), [1, 2, 3])] * 2


def test_folds_that_leave_nothing_are_refused():
    problem = ranking_problem(np.random.default_rng(8))
    with pytest.raises(SvmError, match="every fold"):
        choose_C(problem, [np.arange(problem.n_examples)])
    with pytest.raises(SvmError, match="held out"):
        choose_C(problem, [])
