"""Synonyms, descriptions and pronouns: whoever is meant is known to the truth and found by the reader."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.simulation.check import Comprehension, Line, check_story
from babi_cascade.simulation.config import load_config
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Asked, Event
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import Storyteller
from babi_cascade.simulation.truth import truth_record
from tests.simulation.told import misread, records, tell

WITH_PEOPLE = [number for number in TASKS if number not in (4, 17, 18, 19)]
PRONOUNS = (11, 13)


@cache
def household() -> Lexicon:
    """Return English with the synonyms and descriptions of the sample."""
    sample = resources.files("babi_cascade.data") / "samples" / "household.toml"
    with resources.as_file(sample) as path:
        return load_lexicon("en").with_words(path)


def with_words(tmp_path: Path, text: str) -> Lexicon:
    path = tmp_path / "words.toml"
    path.write_text(text, encoding="utf-8")
    return load_lexicon("en").with_words(path)


@settings(max_examples=40, deadline=None)
@given(
    number=st.sampled_from(sorted(TASKS)),
    seed=st.integers(0, 10_000),
    descriptions=st.sampled_from([0.0, 0.3, 1.0]),
    introductions=st.booleans(),
    own=st.booleans(),
    distractors=st.integers(0, 2),
    farthest=st.integers(1, 5),
)
def test_the_reader_finds_whom_and_what_every_line_means(
    number: int, seed: int, descriptions: float, introductions: bool, own: bool,
    distractors: int, farthest: int,
):  # fmt: skip
    stories = tell(
        number, 10, seed=seed, lexicon=household() if own else None, descriptions=descriptions,
        introductions=introductions, distractors=distractors, pronoun_distance=(1, farthest),
    )  # fmt: skip
    lexicon = (household() if own else load_lexicon("en")).for_task(str(number))
    reader = Comprehension(lexicon)
    for told in stories:
        assert misread(told, reader) == []


@pytest.mark.parametrize("language", ["en", "hn", "shuffled", "symbolic"])
@pytest.mark.parametrize("number", PRONOUNS)
def test_pronouns_at_a_distance_are_proved_in_all_languages(
    number: int, language: str, tmp_path: Path
):
    knobs = Knobs(pronoun_distance=(2, 4), distractors=1)
    order = Order([TASKS[number]], 40, 0, language=language, knobs=knobs, check=True)
    assert generate(order, tmp_path).checked.questions == 40


@pytest.mark.parametrize("number", TASKS)
def test_synonyms_and_descriptions_are_proved(number: int, tmp_path: Path):
    knobs = Knobs(descriptions=0.4, distractors=1)
    order = Order([TASKS[number]], 40, 20, lexicon=household(), knobs=knobs, check=True, truth=True)
    outcome = generate(order, tmp_path)
    assert outcome.checked.questions == 60


# Synonyms.


def test_every_spelling_is_used_in_sentences_and_the_first_one_in_answers():
    told = [line for story in tell(5, 300, lexicon=household()) for line in story]
    texts = " ".join(line.text for line in told)
    for word in ("milk", "carton", "ball", "football", "Daniel", "Dan", "corridor", "hallway"):
        assert f"{word} " in texts.replace(".", " ").replace("?", " ")
    firsts = {entity.forms["word"][0] for entity in household().entities.values()}
    answers = {line.answer for line in told if line.answer}
    assert {"milk", "Daniel"} <= answers <= firsts


def test_without_synonyms_only_the_first_spelling_is_used():
    told = [line for story in tell(5, 60, lexicon=household(), synonyms=False) for line in story]
    assert not any(word in line.text for line in told for word in ("carton", "Sandy", "corridor"))


def test_the_truth_says_which_entity_each_spelling_means():
    meant: dict[str, set[str]] = {}
    for told in tell(2, 200, lexicon=household()):
        for record in records(told):
            for mention in record["mentions"]:
                meant.setdefault(mention["text"].lower(), set()).update(mention["entities"])
    assert meant["carton"] == meant["milk"] == {"milk"}
    assert meant["dan"] == meant["daniel"] == {"daniel"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('things = [["milk", "carton"], ["juice", "Carton"]]', "'carton' of 'juice' .* of 'milk' of the"),
        ('things = [["milk", "kitchen"]]', "'kitchen' of 'milk' is already .* 'kitchen' of the rooms"),
        ('things = [["milk", "Mary"]]', "'mary' of 'milk' is already .* 'mary' of the people"),
        ('things = [["milk", "milk"]]', "entry 1: word has 'milk' twice"),
        ('things = [["milk", 3]]', "entry 1: word is 3, expected a word"),
        ("things = [[]]", r"entry 1: found \[\], expected a word, a list of synonyms"),
        ('things = [{ word = "milk", descriptions = ["the drink"] }]', "descriptions are for people"),
    ],
)  # fmt: skip
def test_spellings_that_cannot_be_told_apart_are_refused(text: str, message: str, tmp_path: Path):
    with pytest.raises(SimulationError, match=rf"words\.toml: things.*{message}") as error:
        with_words(tmp_path, text)
    assert "\n" not in str(error.value)


# Descriptions.


def people(*descriptions: str) -> str:
    """Return people with these descriptions."""
    rows = [
        f'{{ word = "P{n}", gender = "f", descriptions = {text} }}'
        for n, text in enumerate(descriptions, start=1)
    ]
    return f"people = [{', '.join(rows)}]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (people('["the old lady"]', '["The old lady"]'), "'the old lady' of 'p2' .* of 'p1'"),
        (people('["the nurse"]', '["P1"]'), "'p1' of 'p2' is already a word of 'p1'"),
        (people('["milk"]', "[]"), "'milk' of 'p1' is already a word of 'milk' of the things"),
        (people('"the nurse"', "[]"), "entry 1: descriptions is 'the nurse', expected a list"),
        (people('["a, b"]', "[]"), "entry 1: descriptions is 'a, b', expected .*without commas"),
        (people("[1]", "[]"), "entry 1: descriptions is 1"),
    ],
)  # fmt: skip
def test_a_description_of_two_people_is_refused(text: str, message: str, tmp_path: Path):
    with pytest.raises(SimulationError, match=rf"words\.toml: people.*{message}"):
        with_words(tmp_path, text)


@pytest.mark.parametrize("number", WITH_PEOPLE)
def test_a_description_comes_only_after_the_name(number: int):
    described = 0
    entities = load_lexicon("en").entities
    for told in tell(number, 100, descriptions=0.5, distractors=1):
        named: set[str] = set()
        for record in records(told):
            for mention in record["mentions"]:
                (entity, *others) = mention["entities"]
                text = mention["text"].lower()
                if not others and text in entities[entity].descriptions:
                    assert entity in named
                    described += 1
                elif text == entities[entity].forms["word"][0].lower():
                    named.add(entity)
    assert described


@pytest.mark.parametrize("number", WITH_PEOPLE)
def test_people_are_introduced_where_they_are_named_first(number: int):
    introduced = 0
    for told in tell(number, 60, lexicon=household(), descriptions=0.5, introductions=True):
        by: dict[str, str] = {}
        for record in records(told):
            assert ",." not in record["text"]
            assert ",?" not in record["text"]
            named = ""
            for mention in record["mentions"]:
                person = household().entities[mention["entities"][0]]
                assert record["text"][mention["start"] : mention["end"]] == mention["text"]
                text = mention["text"].lower()
                if text in person.descriptions and named == person.id:
                    assert record["text"][: mention["start"]].endswith(", ")
                    assert person.id not in by, "only once"
                    by[person.id] = text
                    introduced += 1
                elif text in person.descriptions:
                    assert by[person.id] == text, "the description that was introduced"
                named = person.id
    assert introduced


def test_the_reader_is_not_deceived_by_another_description():
    told = tell(1, 100, descriptions=1.0)
    reader = Comprehension(load_lexicon("en").for_task("1"))
    refused = 0
    for story in told:
        lines = [Line(n, t.text, t.answer or None, t.support) for n, t in enumerate(story, start=1)]
        assert check_story(lines, reader).problems == []
        changed = [
            line._replace(text=line.text.replace("old man", "tall man")) if line.answer else line
            for line in lines
        ]
        if any("old man" in line.text for line in lines if line.answer):
            refused += 1
            assert check_story(changed, reader).problems
    assert refused


def test_the_reader_takes_the_latest_of_two_candidates():
    reader = Comprehension(load_lexicon("en").for_task("11"))
    story = ["John went to the kitchen.", "Daniel went to the garden.", "Mary went to the park.",
             "Then he moved to the office."]  # fmt: skip
    lines = [Line(n, text) for n, text in enumerate(story, start=1)]
    true = Line(5, "Where is Daniel?", "office", (2, 4))
    false = Line(5, "Where is John?", "office", (1, 4))
    assert check_story([*lines, true], reader).problems == []
    (problem,) = check_story([*lines, false], reader).problems
    assert "'Where is John?' is answered 'office', but the story says kitchen" in problem


def test_the_share_of_descriptions_is_what_was_asked_for():
    later = described = 0
    for told in tell(1, 600, descriptions=0.3):
        seen: set[str] = set()
        for record in records(told):
            person = record["who"][0]
            later += person in seen
            described += record["mentions"][0]["text"].lower().startswith("the ")
            seen.add(person)
    assert 0.27 < described / later < 0.33


@pytest.mark.parametrize("number", [1, 5, 11, 20])
def test_descriptions_change_nothing_but_the_names(number: int):
    plain, told = tell(number, 60), tell(number, 60, descriptions=0.5)
    assert plain != told
    names = {
        text: entity.forms["word"][0]
        for entity in load_lexicon("en").entities.values()
        for text in entity.descriptions
    }
    for story, other in zip(plain, told, strict=True):
        for line, twin in zip(story, other, strict=True):
            text = twin.text
            for description, name in names.items():
                text = text.replace(description, name)
                text = text.replace(description[0].upper() + description[1:], name)
            assert text.lower() == line.text.lower()
            assert (twin.answer, twin.support) == (line.answer, line.support)


def test_descriptions_that_nobody_has_are_refused():
    with pytest.raises(SimulationError, match=r"hn\.toml: descriptions are asked for, but nobody"):
        Storyteller(TASKS[1], language="hn", knobs=Knobs(descriptions=0.1))


def test_descriptions_mean_nothing_where_there_are_no_people(tmp_path: Path):
    order = Order([TASKS[19]], 5, 0, knobs=Knobs(descriptions=0.5))
    (warning,) = generate(order, tmp_path).warnings
    assert "path-finding: --descriptions means nothing" in warning


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_out_of_range_is_refused(share: float):
    with pytest.raises(SimulationError, match=r"descriptions is .*from 0 to 1"):
        Knobs(descriptions=share)


# Pronouns at a distance.


def pronoun_lines(number: int, **knobs: Any) -> list[tuple[int, list[Event], Event]]:
    """Return (distance, the statements before, the statement) of every pronoun."""
    found = []
    for told in tell(number, 300, **knobs):
        record = json.loads(truth_record(1, told, antecedents=True))
        statements: list[Event] = []
        places: dict[int, int] = {}
        for line, said in zip(told, record["lines"], strict=True):
            if isinstance(line.meaning, Asked):
                continue
            places[said["line"]] = len(statements)
            if line.meaning.pronoun:
                assert statements[places[said["antecedent"]]].who == line.meaning.who
                distance = len(statements) - places[said["antecedent"]]
                found.append((distance, list(statements), line.meaning))
            statements.append(line.meaning)
    return found


@pytest.mark.parametrize("number", PRONOUNS)
def test_pronouns_stand_at_all_distances_asked_for(number: int):
    assert {distance for distance, _, _ in pronoun_lines(number)} == {1}
    found = pronoun_lines(number, pronoun_distance=(2, 4))
    assert {distance for distance, _, _ in found} == {2, 3, 4}


def test_the_latest_subject_of_that_gender_is_meant_though_others_of_it_were_named():
    genders = {e.id: e.gender for e in load_lexicon("en").entities.values()}
    found = pronoun_lines(11, pronoun_distance=(1, 4))
    rivals = 0
    for _, before, event in found:
        (person,) = event.who
        same = [e.who[0] for e in before if genders[e.who[0]] == genders[person]]
        assert same[-1] == person
        rivals += any(other != person for other in same)
    assert rivals > len(found) / 2


def test_they_are_the_latest_two_though_somebody_moved_alone_since():
    for distance, before, event in pronoun_lines(13, pronoun_distance=(3, 3)):
        assert distance == 3
        assert [e.who for e in before if len(e.who) == 2][-1] == event.who
        assert not {*before[-1].who, *before[-2].who} & {*event.who}


def test_the_truth_has_antecedents_only_when_the_distance_is_asked_for(tmp_path: Path):
    for name, knobs in (("plain", Knobs()), ("far", Knobs(pronoun_distance=(1, 3)))):
        generate(Order([TASKS[11]], 20, 0, knobs=knobs, truth=True), tmp_path / name)
    name = "qa11_basic-coreference_train.truth.jsonl"
    assert '"antecedent"' not in (tmp_path / "plain" / name).read_text(encoding="utf-8")
    assert '"antecedent"' in (tmp_path / "far" / name).read_text(encoding="utf-8")


def test_a_task_of_ones_own_takes_descriptions_and_distances(tmp_path: Path):
    path = tmp_path / "own.toml"
    path.write_text(
        'name = "own"\nactions = ["go", "get", "drop"]\nquestions = ["where_thing", "where_person"]\n'
        "descriptions = 0.4\npronoun_distance = [2, 3]\n[told]\npronoun = 0.5\ntogether = 0.2\n",
        encoding="utf-8",
    )
    config = load_config(path)
    order = Order([config.task], 60, 0, knobs=config.knobs, check=True, truth=True)
    outcome = generate(order, tmp_path / "out")
    assert (outcome.checked.questions, outcome.warnings) == (60, [])
    text = outcome.files[0].read_text(encoding="utf-8") + outcome.files[1].read_text("utf-8")
    assert "he old man" in text
    assert '"antecedent"' in text


@pytest.mark.parametrize(("number", "women"), [(11, 3), (13, 2)])
def test_a_cast_that_leaves_nobody_to_step_between_is_refused(
    number: int, women: int, tmp_path: Path
):
    lexicon = with_words(tmp_path, people(*["[]"] * women))
    with pytest.raises(SimulationError, match="pronoun_distance: nobody of the cast"):
        tell(number, 5, lexicon=lexicon, pronoun_distance=(2, 3))


@pytest.mark.parametrize("span", [(0, 1), (3, 2), (1, 101)])
def test_a_distance_out_of_range_is_refused(span: tuple[int, int]):
    with pytest.raises(SimulationError, match=r"pronoun_distance is .*from 1 to 100"):
        Knobs(pronoun_distance=span)
