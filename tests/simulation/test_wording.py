"""The paper's wording: what Tables 1 and 2 say can be told, is proved, and leaves the released one alone."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.app.fidelity.forms import FormReader
from babi_cascade.simulation.check import Comprehension, Line, check_story
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Asked
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks import TASKS
from tests.simulation.oracle import split_stories
from tests.simulation.told import misread, records, tell

SAMPLES = resources.files("babi_cascade.data") / "samples"


@cache
def paper() -> Lexicon:
    return load_lexicon("en", "paper")


@cache
def reader(number: int) -> Comprehension:
    return Comprehension(paper().for_task(str(number)))


@cache
def sample_stories() -> dict[int, list[Line]]:
    """Return the sample stories of the paper by the number of their task."""
    text = (SAMPLES / "paper-stories.txt").read_text(encoding="utf-8")
    return dict(enumerate(map(lines_of, split_stories(text)), start=1))


def lines_of(story: str) -> list[Line]:
    lines = []
    for line in story.splitlines():
        number, _, said = line.partition(" ")
        text, *asked = said.split("\t")
        if asked:
            support = tuple(map(int, asked[1].split()))
            lines.append(Line(int(number), text.rstrip(), asked[0], support))
        else:
            lines.append(Line(int(number), text))
    return lines


@pytest.mark.parametrize("number", sorted(set(TASKS) - {8}))
def test_the_sample_stories_of_the_paper_are_read_and_proved(number: int):
    report = check_story(sample_stories()[number], reader(number))
    assert report.questions
    assert report.problems == []


def test_the_one_list_of_the_paper_is_read_but_has_another_order():
    (problem,) = check_story(sample_stories()[8], reader(8)).problems
    assert "is answered 'milk,football', but the story says football,milk" in problem


@pytest.mark.parametrize("number", TASKS)
def test_every_sentence_of_the_tables_has_a_form_that_is_told(number: int):
    forms = FormReader(paper().for_task(str(number)))
    told = {forms.form(line.text) for story in tell(number, 400, lexicon=paper()) for line in story}
    tables = {forms.form(line.text) for line in sample_stories()[number]}
    assert tables <= told


@pytest.mark.parametrize("language", ["en", "shuffled"])
@pytest.mark.parametrize("number", TASKS)
def test_the_papers_wording_is_proved(number: int, language: str, tmp_path: Path):
    order = Order([TASKS[number]], 60, 20, language=language, lexicon=paper(), check=True)
    assert generate(order, tmp_path).checked.questions == 80


@pytest.mark.parametrize("sample", ["village.toml", "household.toml"])
def test_other_words_may_be_laid_over_it(sample: str, tmp_path: Path):
    with resources.as_file(SAMPLES / sample) as path:
        lexicon = paper().with_words(path)
    knobs = Knobs(distractors=1, pronoun_distance=(1, 3))
    order = Order(list(TASKS.values()), 20, 0, lexicon=lexicon, knobs=knobs, check=True)
    assert generate(order, tmp_path).checked.questions == 20 * len(TASKS)


@settings(max_examples=30, deadline=None)
@given(number=st.sampled_from(sorted(TASKS)), seed=st.integers(0, 10_000), share=st.floats(0, 1))
def test_the_reader_finds_whom_and_what_every_line_means(number: int, seed: int, share: float):
    for told in tell(number, 10, seed=seed, lexicon=paper(), descriptions=share):
        assert misread(told, reader(number)) == []


def test_the_mention_of_a_place_is_its_word_without_the_preposition():
    found = set()
    for told in tell(14, 200, lexicon=paper()):
        for record in records(told):
            for mention in record["mentions"]:
                text = record["text"]
                assert text[mention["start"] : mention["end"]] == mention["text"]
                if "was at school" in text and mention["entities"] == ["school"]:
                    found.add(mention["text"])
    assert found == {"school"}


def test_what_comes_after_is_asked_with_its_two_facts():
    kinds = set()
    for told in tell(14, 200, lexicon=paper()):
        lines = records(told)
        for record in lines:
            if record.get("kind") != "where_person_after":
                kinds.add(record.get("kind"))
                continue
            first, second = (lines[line - 1] for line in record["support"])
            assert record["where"] == first["where"]
            assert record["answer"] == [second["where"]]
            assert first["who"] == second["who"] == record["who"]
            kinds.add(record["kind"])
    assert kinds >= {"where_person_after", "where_person_before"}


def test_gifts_are_told_both_ways_round():
    texts = [line.text for story in tell(5, 200, lexicon=paper()) for line in story]
    assert any(" was given the " in text and " by " in text for text in texts)
    assert any(" to " in text and (" gave " in text or " handed " in text) for text in texts)


def test_either_room_of_a_relation_may_be_asked_for():
    def asked_for(lexicon: Lexicon | None) -> set[str]:
        found = set()
        for told in tell(4, 60, lexicon=lexicon):
            lines = records(told)
            for record in lines:
                if "question" in record:
                    stated = lines[record["support"][0] - 1]
                    found |= {r for r in ("what", "other") if [stated[r]] == record["answer"]}
        return found

    assert asked_for(paper()) == {"what", "other"}
    assert asked_for(None) == {"what"}


def test_an_earlier_gift_of_a_thing_may_be_asked_about():
    def earlier(lexicon: Lexicon | None) -> int:
        count = 0
        for told in tell(5, 300, lexicon=lexicon):
            lines = records(told)
            for record in lines:
                if record.get("kind") in ("who_gave_to", "who_given_to"):
                    (line,) = record["support"]
                    since = lines[line : record["line"] - 1]
                    what = record["what"]
                    count += any(r["predicate"] == "give" and r.get("what") == what
                                 for r in since if "question" not in r)  # fmt: skip
        return count

    assert earlier(paper()) > 0
    assert earlier(None) == 0


def test_the_present_tense_is_never_said_of_two():
    for number in (12, 13, 14):
        for story in tell(number, 100, lexicon=paper()):
            assert not any("goes" in line.text for line in story if not line.answer)


def test_questions_need_one_two_or_three_facts_where_the_tables_have_such():
    def sizes(number: int) -> set[int]:
        stories = tell(number, 300, lexicon=paper())
        asked = [line.meaning for story in stories for line in story]
        return {len(line.support) for line in asked if isinstance(line, Asked)}

    assert sizes(17) == {1, 2}
    assert sizes(18) == {2, 3}
    assert sizes(11) == {1, 2}


@pytest.mark.parametrize("language", ["hn", "symbolic"])
def test_it_is_a_wording_of_english(language: str):
    with pytest.raises(SimulationError, match=f"one of the language 'en', not of '{language}'"):
        load_lexicon(language, "paper")


def test_an_unknown_wording_is_answered_with_those_there_are():
    with pytest.raises(SimulationError, match="no wording 'poem'; expected one of released, paper"):
        load_lexicon("en", "poem")
