"""A question as a reader sees it: entities, frames, weights, and the runner-up where it is told."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.report.runner_up import others
from babi_cascade.app.report.view import question_view
from babi_cascade.cascade import Candidate, Explanation, OtherFacts, Prediction
from babi_cascade.pipeline.stories import Question, Sentence


@pytest.fixture(scope="module")
def view(reading_cascade):
    facts = (
        Sentence(1, "Ana went to the mill."),
        Sentence(2, "Then she moved to the barn."),
        Sentence(3, "Tom did not go to the mill."),
    )
    (asked,) = reading_cascade.reader.read([Question(4, "Where is Ana?", "barn", (2,), facts)])
    return question_view(reading_cascade, asked)


def spans(view, place):
    text = [*(fact["text"] for fact in view["story"]), view["text"]][place]
    return {text[start:end]: entity for start, end, entity in view["readings"][place]["mentions"]}


def test_mentions_of_one_entity_have_its_number(view):
    ana = spans(view, 0)["Ana"]
    assert spans(view, 1)["she"] == spans(view, 3)["Ana"] == ana
    mill = spans(view, 0)["the mill"]
    assert spans(view, 2)["the mill"] == mill != ana
    assert "the barn" not in spans(view, 1)  # mentioned once: nothing to see


def test_what_a_pronoun_stands_for_is_told(view):
    assert view["readings"][1]["read_as"] == "Then Ana moved to the barn."
    assert "read_as" not in view["readings"][0]


def test_frames_point_to_the_words_that_were_read(view):
    reading = view["readings"][1]
    (frame,) = reading["frames"]
    words = {
        argument["relation"]: [reading["words"][i] for i in argument["span"]]
        for argument in frame["arguments"]
    }
    assert reading["words"][frame["token"]] == "moved"
    assert words["nsubj"] == ["Ana"]
    assert words["obl:to"][-1] == "barn"
    assert view["readings"][2]["frames"][0]["negated"]
    assert view["readings"][3]["frames"][0]["asks"]["relation"].startswith("advmod")


def test_weights_add_up_and_everything_is_plain(view):
    for stage, total in (("support", "support_score"), ("answer", "score")):
        assert sum(group["weight"] for group in view["why"][stage]) == pytest.approx(
            view[total], abs=0.01
        )
        for group in view["why"][stage]:
            named = sum(weight for _, weight in group["features"]) + group.get("rest", [0, 0])[1]
            assert named == pytest.approx(group["weight"], abs=0.01)
            assert len(group["features"]) <= 5
    assert json.loads(json.dumps(view)) == view


def test_the_runner_up_and_the_other_answers_are_told_with_their_scores():
    explanation = Explanation(
        Prediction("mill", (1,)),
        (),
        (),
        OtherFacts((3, 1), 0.1, ()),
        (Candidate("mill", 1.0), Candidate("barn", 0.2)),
    )
    assert others(explanation, "answer") == [{"what": "barn", "score": 0.2}]
    assert others(explanation, "support") == [{"what": [3, 1], "score": 0.1}]


def test_without_one_nothing_is_made_up():
    explanation = Explanation(Prediction("mill", (1,)), (), ())
    assert others(explanation, "answer") == others(explanation, "support") == []
