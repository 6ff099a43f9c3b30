"""Of a long story only what hangs together with the question is read, and nothing else changes."""

import random
from dataclasses import replace
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from babi_cascade.cascade import Cascade
from babi_cascade.cascade.connected import Connected
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.pipeline.stories.background import background_in, hide_among
from babi_cascade.pipeline.stories.book import Book

PEOPLE = ("Ana", "Tom", "Ida", "Max")
PLACES = ("harbour", "mill", "barn", "forest")
THINGS = ("lamp", "rope")


def story(seed: int, n: int = 8) -> Question:
    """Somebody takes something and goes on; where is it?"""
    draw = random.Random(seed)
    held = draw.choice(THINGS)
    owner, (first, last) = draw.choice(PEOPLE), draw.sample(PLACES, 2)
    texts = [
        f"{owner} went to the {first}.",
        f"{owner} took the {held}.",
        f"{owner} went to the {last}.",
    ]
    marks = [0, 1, 2]
    others = [name for name in PEOPLE if name != owner]
    for _ in range(n):
        place = draw.randrange(len(texts) + 1)
        texts.insert(place, f"{draw.choice(others)} went to the {draw.choice(PLACES)}.")
        marks = [mark + (mark >= place) for mark in marks]
    facts = tuple([Sentence(i, text) for i, text in enumerate(texts, start=1)])
    return Question(
        len(texts) + 1, f"Where is the {held}?", last, (marks[1] + 1, marks[2] + 1), facts
    )


@pytest.fixture(scope="module")
def by_words() -> Cascade:
    """A model that reads words only."""
    return Cascade(cost=0.1).fit([story(seed) for seed in range(150)])


@pytest.fixture(scope="module")
def reading() -> Cascade:
    """A model with parser, coreference and roles."""
    if find_spec("stanza") is None:
        pytest.skip("needs the extra nlp")
    from babi_cascade.app.experiments import BackEnds

    return Cascade(cost=0.1, reader=BackEnds(jobs=1).reader()).fit(
        [story(seed) for seed in range(80)]
    )


def connected(cascade: Cascade, question: Question, *, whole: bool):
    reader, encoder = cascade.story_reader, cascade.support_stage_.encoder
    return Connected(reader, encoder, question, whole=whole).read()


sentence = st.builds(
    "{} {} the {}.".format,
    st.sampled_from((*PEOPLE, "He", "She", "Kofi")),
    st.sampled_from(("went to", "took", "saw")),
    st.sampled_from((*PLACES, *THINGS, "moon")),
)


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(sentence, max_size=14), thing=st.sampled_from(THINGS))
def test_the_index_leaves_out_nothing_that_reading_everything_finds(by_words, texts, thing):
    facts = tuple([Sentence(i, text) for i, text in enumerate(texts, start=1)])
    asked = Question(len(texts) + 1, f"Where is the {thing}?", None, None, facts)
    lazy, all_read = (connected(by_words, asked, whole=whole) for whole in (False, True))
    assert lazy.source == all_read.source
    assert [fact.text for fact in lazy.facts] == [fact.text for fact in all_read.facts]
    assert by_words.answer_read([lazy]) == by_words.answer_read([all_read])


def test_a_fact_is_reached_through_one_that_was_read(by_words):
    for seed in range(1000, 1030):
        asked = story(seed)
        found = connected(by_words, asked, whole=False)
        assert set(asked.support) <= {fact.line for fact in found.source.facts}
        assert found.n_facts < len(asked.facts)


def test_answers_are_those_of_the_whole_story(reading):
    background = background_in(None)
    background = replace(background, sentences=background.sentences[:60])
    asked = [
        hide_among(story(seed), background, 60, random.Random(seed).random).question
        for seed in range(2000, 2012)
    ]
    books = [replace(q, facts=Book.of(fact.text for fact in q.facts)) for q in asked]
    reading.read_whole = 10
    lazily = reading.read(books)
    assert sum(read.n_read for read in lazily) < sum(len(q.facts) for q in asked) / 1.5
    every = [connected(reading, q, whole=True) for q in books]
    chosen = [
        [(p.answer, p.support) for p in reading.answer_read(read)] for read in (lazily, every)
    ]
    assert chosen[0] == chosen[1]
    assert [answer for answer, _ in chosen[0]] == [q.answer for q in asked]


def test_a_pronoun_is_looked_for_in_the_sentence_before_it(reading):
    texts = ["It rained.", "Ana took the lamp.", "Then she went to the mill.", "The sun rose."] * 30
    facts = tuple([Sentence(i, text) for i, text in enumerate(texts[:110], start=1)])
    found = connected(reading, Question(111, "Where is Ana?", None, None, facts), whole=False)
    assert {fact.text for fact in found.source.facts} == {
        "Ana took the lamp.",
        "Then she went to the mill.",
    }
    assert {fact.text for fact in found.facts} == {
        "Ana took the lamp.",
        "Then Ana went to the mill.",
    }


def test_a_model_from_before_reads_all(by_words):
    from babi_cascade.features.links import Links

    encoder = by_words.support_stage_.encoder
    known, by_words.read_whole = encoder.links_, 3
    try:
        assert by_words.is_long(story(1))
        encoder.links_ = Links()
        assert not by_words.is_long(story(1))
    finally:
        encoder.links_, by_words.read_whole = known, 400
