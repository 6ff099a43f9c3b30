"""Every group says each of its attributes in words."""

from __future__ import annotations

import re

import pytest

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase, ChosenFact, Place
from babi_cascade.features.group import said_safely, using
from babi_cascade.features.outline import FrameOutliner, match_of, outline_frames
from babi_cascade.features.registry import ANSWER, SUPPORT
from babi_cascade.features.story_cases import StoryCases
from babi_cascade.features.wording import shape_words
from babi_cascade.features.world.states import Said
from babi_cascade.pipeline.frames.model import Asked, Frame
from tests.features.reading import argument, asked, sentence, took, went, where_is

YESTERDAY = sentence("Yesterday Ana swam.",
                     Frame("swim", 3, (argument("nsubj", "ana"),), time="yesterday"))  # fmt: skip
FACTS = (went("ana", "pier"), took("bo", "kite"), YESTERDAY, sentence("Hm."), went("bo", "pier"))
QUESTIONS = (where_is("ana"), where_is("pier"), sentence("What?"))


def readable(words: str) -> None:
    assert words.isprintable()
    assert len(words.split()) > 2
    assert "{" not in words
    assert "  " not in words


@pytest.mark.parametrize("name", SUPPORT)
def test_every_attribute_of_a_support_group_is_a_sentence(name: str) -> None:
    group = SUPPORT[name]()
    stories = StoryCases(FrameOutliner())
    for question in QUESTIONS:
        stories.numbers(asked(FACTS, question), {0: "pointer 1"})
    found = 0
    for case in stories.items.things:
        for attribute in group.of_item(case):
            assert all(isinstance(part, str) for part in attribute)
            words = group.say(attribute, "question", "first fact")
            readable(words)
            assert "first fact" in words
            found += 1
    for pair in stories.pairs.things:
        for attribute in group.of_pair(pair):
            words = group.say(attribute, "first fact", "second fact")
            readable(words)
            assert "second fact" in words
            found += 1
    for kind in (None, "where"):
        for size in range(4):
            for attribute in group.of_size(kind, size):
                readable(group.say(attribute, "", ""))
    for difference in (-2, 1):
        told = group.of_difference(difference)
        if told is not None:
            readable(group.say((told,), "question", "first fact"))
    for text in group.of_sentence(FACTS[0]):
        readable(group.say((text, text), "question", "first fact"))
    cases = using({name: group}, "of_item") or using({name: group}, "of_pair")
    assert found > 0 or not cases


CODES = re.compile(
    r"nsubj|obl|\bobj\b|“[^”]*[,;][^”]*”|“(nearest|last|before|after|latest)\b|=\S|“ | ”"
)
"""Names of relations, and words of ours that are shown as if they were words of the story."""


@pytest.mark.parametrize("name", SUPPORT)
def test_places_and_flags_are_not_taken_for_roles_or_words(name: str) -> None:
    group = SUPPORT[name]()
    stories = StoryCases(FrameOutliner())
    what = Asked("what", "obj", "ARG1")
    took_what = sentence("What did bo take?",
                         Frame("take", 3, (argument("nsubj", "bo"),), question="wh", asks=what))  # fmt: skip
    for question in (*QUESTIONS, took_what):
        stories.numbers(asked(FACTS, question))
    said = [
        group.say(attribute, "question", "first fact")
        for case in stories.items.things
        for attribute in group.of_item(case)
    ]
    said += [
        group.say(attribute, "first fact", "second fact")
        for pair in stories.pairs.things
        for attribute in group.of_pair(pair)
    ]
    assert [words for words in said if CODES.search(words)] == []


def test_mentions_of_two_facts_tell_place_flags_and_verbs_apart() -> None:
    group = SUPPORT["role-agnostic"]()
    flags = "nearest, last"
    assert group.say(("mentions", "nsubj", "before", flags), "fact 1", "fact 2") == (
        "the fact 2 mentions the subject of the fact 1 (before it; nearest, last of those)"
    )
    whole = ("mentions predicate", "nsubj", "before", flags, "get", "nsubj obl")
    assert group.say(whole, "fact 1", "fact 2").endswith(
        "(before it; nearest, last of those; after “get”; subject, prepositional phrase)"
    )
    assert group.say(("mentions", "nsubj", "latest", "nsubj obj"), "question", "fact 1") == (
        "the fact 1 mentions the subject of the question (latest; subject, object)"
    )


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("nsubj obl", "subject, prepositional phrase"),
        ("went to", "“went to” place"),  # one learned role of two words
        ("^ / went to", "“^” place, “went to” place"),
        ("", "no roles"),
    ],
)
def test_shapes_of_frames_and_learned_ones(shape: str, words: str) -> None:
    assert shape_words(shape) == words


SAID = (
    None,
    Said("end:0", ("ana",), "", (), ("Ana",), "always"),
    Said("count:0", (), "2 in all", (), (), "mostly"),
)


def answer_cases() -> list[AnswerCase]:
    cases = []
    for asking in QUESTIONS:
        question = outline_frames(asking)
        for slots in (("first fact", "second fact", "third fact"), (ANY_FACT,) * 3, ()):
            outlines = [outline_frames(fact) for fact in FACTS[: len(slots)]]
            facts = tuple(
                ChosenFact(slot, outline, match_of(question, outline))
                for slot, outline in zip(slots, outlines, strict=True)
            )
            between = {
                (p, p + 1): match_of(outlines[p], outlines[p + 1]) for p in range(len(outlines) - 1)
            }
            sentences = (asking, *FACTS[: len(slots)])
            for said in SAID:
                cases.append(AnswerCase(question, facts, between, "word", sentences, said))
    return cases


@pytest.mark.parametrize("name", ANSWER)
def test_every_attribute_of_an_answer_group_is_a_sentence(name: str) -> None:
    group = ANSWER[name]()
    attributes = []
    for case in answer_cases():
        places = tuple(
            Place(number, role, "lemma")
            for number, fact in enumerate(case.facts)
            for role, filler in fact.outline.roles
            if filler == "ana"
        )
        attributes += list(group.of_context(case))
        attributes += list(group.of_places(case, "ana", places))
        attributes += [(text, text) for text in group.of_sentence(case.sentences[0])]
    assert attributes or group.rule is not None
    for attribute in attributes:
        assert all(isinstance(part, str) for part in attribute)
        readable(group.say(attribute, "question", "first fact"))


@pytest.mark.parametrize("name", SUPPORT)
def test_an_attribute_that_no_group_made_is_shown_all_the_same(name: str) -> None:
    group, own = SUPPORT[name](), ("nonsense",)
    assert said_safely(lambda: group.say(own, "one", "other"), own)
