"""Questions as the cascade sees them, read with the shipped models."""

from __future__ import annotations

import pickle
from io import BytesIO

import pytest

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.errors import ReadingError
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question, Sentence, read_questions

STORY = """\
1 Ana walked to the harbour.
2 Then she took the lantern.
3 Where is Ana? \tharbour\t1
4 Tom and Ana ran to the mill.
5 Afterwards they rested.
6 Where is she? \tmill\t4
"""


@pytest.fixture(scope="module")
def reader() -> StoryReader:
    pytest.importorskip("stanza", reason="the shipped models need the extra nlp")
    return StoryReader(Annotator(StanzaParser(), coreference("sieve"), role_labeller("stanza")))


def test_pronouns_are_replaced_before_sentences_are_labelled(reader: StoryReader) -> None:
    first, second = reader.read(read_questions(BytesIO(STORY.encode())))
    assert first.facts[1].text == "Then Ana took the lantern."
    (frame,) = first.facts[1].frames
    assert [(a.relation, a.phrase) for a in frame.arguments] == [
        ("nsubj", "ana"),
        ("obj", "lantern"),
    ]
    assert second.facts[3].text == "Afterwards Tom and Ana rested."
    assert second.question.text == "Where is Ana?"


DESCRIBED = """\
1 The old man walked to the harbour.
2 Kim went to the mill.
3 The man took the lantern.
4 Where is the man? \tharbour\t1
"""


def test_all_mentions_are_replaced_where_that_is_asked_for(reader: StoryReader) -> None:
    every = reader.replacing("all")
    (asked,) = every.read(read_questions(BytesIO(DESCRIBED.encode())))
    assert [fact.text for fact in asked.facts] == [
        "The old man walked to the harbour.",
        "Kim went to the mill.",
        "The old man took the lantern.",
    ]
    assert asked.question.text == "Where is the old man?"
    (frame,) = asked.facts[2].frames
    assert frame.arguments[0].phrase == "old man"
    (asked,) = reader.read(read_questions(BytesIO(DESCRIBED.encode())))
    assert asked.facts[2].text == "The man took the lantern."


def test_readers_that_replace_other_mentions_share_their_stages(reader: StoryReader) -> None:
    every = reader.replacing("all")
    assert every.annotator is reader.annotator
    assert every.fingerprint != reader.fingerprint
    assert reader.replacing("all") is every
    assert every.replacing("pronouns") is reader
    assert pickle.loads(pickle.dumps(every)).replace == "all"
    with pytest.raises(ReadingError, match="replace: found 'names', expected pronouns or all"):
        reader.replacing("names")


def test_questions_of_a_story_share_their_facts(reader: StoryReader) -> None:
    first, second = reader.read(read_questions(BytesIO(STORY.encode())))
    assert first.story is second.story
    assert (first.n_facts, second.n_facts) == (2, 4)
    assert (first.support, second.support) == ((0,), (2,))


def test_a_sentence_that_is_told_twice_is_one_object(reader: StoryReader) -> None:
    first, _ = reader.read(read_questions(BytesIO(STORY.encode())))
    (again,) = reader.read(
        [Question(2, "Where is Ana?", None, None, (Sentence(1, "Ana walked to the harbour."),))]
    )
    assert again.facts[0] is first.facts[0]
    assert again.support is None


def test_determiners_are_no_content(reader: StoryReader) -> None:
    first, _ = reader.read(read_questions(BytesIO(STORY.encode())))
    assert first.facts[0].words == ("ana", "walked", "to", "the", "harbour")
    assert first.facts[0].content == {"ana", "walked", "to", "harbour"}


def test_without_an_annotator_only_words_are_read() -> None:
    first, second = StoryReader().read(read_questions(BytesIO(STORY.encode())))
    assert first.facts[1].text == "Then she took the lantern."
    assert first.facts[1].frames == ()
    assert second.question.words == ("where", "is", "she")


def test_questions_keep_their_order_and_stories_without_facts_are_read() -> None:
    given = [Question(1, f"What is {word}?", None, None, ()) for word in ("this", "that")]
    assert [asked.source for asked in StoryReader().read(given)] == given
