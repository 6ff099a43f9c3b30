"""Every group of the extended preset says each of its attributes in words."""

from __future__ import annotations

import re

import pytest

from babi_cascade.features.answer_case import (
    ANY_FACT,
    AnswerCase,
    ChosenFact,
    ContextGroup,
    CopyGroup,
    Place,
)
from babi_cascade.features.extended_group import said_safely
from babi_cascade.features.outline import FrameOutliner, outline_frames, signature
from babi_cascade.features.registry import EXTENDED_ANSWER, EXTENDED_SUPPORT
from babi_cascade.features.story_cases import StoryCases
from babi_cascade.features.wording import shape_words
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


@pytest.mark.parametrize("name", EXTENDED_SUPPORT)
def test_every_attribute_of_a_support_group_is_a_sentence(name: str) -> None:
    group = EXTENDED_SUPPORT[name]()
    assert group.name == name
    assert len(group.description.split()) > 3
    stories = StoryCases(FrameOutliner())
    for question in QUESTIONS:
        stories.tell(asked(FACTS, question))
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
    assert found > 0 or name == "length"


CODES = re.compile(
    r"nsubj|obl|\bobj\b|“[^”]*[,;][^”]*”|“(nearest|last|before|after|latest)\b|=\S|“ | ”"
)
"""Names of relations, and words of ours that are shown as if they were words of the story."""


@pytest.mark.parametrize("name", EXTENDED_SUPPORT)
def test_places_and_flags_are_not_taken_for_roles_or_words(name: str) -> None:
    group = EXTENDED_SUPPORT[name]()
    stories = StoryCases(FrameOutliner())
    what = Asked("what", "obj", "ARG1")
    took_what = sentence("What did bo take?",
                         Frame("take", 3, (argument("nsubj", "bo"),), question="wh", asks=what))  # fmt: skip
    for question in (*QUESTIONS, took_what):
        stories.tell(asked(FACTS, question))
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
    group = EXTENDED_SUPPORT["role-agnostic"]()
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


def test_lengths_are_counted_in_words() -> None:
    group = EXTENDED_SUPPORT["length"]()
    for size in range(4):
        readable(group.say(("where", str(size)), "", ""))


def answer_cases() -> list[AnswerCase]:
    cases = []
    for question in map(outline_frames, QUESTIONS):
        for slots in (("first fact", "second fact", "third fact"), (ANY_FACT,) * 3, ()):
            outlines = [outline_frames(fact) for fact in FACTS[: len(slots)]]
            facts = tuple(
                ChosenFact(slot, outline, signature(question, outline))
                for slot, outline in zip(slots, outlines, strict=True)
            )
            between = {
                (p, p + 1): signature(outlines[p], outlines[p + 1])
                for p in range(len(outlines) - 1)
            }
            cases.append(AnswerCase(question, facts, between, "word"))
    return cases


@pytest.mark.parametrize("name", EXTENDED_ANSWER)
def test_every_attribute_of_an_answer_group_is_a_sentence(name: str) -> None:
    group = EXTENDED_ANSWER[name]()
    assert group.name == name
    assert len(group.description.split()) > 3
    attributes = []
    for case in answer_cases():
        if isinstance(group, ContextGroup):
            attributes += list(group.of_context(case))
        elif isinstance(group, CopyGroup):
            places = tuple(
                Place(number, role, "lemma")
                for number, fact in enumerate(case.facts)
                for role, filler in fact.outline.roles
                if filler == "ana"
            )
            attributes += list(group.of_places(case, "ana", places))
    assert attributes
    for attribute in attributes:
        assert all(isinstance(part, str) for part in attribute)
        readable(group.say(attribute))


@pytest.mark.parametrize("name", EXTENDED_SUPPORT)
def test_an_attribute_that_no_group_made_is_shown_all_the_same(name: str) -> None:
    group, own = EXTENDED_SUPPORT[name](), ("nonsense",)
    assert said_safely(lambda: group.say(own, "one", "other"), own)
