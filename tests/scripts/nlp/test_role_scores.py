"""Scores on examples worked by hand."""

import pytest

from scripts.nlp.role_scores import score_roles


def test_a_worked_example() -> None:
    # "Kim(1) lent(2) Lee(3) money(4) yesterday(5)": five words, four arguments
    gold = {2: {1: "ARG0", 3: "ARG2", 4: "ARG1", 5: "ARGM-TMP"}}
    # ARG0 right, Lee with the wrong label, money right, yesterday missed, one invented predicate
    found = {2: {1: "ARG0", 3: "ARG1", 4: "ARG1"}, 4: {3: "ARG0"}}
    scores = score_roles([(gold, found)])
    assert (scores.labelled.gold, scores.labelled.found, scores.labelled.right) == (4, 4, 2)
    assert scores.labelled.precision == pytest.approx(0.5)
    assert scores.labelled.recall == pytest.approx(0.5)
    assert scores.labelled.f1 == pytest.approx(0.5)
    # without labels three of four are right; of these three two have the right label
    assert scores.unlabelled.right == 3
    assert scores.unlabelled.f1 == pytest.approx(0.75)
    assert scores.classification == pytest.approx(2 / 3)
    assert (scores.predicates.gold, scores.predicates.found, scores.predicates.right) == (1, 2, 1)
    assert scores.confusions["ARG2", "ARG1"] == 1
    assert scores.confusions["ARGM-TMP", ""] == 1
    assert scores.labels["ARG1"].precision == pytest.approx(0.5)


def test_sentences_add_up_to_a_micro_average() -> None:
    gold = {1: {2: "ARG0", 3: "ARG1"}}
    scores = score_roles([(gold, gold), (gold, {}), ({}, {})])
    assert scores.labelled.precision == 1
    assert scores.labelled.recall == pytest.approx(0.5)
    assert scores.labelled.f1 == pytest.approx(2 / 3)


def test_the_same_words_under_another_predicate_do_not_count() -> None:
    scores = score_roles([({1: {2: "ARG0"}}, {3: {2: "ARG0"}})])
    assert scores.labelled.right == scores.unlabelled.right == 0


def test_nothing_at_all_is_zero_not_an_error() -> None:
    scores = score_roles([])
    assert scores.labelled.f1 == scores.classification == 0
    assert "F1  0.00" in scores.lines()[0]


def test_a_predicate_without_arguments_counts_as_a_predicate() -> None:
    scores = score_roles([({4: {}}, {4: {}})])
    assert scores.predicates.f1 == 1
    assert scores.labelled.gold == 0
