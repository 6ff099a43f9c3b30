"""The truth records say what the sentences say, as an independent reader understands them."""

from __future__ import annotations

import json
import re

import pytest

from babi_cascade.simulation.letters import Letters
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import babi_lines
from babi_cascade.simulation.truth import truth_record
from tests.simulation.oracle import Fact, Query, placings, read_story, singular
from tests.simulation.told import records, tell


def entity(words: str) -> str:
    """Return the id of what the words name."""
    return words.lower().removeprefix("this ").replace(" ", "_")


def roles_of(fact: Fact) -> dict[str, object]:
    """Return the roles that the oracle's reading of a sentence fills."""
    roles = {
        "who": [entity(person) for person in fact.people],
        "what": entity(fact.thing),
        "where": entity(fact.room),
        "to": entity(fact.to),
        "other": entity(fact.other),
        "when": entity(fact.when),
        "alternatives": [entity(room) for room in fact.alternatives],
    }
    return {role: value for role, value in roles.items() if value}


@pytest.mark.parametrize("number", TASKS)
def test_statements_mean_what_the_oracle_reads(number: int):
    for told in tell(number, 60):
        story = read_story(babi_lines(told))
        lines = records(told)
        assert [record["line"] for record in lines] == list(range(1, len(told) + 1))
        for fact in story.facts:
            record = lines[fact.line - 1]
            assert "question" not in record
            assert record["text"] == story.texts[fact.line]
            assert record["predicate"] == fact.kind
            assert record["negated"] is fact.negated
            said = {
                k: v
                for k, v in record.items()
                if k not in ("line", "text", "predicate", "negated", "mentions", "there")
            }
            assert said == roles_of(fact)


@pytest.mark.parametrize("number", [2, 3, 5, 7, 20])
def test_there_is_the_room_that_was_told(number: int):
    known = 0
    for told in tell(number, 60):
        story, lines = read_story(babi_lines(told)), records(told)
        for fact in story.facts:
            record = lines[fact.line - 1]
            assert ("there" in record) is fact.there
            been = placings(story.before(fact.line), fact.people[0])
            if fact.there and been:
                assert record["there"] == been[-1].room
                known += 1
    assert known


@pytest.mark.parametrize("number", TASKS)
def test_every_mention_covers_its_words_and_names_its_entities(number: int):
    for told in tell(number, 60):
        story = read_story(babi_lines(told))
        facts = {fact.line: fact for fact in story.facts}
        for record in records(told):
            fact = facts.get(record["line"])
            ends = 0
            for mention in record["mentions"]:
                text = record["text"][mention["start"] : mention["end"]]
                assert mention["text"] == text
                assert mention["start"] >= ends, "mentions come in order and do not overlap"
                ends = mention["end"]
                around = record["text"][max(0, mention["start"] - 1) : ends + 1]
                assert re.fullmatch(rf"\W?{re.escape(text)}\W?", around), "whole words"
                if text in ("he", "she", "they"):
                    assert mention["entities"] == [entity(name) for name in fact.people]
                elif text == "there":
                    assert mention["entities"] == [record["there"]]
                else:
                    plural = fact is not None and fact.kind == "fear"
                    assert mention["entities"] == [entity(singular(text) if plural else text)]


@pytest.mark.parametrize("number", TASKS)
def test_everybody_and_everything_that_takes_part_is_mentioned(number: int):
    for told in tell(number, 60):
        for record in records(told):
            mentioned = {e for mention in record["mentions"] for e in mention["entities"]}
            parts = {*record.get("who", ()), *record.get("alternatives", ())}
            parts |= {record[role] for role in ("what", "where", "to", "other", "when", "there")
                      if role in record}  # fmt: skip
            assert mentioned == parts


def asked_for(query: Query, text: str) -> str:
    """Say from its first words what a question asks for."""
    for words, role in (
        ("Where ", "where"), ("How many ", "count"), ("How do you go ", "way"), ("Why ", "why"),
        ("Is ", "truth"), ("Does ", "truth"), ("What did ", "what"), ("What color ", "other"),
        ("Who did ", "to"), ("Who ", "who"),
    ):  # fmt: skip
        if text.startswith(words):
            return role
    return "other" if text.rstrip().endswith(" of?") else "what"


@pytest.mark.parametrize("number", TASKS)
def test_questions_record_what_is_asked(number: int):
    for told in tell(number, 60):
        story, lines = read_story(babi_lines(told)), records(told)
        for query in story.queries:
            record, (answer, support) = lines[query.line - 1], story.claimed[query.line]
            assert record["question"] is True
            assert record["kind"] == query.kind
            assert record["asks"] == asked_for(query, record["text"])
            assert tuple(record["support"]) == support
            names = {"who": "who", "thing": "what", "room": "where", "to": "to", "other": "other"}
            for name, words in query.said.items():
                value = record[names[name]]
                assert (value[0] if name == "who" else value) == entity(words)
            initials = number == 19
            words = [one[0] if initials else one for one in record["answer"]]
            assert words == [entity(one) for one in answer.split(",")]


@pytest.mark.parametrize("language", ["hn", "shuffled", "symbolic"])
@pytest.mark.parametrize("number", TASKS)
def test_all_languages_tell_the_same_events(number: int, language: str):
    english, other = tell(number, 40), tell(number, 40, language=language)
    assert len(english) == len(other)
    for story, translated in zip(english, other, strict=True):
        for line, twin in zip(records(story), records(translated), strict=True):
            wording = ("text", "mentions")
            assert {k: v for k, v in line.items() if k not in wording} == {
                k: v for k, v in twin.items() if k not in wording
            }
            for mention in twin["mentions"]:
                assert 0 <= mention["start"] < mention["end"] <= len(twin["text"])
                assert mention["text"] == twin["text"][mention["start"] : mention["end"]]
            # Only English has a word for "there".
            silent = {line["there"]} if "there" in line and language != "shuffled" else set()
            assert {e for m in twin["mentions"] for e in m["entities"]} == {
                e for m in line["mentions"] for e in m["entities"]
            } - silent


@pytest.mark.parametrize("number", TASKS)
def test_shuffled_stories_are_the_english_ones_in_other_letters(number: int):
    letters = Letters(1)
    for story, mixed in zip(tell(number, 30), tell(number, 30, language="shuffled"), strict=True):
        for line, twin in zip(story, mixed, strict=True):
            assert twin.text != line.text
            assert letters.restore(twin.text) == line.text
            assert letters.restore(twin.answer) == line.answer
            assert twin.mentions == line.mentions


def test_a_record_is_one_line_of_json():
    (told,) = tell(11, 5)
    text = truth_record(7, told)
    assert text.endswith("\n")
    assert text.count("\n") == 1
    assert json.loads(text) == {"story": 7, "lines": records(told)}
