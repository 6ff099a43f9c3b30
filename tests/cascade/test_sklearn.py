"""Every system is a classifier of questions to scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    check_cv,
    cross_val_predict,
    cross_val_score,
)
from sklearn.utils.estimator_checks import (
    check_do_not_raise_errors_in_init_or_set_params,
    check_estimator_cloneable,
    check_estimator_repr,
    check_estimator_tags_renamed,
    check_get_params_invariance,
    check_mixin_order,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
    check_valid_tag_types,
)
from sklearn.utils.validation import check_is_fitted

from babi_cascade import Cascade, UserError, generate, reader
from babi_cascade.comparison import SYSTEMS, make_system

SYSTEM_NAMES = ["cascade", *SYSTEMS]
CHECKS = [
    check_do_not_raise_errors_in_init_or_set_params,
    check_estimator_cloneable,
    check_estimator_repr,
    check_estimator_tags_renamed,
    check_get_params_invariance,
    check_mixin_order,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
    check_valid_tag_types,
]
"""Those that give no numbers as data: the questions of a system are no matrix."""

QUESTIONS = generate(1, 40)
ANSWERS = [question.answer for question in QUESTIONS]


def made(name):
    """Return a system that learns quickly, and a parameter with two values to try."""
    if name == "cascade":
        return Cascade(cost=0.1), {"cost": [0.01, 0.1]}
    if name == "ngram":
        return make_system(name, costs=(0.1,)), {"longest": [1, 2]}
    quick = {"epochs": 2, "patience": 1, "rates": (0.01,), "dimensions": (8,)}
    if name != "lstm":
        quick["margins"] = (0.1,)
    return make_system(name, **quick), {"epochs": [1, 2]}


@pytest.mark.parametrize("name", SYSTEM_NAMES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_checks_of_scikit_learn(name, check):
    check(type(made(name)[0]).__name__, made(name)[0])


@pytest.mark.parametrize("name", SYSTEM_NAMES)
def test_cross_validation_and_searches(name):
    system, grid = made(name)
    assert is_classifier(system)
    assert clone(system).get_params() == system.get_params()
    scores = cross_val_score(system, QUESTIONS, cv=2)
    assert np.array_equal(scores, cross_val_score(system, QUESTIONS, ANSWERS, cv=KFold(2)))
    assert np.array_equal(
        scores, cross_val_score(system, QUESTIONS, ANSWERS, cv=KFold(2), scoring="accuracy")
    )
    search = GridSearchCV(system, {k: np.array(v) for k, v in grid.items()}, cv=2).fit(QUESTIONS)
    assert set(search.best_params_) == set(grid)
    assert search.predict(QUESTIONS).shape == (len(QUESTIONS),)
    found = cross_val_predict(system, QUESTIONS, ANSWERS, cv=KFold(2))
    assert scores.mean() == pytest.approx(np.mean(found == np.array(ANSWERS)))


def test_groups_keep_stories_whole_and_answers_beside_the_questions_do_not():
    """As the documentation says: without answers folds are cut in order, with them by answer."""
    questions, numbers = generate(1, 100), {}
    groups = np.array([numbers.setdefault(q.facts.story, len(numbers)) for q in questions])
    assert len(numbers) == 20
    answers = [question.answer for question in questions]

    def cut(cv, y, *own):
        folds = [set(groups[test]) for _, test in cv.split(questions, y, *own)]
        return sum(sum(story in fold for fold in folds) > 1 for story in set(groups))

    system = Cascade(cost=0.1)
    assert cut(check_cv(5, None, classifier=is_classifier(system)), None) <= 4
    assert cut(check_cv(5, answers, classifier=is_classifier(system)), answers) == 14
    assert cut(GroupKFold(5), answers, groups) == 0
    scores = cross_val_score(system, questions, groups=groups, cv=GroupKFold(2))
    assert len(scores) == 2
    assert scores.min() > 0.3


@pytest.mark.parametrize("name", SYSTEM_NAMES)
def test_a_trained_system_goes_through_a_pickle(name):
    system, _ = made(name)
    with pytest.raises(NotFittedError):
        check_is_fitted(system)
    for ask in (system.predict, system.answer, system.score):
        with pytest.raises(NotFittedError, match=f"the {type(system).__name__} is not trained"):
            ask(QUESTIONS)
    check_only_learned_is_added(system)
    again = pickle.loads(pickle.dumps(system))
    assert again.answer(QUESTIONS) == system.answer(QUESTIONS)
    assert system.predict(QUESTIONS).dtype.kind == "U"
    assert system.predict([]).tolist() == []


def check_only_learned_is_added(system):
    before = set(vars(system))
    system.fit(QUESTIONS)
    added = set(vars(system)) - before
    assert added
    assert all(name.endswith("_") for name in added)


def test_answers_beside_the_questions_count():
    turned = ["mill" if answer == "garden" else answer for answer in ANSWERS]
    cascade = Cascade(cost=0.1).fit(QUESTIONS, turned)
    assert "mill" in cascade.classes_
    assert "garden" not in cascade.classes_
    assert cascade.score(QUESTIONS, turned) > cascade.score(QUESTIONS)
    only = np.array([question.answer == "garden" for question in QUESTIONS], dtype=float)
    assert cascade.score(QUESTIONS, turned, sample_weight=only) == cascade.score(
        [q for q in QUESTIONS if q.answer == "garden"],
        [a for q, a in zip(QUESTIONS, turned, strict=True) if q.answer == "garden"],
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cost": "a"}, "cost: found 'a', expected a number above 0, or None"),
        ({"cost": -1}, "cost: found -1, expected a number above 0"),
        ({"seed": None}, "seed: found None, expected a whole number"),
        ({"max_facts": 4}, "max_facts: found 4, expected 1 to 3"),
        ({"roles": "x"}, "roles: found 'x', expected one of propbank"),
        ({"preset": "x"}, "preset: found 'x', expected one of"),
    ],
)
def test_parameters_that_there_are_none_of_are_told_before_anything_is_read(wrong, said):
    with pytest.raises(UserError, match=said):
        Cascade(**wrong).fit(QUESTIONS)


def test_the_name_of_a_reader_is_none():
    with pytest.raises(
        TypeError, match=r"reader: found 'sieve', expected what babi_cascade.reader"
    ):
        Cascade(reader="sieve").fit(QUESTIONS)


@pytest.mark.parametrize(
    ("y", "said"),
    [(["a"], "found 1 answers for 40 questions"), ([1] * 40, "element 1: found int .1., expected")],
)
def test_answers_that_are_none(y, said):
    with pytest.raises(UserError, match=f"y: {said}"):
        Cascade().fit(QUESTIONS, y)


def test_a_reader_goes_along(tmp_path):
    cascade = Cascade(cost=0.1, reader=reader(jobs=1, cache=tmp_path / "cache"))
    assert "StoryReader(coref=sieve, srl=stanza)" in repr(cascade)
    assert clone(cascade).reader is cascade.reader
    cascade.fit(QUESTIONS)
    again = pickle.loads(pickle.dumps(cascade))
    assert again.answer(QUESTIONS) == cascade.answer(QUESTIONS)
    assert again.reader.annotator.cache.path == cascade.reader.annotator.cache.path
    scores = cross_val_score(cascade, QUESTIONS, cv=2, n_jobs=2)
    assert scores.tolist() == cross_val_score(cascade, QUESTIONS, cv=2).tolist()
