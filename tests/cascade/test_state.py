"""The state of the world in the cascade: it answers what facts cannot, is told, kept in files, left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from babi_cascade.app.cli.world import lines_of, table_of
from babi_cascade.cascade import Cascade
from babi_cascade.cascade.settings import Settings
from tests.features.world.made_up import questions

TRAINING = [replace(each, source=replace(each.source, support=(1,))) for each in questions(40)]
TEST = questions(15, first=500)


def right(model: Cascade) -> float:
    found = model.answer_read(TEST)
    return sum(p.answer == q.source.answer for p, q in zip(found, TEST, strict=True)) / len(TEST)


@pytest.fixture(scope="module")
def model() -> Cascade:
    return Cascade(cost=0.1).fit_read(TRAINING)


def test_the_state_answers_what_the_chosen_facts_cannot(model: Cascade) -> None:
    assert right(model) == 1.0
    assert right(Cascade(cost=0.1, state="none").fit_read(TRAINING)) < 0.8


def test_one_side_can_be_left_out(model: Cascade) -> None:
    without = Cascade(cost=0.1, without=("answer-state",)).fit_read(TRAINING)
    assert right(without) < 0.8
    assert Settings(state="none").groups == Settings(without=("state", "answer-state")).groups
    assert Settings(preset="paper").groups == Settings(preset="paper", state="none").groups


def test_a_model_file_keeps_the_state(model: Cascade, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    loaded = Cascade.load(tmp_path / "model")
    assert loaded.answer_read(TEST) == model.answer_read(TEST)
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_an_explanation_tells_the_state_and_what_made_it(model: Cascade) -> None:
    asked = next(each for each in TEST if each.source.text.startswith("where be"))
    told = model.explain_read(asked).to_json()["state"]
    assert told["says"].startswith("where its pointers end: ")
    decisive = [stay for stay in told["stays"] if stay["decisive"]]
    assert any(stay["entity"] in asked.source.text for stay in decisive)
    assert all(stay["until"] is None or stay["until"] > stay["line"] for stay in told["stays"])
    assert any("is now with or at" in stay["why"] for stay in decisive)


def test_the_learned_table_is_told_in_words(model: Cascade) -> None:
    world = model.support_stage_.encoder.world
    assert world is not None
    lines = list(lines_of(table_of(world)))
    assert any(
        "the object of “fep”" in line and "is now with or at the “to” phrase" in line
        for line in lines
    )
    assert any("where it was before it came there" in line for line in lines)
