"""The one view of an answered question: entities, frames, weights, runner-up, doubts; shown in four ways."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from babi_cascade.app.explanation_text import explanation_lines
from babi_cascade.app.serve.texts import answers_of
from babi_cascade.cascade import Candidate
from babi_cascade.pipeline.stories import Question, Sentence

FACTS = (
    Sentence(1, "Ana went to the mill."),
    Sentence(2, "Then she moved to the barn."),
    Sentence(3, "Tom did not go to the mill."),
)


@pytest.fixture(scope="module")
def explanation(reading_cascade):
    return reading_cascade.explain(Question(4, "Where is Ana?", "barn", (2,), FACTS))


@pytest.fixture(scope="module")
def record(explanation):
    return explanation.to_json()


def spans(record, place):
    text = [*(fact["text"] for fact in record["story"]), record["question"]][place]
    reading = [*record["story"], record["reading"]][place]
    return {text[start:end]: entity for start, end, entity in reading["mentions"]}


def test_mentions_of_one_entity_have_its_number(record):
    ana = spans(record, 0)["Ana"]
    assert spans(record, 1)["she"] == spans(record, 3)["Ana"] == ana
    mill = spans(record, 0)["the mill"]
    assert spans(record, 2)["the mill"] == mill != ana
    assert "the barn" not in spans(record, 1)  # mentioned once: nothing to see


def test_what_a_pronoun_stands_for_is_told(record):
    assert record["story"][1]["read_as"] == "Then Ana moved to the barn."
    assert "read_as" not in record["story"][0]


def test_frames_point_to_the_words_that_were_read(record):
    fact = record["story"][1]
    (frame,) = fact["frames"]
    words = {
        argument["relation"]: [fact["words"][i - 1] for i in argument["span"]]
        for argument in frame["arguments"]
    }
    assert fact["words"][frame["token"] - 1] == "moved"
    assert words["nsubj"] == ["Ana"]
    assert words["obl:to"][-1] == "barn"
    assert record["story"][2]["frames"][0]["negated"]
    assert record["reading"]["frames"][0]["asks"]["relation"].startswith("advmod")


def test_the_chosen_facts_are_marked_in_their_order(explanation, record):
    marked = {fact["chosen"]: fact["line"] for fact in record["story"] if "chosen" in fact}
    assert [marked[place] for place in sorted(marked)] == list(explanation.prediction.support)
    assert record["facts"] == [fact.text for fact in explanation.chosen]


@pytest.mark.parametrize("top", [None, 1, 5])
def test_weights_add_up_to_the_scores(explanation, top):
    record = explanation.to_json(top=top)
    second = record["runner_up"]
    for groups, score in (
        (record["why"]["support"], record["support_score"]),
        (record["why"]["answer"], record["score"]),
        (second["why"], second["score"]),
    ):
        assert sum(group["weight"] for group in groups) == pytest.approx(score, abs=1e-5)
        for group in groups:
            named = sum(feature["weight"] for feature in group["features"])
            named += group.get("others", {"weight": 0})["weight"]
            assert named == pytest.approx(group["weight"], abs=1e-5)
            assert top is None or len(group["features"]) <= top
    assert json.loads(json.dumps(record)) == record


def test_the_short_form_is_a_part_of_the_long_one(explanation, record):
    short = explanation.to_json(short=True)
    assert short.items() <= record.items()
    others = {"reading", "runner_up"}
    assert {"story", "why", "candidates", "state"} == set(record) - set(short) - others


def test_other_candidates_are_all_but_the_answer_or_all_parts(explanation):
    best = explanation.prediction.answer
    assert best not in [each.answer for each in explanation.other_candidates]
    parts = (Candidate("north", 1.0, "first"), Candidate("north", 0.5, "second"))
    several = replace(explanation, prediction=replace(explanation.prediction, answer="north"))
    assert replace(several, candidates=parts).other_candidates == parts


def test_without_rivals_nothing_is_made_up(explanation):
    alone = replace(
        explanation, runner_up=None, candidates=explanation.candidates[:1],
        prediction=replace(explanation.prediction, margin=None, support_margin=None),
    )  # fmt: skip
    record = alone.to_json()
    assert not {"runner_up", "margin", "support_margin"} & set(record)
    text = "\n".join("".join(part for part, _ in line) for line in explanation_lines(alone))
    assert "without a rival, of the facts without a rival" in text
    assert "runner-up" not in text
    assert "other answers" not in text


def test_an_answer_that_is_not_known_is_none_and_the_best_one_is_still_told(reading_cascade):
    found = reading_cascade.explain(Question(4, "Where is Ida?", None, None, FACTS))
    record = found.to_json()
    assert (record["answer"], record["verdict"]) == (None, "unknown")
    assert record["best"] == found.prediction.answer
    assert record["reasons"] == ["the story does not mention “Ida”"]


def test_training_again_forgets_the_words_of_before(small_questions):
    from babi_cascade.cascade import Cascade

    def told(cascade):
        return cascade.explain(Question(2, "Where is Ana?", None, None, FACTS[:1])).verdict.reasons

    cascade = Cascade(cost=0.1)
    without = [
        q for q in small_questions if "Ana" not in q.text + q.facts[0].text + q.facts[1].text
    ]
    assert any("“ana”" in reason for reason in told(cascade.fit(without)))
    assert not any("“ana”" in reason for reason in told(cascade.fit(small_questions)))


def test_the_page_is_sent_what_the_command_prints(reading_cascade, explanation):
    """One JSON form: what `serve` sends is what `explain --json` has, with fewer features and digits."""
    text = "\n".join(fact.text for fact in FACTS) + "\nWhere is Ana?\tbarn\t2"
    (sent,) = json.loads(answers_of(reading_cascade)(text))["questions"]
    assert sent == explanation.to_json(top=5)
