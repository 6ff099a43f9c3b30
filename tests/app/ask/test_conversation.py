"""Answers about a growing story, and the honest "I do not know"."""

from __future__ import annotations

from dataclasses import replace

import pytest

from babi_cascade.app.ask import Conversation
from babi_cascade.app.ask.line_parser import TypedQuestion
from babi_cascade.cascade.doubt import Verdict, evidence, judge
from babi_cascade.cascade.new_words import known_words


@pytest.fixture
def talk(reading_cascade):
    return Conversation(reading_cascade)


def told(talk, *sentences):
    for text in sentences:
        talk.tell(text)
    return talk


def test_it_answers_with_the_fact_and_says_how_sure_it_is(talk):
    told(talk, "Ana went to the mill.", "Tom moved to the barn.")
    reply = talk.ask(TypedQuestion("Where is Tom?", "barn", (2,)))
    assert (reply.reply, reply.prediction.support) == ("barn", (2,))
    assert reply.verdict.level in {"sure", "likely"}
    assert reply.right is True
    record = reply.to_json()
    assert record["facts"] == ["Tom moved to the barn."]
    assert record["margin"] == pytest.approx(reply.prediction.margin)


def test_lines_count_questions_as_in_a_file(talk):
    told(talk, "Ana went to the mill.")
    talk.ask(TypedQuestion("Where is Ana?"))
    assert talk.tell("Tom moved to the barn.").line == 3
    assert talk.ask(TypedQuestion("Where is Tom?")).prediction.support == (3,)
    talk.new()
    assert talk.tell("Ida went to the mill.").line == 1


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Where is Ida?", "the story does not mention “Ida”"),
        ("Who wrote Hamlet?", "the story does not mention “Hamlet”"),
        ("Why?", "no sentence shares a word"),
    ],
)
def test_it_says_when_the_question_is_not_about_the_story(talk, question, reason):
    told(talk, "Ana went to the mill.", "Tom moved to the barn.")
    reply = talk.ask(TypedQuestion(question))
    assert reply.reply is None
    assert reply.verdict.level == "unknown"
    assert reason in str(reply.verdict)
    assert (
        reply.to_json()["best"] is not None
    )  # what the model would have said is there for programs


def test_without_a_story_there_is_nothing_to_know(talk):
    assert "no story yet" in str(talk.ask(TypedQuestion("Where is Ana?")).verdict)


def test_words_it_never_saw_are_named_and_no_obstacle(talk):
    told(talk, "Zorblat went to the mill.", "Quux moved to the barn.")
    reply = talk.ask(TypedQuestion("Where is Zorblat?"))
    assert reply.prediction.answer in {"mill", "barn"}
    assert any("not met in training: “zorblat”" in reason for reason in reply.verdict.reasons)
    told(talk, "Zorblat went to the xanadu.")
    reply = talk.ask(TypedQuestion("Where is Zorblat?"))
    assert reply.verdict.level in {"unsure", "unknown"} or reply.reply == "xanadu"


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Ana did not go to the mill.", "says “not go”"),
        ("Ana never went to the mill.", "not"),
        ("Ana will go to the mill.", "what “will” changes was not learned"),
        ("Ana went to the mill or the barn.", "several"),
        ("The mill went to Ana.", "several answers are equally good"),
    ],
)
def test_it_is_not_sure_of_facts_whose_like_training_never_had(talk, sentence, reason):
    reply = told(talk, sentence).ask(TypedQuestion("Where is Ana?"))
    assert reply.verdict.level in {"unsure", "unknown"}
    assert reason in str(reply.verdict)


def test_a_new_verb_makes_it_less_sure_a_new_name_does_not(talk):
    def chance(*sentences: str) -> float:
        reply = told(talk, *sentences).ask(TypedQuestion("Where is Tom?"))
        best = replace(reply.prediction, answer="barn", margin=1.0, support_margin=0.5)
        return evidence(talk.cascade, reply.asked, best).chance

    known = chance("Ana went to the mill.", "Tom moved to the barn.")
    assert chance("Zorblat went to the mill.", "Tom moved to the barn.") == known
    assert chance("Ana went to the mill.", "Tom dashed to the barn.") < known


@pytest.mark.parametrize(
    ("margins", "level", "reasons"),
    [
        ((1.0, 0.5), "sure", ()),
        ((None, None), "sure", ()),  # there was nothing else to choose
        ((0.49, 0.2), "likely", ("another answer scores not much worse",)),
        ((0.6, 0.19), "likely", ("other facts score not much worse",)),
        ((0.1, 0.1), "unsure", ("another answer scores nearly as well", "other facts score not much worse")),
        ((0.3, 0.0), "unsure", ("another answer scores not much worse", "other facts score nearly as well")),
    ],
)  # fmt: skip
def test_small_margins_make_it_less_sure_and_are_told_as_reasons(talk, margins, level, reasons):
    reply = told(talk, "Ana went to the mill.", "Tom moved to the barn.").ask(
        TypedQuestion("Where is Tom?")
    )
    margin, support_margin = margins
    found = replace(reply.prediction, margin=margin, support_margin=support_margin)
    assert judge(talk.cascade, reply.asked, found) == Verdict(level, reasons)


def test_whom_the_story_does_not_mention_nothing_is_known_of(talk):
    reply = told(talk, "Ana went to the mill.", "Tom moved to the barn.").ask(
        TypedQuestion("Where is Zorblat?")
    )
    assert reply.verdict.level == "unknown"
    assert "does not mention “Zorblat”" in str(reply.verdict)


def test_what_was_never_asked_for_is_not_known(talk):
    reply = told(talk, "Ana went to the mill.").ask(TypedQuestion("How old is Ana?"))
    assert reply.verdict.level == "unknown"
    assert "nothing like that was asked" in str(reply.verdict)


def test_the_words_of_a_model(reading_cascade):
    known = known_words(reading_cascade.support_stage_, reading_cascade.answer_stage_)
    assert {"where", "ana", "harbour", "go"} <= known
    assert "zorblat" not in known


@pytest.mark.parametrize(
    "text", ["\u202e.", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢.", "!!!", "a" * 1500 + ".", "नमस्ते।", "<script>."]
)
def test_odd_sentences_are_borne(talk, text):
    told(talk, text, "Tom moved to the barn.")
    assert talk.ask(TypedQuestion("Where is Tom?")).prediction.answer == "barn"
