"""Questions that bring the answers that are allowed: in training and in prediction, words only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from babi_cascade import Cascade, generate
from babi_cascade.pipeline.stories import Question


def with_choices(questions: Sequence[Question], *others: str) -> list[Question]:
    return [
        replace(asked, choices=tuple(sorted({str(asked.answer), *others}))) for asked in questions
    ]


@pytest.fixture(scope="module")
def where() -> Cascade:
    return Cascade(cost=0.1).fit(generate(1, 80))


def test_only_a_choice_is_answered(where: Cascade) -> None:
    asked = generate(1, 30, split="test")
    best = where.answer(asked)
    others = sorted({str(each.answer) for each in best})[:2]
    narrowed = where.answer([replace(each, answer=None, choices=tuple(others)) for each in asked])
    assert {each.answer for each in narrowed} <= set(others)
    for free, bound in zip(best, narrowed, strict=True):
        assert (bound.answer == free.answer) == (free.answer in others)
        assert bound.score <= free.score


def test_a_single_choice_has_no_runner_up(where: Cascade) -> None:
    (asked,) = generate(1, 1, split="test")
    (found,) = where.answer([replace(asked, answer=None, choices=("the moon",))])
    assert (found.answer, found.margin) == ("the moon", None)


def test_the_same_question_may_have_other_choices_the_next_time(where: Cascade) -> None:
    (asked,) = generate(1, 1, split="test")
    for choices in (("attic", "moon"), ("cellar",), None):
        (found,) = where.answer([replace(asked, answer=None, choices=choices)])
        assert found.answer in (choices or (asked.answer,))


def test_training_competes_with_the_choices_alone() -> None:
    train = with_choices(generate(1, 60), "nowhere")
    trained = Cascade(cost=0.1).fit(train)
    assert trained.score(train) > 0.95
    (explanation,) = [trained.explain(train[0])]
    assert {each.answer for each in explanation.candidates} == set(train[0].choices or ())
    assert sum(part.weight for part in explanation.answer) == pytest.approx(
        explanation.prediction.score
    )


def test_a_list_that_was_learned_item_by_item_is_chosen_whole() -> None:
    """What somebody carries: the model puts lists together; of those that are allowed it takes the best."""
    trained = Cascade(cost=0.1).fit(generate(8, 200))
    asked = with_choices(generate(8, 150, split="test"), "nothing", "sun,moon")
    assert any("," in str(each.answer) for each in asked)
    found = trained.answer([replace(each, answer=None) for each in asked])
    assert all(said.answer in (each.choices or ()) for said, each in zip(found, asked, strict=True))
    free = trained.score([replace(each, choices=None) for each in asked])
    assert trained.score(asked) >= free
    explanation = trained.explain(asked[0])
    assert sum(part.weight for part in explanation.answer) == pytest.approx(
        explanation.prediction.score
    )


def test_lists_with_choices_are_learned_as_wholes() -> None:
    train = with_choices(generate(8, 60), "nothing", "sun,moon")
    trained = Cascade(cost=0.1).fit(train)
    shapes = trained.answer_stage_.encoder.shapes_.kinds
    assert {shape.partition(":")[0] for shape in shapes.values()} == {"word"}
