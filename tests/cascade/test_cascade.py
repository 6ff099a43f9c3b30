"""The estimator: learns, answers, explains and survives being saved; real stories, words only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from babi_cascade.cascade import Cascade, CascadeError
from babi_cascade.pipeline.stories import Question, Sentence, read_questions
from babi_cascade.svm.model_file import ModelFileError


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    folder = tmp_path_factory.mktemp("stories")
    from babi_cascade.app.cli import cli  # the command a user would take

    arguments = ["generate", "--tasks", "1", "--questions", "160", "--out", str(folder)]
    cli.main(arguments, standalone_mode=False)
    return list(read_questions(folder / "qa1_single-supporting-fact_train.txt"))


CHOICES: dict[str, dict[str, Any]] = {
    "extended": {},
    "paper": {"preset": "paper"},
    "more than paper": {"preset": "paper", "features": ("+recency", "+answer-copy")},
    "a mixture": {"features": ("word-pairs", "recency", "answer-word-pairs", "answer-copy")},
}


@pytest.fixture(scope="module", params=CHOICES)
def trained(questions: list[Question], request: pytest.FixtureRequest) -> Cascade:
    return Cascade(seed=1, **CHOICES[request.param]).fit(questions[:120])


def test_it_learns_to_answer(trained: Cascade, questions: list[Question]) -> None:
    assert trained.score(questions[:120]) >= 0.98
    assert trained.score(questions[120:]) >= 0.9
    for stage in (trained.support_stage_, trained.answer_stage_):
        assert stage.converged_
        assert stage.gap_ <= trained.gap


def test_a_prediction_names_the_lines_it_rests_on(
    trained: Cascade, questions: list[Question]
) -> None:
    first = trained.answer(questions[:1])[0]
    assert first.answer == questions[0].answer
    assert first.support == questions[0].support
    assert first.margin is not None
    assert first.margin > 0
    assert first.to_json()["support"] == list(first.support)


def test_the_same_seed_gives_the_same_weights(questions: list[Question]) -> None:
    one, other = (Cascade(seed=3, cost=0.1).fit(questions[:40]) for _ in range(2))
    assert np.array_equal(one.support_stage_.fitted_.weights, other.support_stage_.fitted_.weights)
    assert np.array_equal(one.answer_stage_.fitted_.weights, other.answer_stage_.fitted_.weights)


def test_contributions_add_up_to_the_scores(trained: Cascade, questions: list[Question]) -> None:
    for question in questions[120:125]:
        told = trained.explain(question)
        total = sum(part.weight for part in told.support)
        assert total == pytest.approx(told.prediction.support_score)
        total = sum(part.weight for part in told.answer)
        assert total == pytest.approx(told.prediction.score)
        groups = {part.group for part in (*told.support, *told.answer)}
        assert groups <= set(trained.settings.groups.names)
        assert len(groups) > 3


def test_the_runner_up_and_the_other_answers_are_told_with_their_scores(
    trained: Cascade, questions: list[Question]
) -> None:
    for question in questions[120:125]:
        told = trained.explain(question)
        second = told.runner_up
        assert second is not None
        assert second.support != told.prediction.support
        assert told.prediction.support_margin == pytest.approx(
            told.prediction.support_score - second.score
        )
        assert sum(part.weight for part in second.contributions) == pytest.approx(second.score)
        best, other = told.candidates[:2]
        assert best.answer == told.prediction.answer
        assert best.score == pytest.approx(told.prediction.score)
        assert best.score - other.score == pytest.approx(told.prediction.margin)


def test_a_saved_model_gives_the_same_predictions(
    trained: Cascade, questions: list[Question], tmp_path: Path
) -> None:
    path = tmp_path / "model"
    trained.save(path)
    again = Cascade.load(path)
    assert again.answer(questions[120:]) == trained.answer(questions[120:])
    assert again.get_params() == trained.get_params()
    assert again.support_stage_.cost_ == trained.support_stage_.cost_


def test_a_damaged_model_is_refused(trained: Cascade, tmp_path: Path) -> None:
    path = tmp_path / "model"
    trained.save(path)
    data = bytearray(path.read_bytes())
    data[-9] ^= 4
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match="is damaged"):
        Cascade.load(path)


def test_training_questions_need_answers() -> None:
    facts = (Sentence(1, "Ana ran home."),)
    with pytest.raises(CascadeError, match=r"training question 1 .*found no answer"):
        Cascade().fit([Question(2, "Where is Ana?", None, None, facts)])
    with pytest.raises(CascadeError, match="found no questions"):
        Cascade().fit([])


@pytest.mark.parametrize("preset", ["extended", "paper"])
def test_one_training_question_is_enough_to_fit_and_nothing_to_predict_is_fine(preset: str) -> None:
    facts = (Sentence(1, "Ana ran home."),)
    cascade = Cascade(preset=preset).fit([Question(2, "Where is Ana?", "home", (1,), facts)])
    assert cascade.answer([]) == []
    (found,) = cascade.answer([Question(1, "Where is Bo?", None, None, ())])
    assert found.support == ()
    assert found.answer == "home"


def test_parameters_are_kept_as_given_and_wrong_ones_are_named() -> None:
    cascade = Cascade(without=("recency",), cost=0.5)
    assert Cascade(**cascade.get_params()).get_params() == cascade.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'depth'"):
        cascade.set_params(depth=3)
    assert clone(cascade).get_params() == cascade.get_params()


@pytest.mark.parametrize("preset", ["extended", "paper"])
def test_support_can_be_limited_to_one_fact(questions: list[Question], preset: str) -> None:
    cascade = Cascade(preset=preset, max_facts=1, cost=0.1).fit(questions[:40])
    assert all(len(found.support) == 1 for found in cascade.answer(questions[40:60]))


def test_a_model_is_not_used_with_another_reader_or_before_it_is_trained(
    trained: Cascade, questions: list[Question]
) -> None:
    with pytest.raises(CascadeError, match="not trained; call fit or load first"):
        Cascade().answer(questions[:1])
    other = Cascade(**trained.get_params()).fit(questions[:10])
    other.trained_with_ = "another parser"
    with pytest.raises(CascadeError, match="read by another parser; found a reader words only"):
        other.answer(questions[:1])
