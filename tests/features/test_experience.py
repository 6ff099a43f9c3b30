"""What training never had is noticed: negation, alternatives, other roles, other company."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from babi_cascade.features.answer_case import ANY_FACT
from babi_cascade.features.answer_parts import Shape
from babi_cascade.features.experience import Experience
from babi_cascade.pipeline.frames.model import Frame
from tests.features.reading import argument, asked, sentence, took, went, where_is
from tests.features.test_answer_encoder import FACTS, fitted

TRAINING = [
    asked(FACTS, where_is("ana"), "pier", (0,)),
    asked(FACTS, where_is("bo"), "barn", (3,)),
]


@pytest.fixture(scope="module")
def encoder():
    return fitted(TRAINING, Shape())


@pytest.fixture(scope="module")
def experience(encoder):
    cases = [encoder.choices(each, each.support).case for each in TRAINING]
    return Experience().learn(TRAINING, cases, [each.support for each in TRAINING], [[], ["take"]])


def said(text: str, predicate: str, *arguments, negated: bool = False):
    return sentence(text, Frame(predicate, 2, arguments, negated=negated))


def doubts(encoder, experience, fact, passed=()):
    case = encoder.choices(asked((fact,), where_is("ana")), (0,)).case
    return experience.novelties(case, ["fact 1"], [0], passed)


def test_what_looks_like_training_is_not_strange_whatever_it_names(encoder, experience):
    assert doubts(encoder, experience, went("ana", "moon")) == []


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        (
            said("ana did not go to the pier.", "go", argument("nsubj", "ana"),
                 argument("obl:to", "pier"), negated=True),
            "says “not go”",
        ),
        (
            said("ana did not fly to the pier.", "fly", argument("nsubj", "ana"),
                 argument("obl:to", "pier"), negated=True),
            "says “not fly”",
        ),
        (took("ana", "kite"), "says “take”"),
        (
            said("ana went to the pier or barn.", "go", argument("nsubj", "ana"),
                 replace(argument("obl:to", "pier"), alternative=True)),
            "one of several",
        ),
        (
            said("bo went to ana.", "go", argument("nsubj", "bo"), argument("obl:to", "ana")),
            "no fact matched such a question as fact 1 does",
        ),
    ],
)  # fmt: skip
def test_known_words_in_a_use_that_was_not_learned_are_grave(encoder, experience, fact, reason):
    found = doubts(encoder, experience, fact)
    assert any(reason in each.words and each.grave for each in found)


def test_a_new_verb_or_preposition_in_the_place_of_others_is_a_mild_doubt(encoder, experience):
    subject = argument("nsubj", "ana")
    flew = said("ana flew to the pier.", "fly", subject, argument("obl:to", "pier"))
    into = said("ana went into the pier.", "go", subject, argument("obl:into", "pier"))
    for fact in (flew, into):
        found = doubts(encoder, experience, fact)
        assert found
        assert not any(each.grave for each in found)


def test_a_fact_that_was_passed_over_is_told_if_its_meaning_was_not_learned(encoder, experience):
    fact = went("ana", "pier")
    assert doubts(encoder, experience, fact, [("fact 2", "take")]) == []
    (found,) = doubts(encoder, experience, fact, [("fact 2", "vanish")])
    assert "what fact 2 means" in found.words


def test_a_question_of_another_kind_is_told(encoder, experience):
    question = sentence("ana lives where?", Frame("live", 2, (argument("nsubj", "ana"),)))
    case = encoder.choices(asked((went("ana", "pier"),), question), (0,)).case
    assert "no question like this" in experience.novelties(case, ["fact 1"], [0])[0].words


def ordered(encoder, learned, *, chain=False):
    """The memory of questions whose two facts, of one kind, stand in these orders; and what asks it."""
    story = (went("ana", "pier"), took("ana", "kite"))
    questions = [asked(story, where_is("ana"), "pier", (0, 1)) for _ in learned]
    case = encoder.choices(questions[0], (0, 1)).case
    if chain:
        case = replace(case, facts=tuple(replace(fact, slot=ANY_FACT) for fact in case.facts))
    met = Experience().learn(questions, [case] * len(questions), learned, [[]] * len(questions))
    return lambda *places: met.novelties(case, ["fact 1", "fact 2"], places)


def test_facts_in_an_order_that_was_never_met_are_grave(encoder):
    doubts_of = ordered(encoder, [(0, 1), (2, 5)])
    assert doubts_of(3, 7) == []
    (found,) = doubts_of(7, 3)
    assert found.grave
    assert "followed in time as fact 1 and fact 2 do" in found.words


def test_where_both_orders_were_met_or_facts_are_a_chain_order_is_no_doubt(encoder):
    assert ordered(encoder, [(0, 1), (5, 2)])(7, 3) == []
    assert ordered(encoder, [(0, 1)], chain=True)(7, 3) == []


def test_times_belong_to_the_order_of_facts(encoder):
    def told_at(*times):
        story = tuple(
            sentence(f"{time} ana ran.", Frame("run", 2, (argument("nsubj", "ana"),), time=time))
            for time in times
        )
        return asked(story, where_is("ana"), "pier", (0, 1))

    learned = [told_at("today", "yesterday"), told_at("tonight", "today")]
    cases = [encoder.choices(each, (0, 1)).case for each in learned]
    met = Experience().learn(learned, cases, [(1, 0), (0, 1)], [[], []])

    def gravity(*times, places):
        case = encoder.choices(told_at(*times), (0, 1)).case
        return [each.grave for each in met.novelties(case, ["fact 1", "fact 2"], places)]

    assert gravity("today", "yesterday", places=(1, 0)) == []
    assert gravity("yesterday", "today", places=(1, 0)) == [True]
    assert gravity(None, None, places=(1, 0)) == [True]  # such facts always told their times
    assert gravity("today", "once", places=(1, 0)) == [False]  # one new time in the place of others
    assert gravity("soon", "once", places=(1, 0)) == [True]


def test_an_order_met_with_facts_that_match_the_question_otherwise_is_no_experience(encoder):
    story = (went("ana", "pier"), took("bo", "ana"))
    questions = [asked(story, where_is("ana"), "pier", support) for support in ((0, 1), (1, 0))]
    cases = [encoder.choices(each, each.support).case for each in questions]
    met = Experience().learn(questions, cases, [(0, 1), (0, 1)], [[], []])
    for case in cases:  # one fact has her as subject, the other as object: in both slots
        assert met.novelties(case, ["fact 1", "fact 2"], [0, 1]) == []
        assert [each.grave for each in met.novelties(case, ["fact 1", "fact 2"], [1, 0])] == [True]


def test_a_memory_without_orders_raises_no_doubts_about_them(encoder):
    story = (went("ana", "pier"), took("ana", "kite"))
    question = asked(story, where_is("ana"), "pier", (0, 1))
    case = encoder.choices(question, (0, 1)).case
    record = Experience().learn([question], [case], [(0, 1)], [[]]).to_json()
    record["kinds"] = {
        kind: [trait for trait in traits if trait[0] != "order"]
        for kind, traits in record["kinds"].items()
    }
    assert Experience.from_json(record).novelties(case, ["fact 1", "fact 2"], [1, 0]) == []


def test_it_is_kept_in_model_files(encoder, experience):
    again = Experience.from_json(json.loads(json.dumps(experience.to_json())))
    assert again.to_json() == experience.to_json()
    assert {"ana", "went", "took"} <= set(again.told)
    assert "where" not in again.told
