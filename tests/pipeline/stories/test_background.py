import random
from dataclasses import replace
from pathlib import Path

import pytest

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.pipeline.stories.background import (
    Background,
    background_in,
    hide,
    hide_among,
    in_the_way,
)
from babi_cascade.pipeline.stories.splitting import split_book
from babi_cascade.pipeline.stories.stems import stem

FACTS = tuple(
    Sentence(line, text)
    for line, text in (
        (1, "Mary went to the mill."),
        (2, "Then she took the lantern."),
        (4, "Kofi slept."),
    )
)
COMMON = [
    " ".join(f"{letter}{n} {letter}{n}" for n in range(400)) + " where is the" for letter in "xyxy"
]
ASKED = Question(5, "Where is the lantern?", "mill", (2, 1), FACTS)


@pytest.fixture(scope="module")
def sample() -> Background:
    return background_in(None)


class TestHiding:
    def test_the_facts_keep_their_order_and_their_support(self, sample):
        hidden = hide(ASKED, sample, 4000, random.Random(1).random)
        facts = hidden.question.facts
        assert [facts[place - 1].text for place in hidden.places] == [f.text for f in FACTS]
        assert [f.text for f in hidden.question.supporting] == [f.text for f in ASKED.supporting]
        assert [f.line for f in facts] == list(range(1, len(facts) + 1))

    def test_a_text_has_as_many_tokens_as_asked_for_but_for_a_sentence(self, sample):
        hidden = hide(ASKED, sample, 4000, random.Random(2).random)
        characters = sum(len(fact.text) + 1 for fact in hidden.question.facts)
        assert 3500 < characters / 4 <= hidden.tokens <= 4000

    def test_a_fact_with_a_pronoun_stays_behind_the_one_before_it(self, sample):
        for seed in range(20):
            first, second, _ = hide(ASKED, sample, 4000, random.Random(seed).random).places
            assert second == first + 1

    def test_a_part_of_the_text_can_be_chosen(self, sample):
        for seed in range(20):
            hidden = hide(ASKED, sample, 8000, random.Random(seed).random, between=(0.4, 0.6))
            n = len(hidden.question.facts)
            assert 0.38 * n < min(hidden.places) <= max(hidden.places) < 0.62 * n

    def test_no_tokens_no_background(self, sample):
        hidden = hide(ASKED, sample, 0, random.Random(1).random)
        assert [f.text for f in hidden.question.facts] == [f.text for f in FACTS]

    def test_the_same_draws_give_the_same_story(self, sample):
        once, again = (hide(ASKED, sample, 2000, random.Random(5).random) for _ in range(2))
        assert once == again

    def test_a_short_text_begins_again(self):
        hidden = hide(ASKED, Background(("It rained.", "The sun rose."), "two"), 100, lambda: 0.7)
        assert [f.text for f in hidden.question.facts].count("It rained.") > 3

    def test_so_many_sentences_can_be_asked_for(self, sample):
        assert len(hide_among(ASKED, sample, 30, random.Random(1).random).question.facts) == 33


class TestWhatIsInTheWay:
    def test_words_of_the_question_and_what_links_its_facts(self, sample):
        assert in_the_way(ASKED, sample.common) == {stem("lantern"), stem("mill")}

    def test_it_is_kept_out_in_any_form_and_counted(self):
        texts = ["It rained.", "The lanterns shone.", "He saw Mary's LANTERN.", "The sun rose."] * 9
        hidden = hide(ASKED, Background([*texts, *COMMON], "some"), 300, lambda: 0.0)
        others = [f.text for f in hidden.question.facts if f not in hidden.question.supporting]
        assert not [text for text in others if "lantern" in text.lower()]
        assert hidden.kept_out >= 18

    def test_a_text_of_nothing_else_is_refused(self):
        asked = replace(ASKED, text="Where is Mary?")
        with pytest.raises(UserError, match="every sentence names what a question rests on"):
            hide(asked, Background(["It was Mary."] * 3, "Marys"), 100, lambda: 0.0)


class TestReadingIt:
    def test_the_sample_is_prose_of_about_a_megabyte(self, sample):
        assert 6000 < len(sample.sentences) < 9000
        assert 8e5 < sum(map(len, sample.sentences)) < 1.1e6

    def test_lines_broken_anywhere_are_joined(self):
        text = "It was\nlate. Mr. Smith\nslept.\n\nMorning\n came!  A bell\x07rang."
        assert list(split_book(text)) == [
            "It was late.", "Mr. Smith slept.", "Morning came!", "A bell rang.",
        ]  # fmt: skip

    @pytest.mark.parametrize("content", [None, b"", b"\xff\xfe"])
    def test_what_is_no_text_is_named(self, tmp_path: Path, content):
        path = tmp_path / "book.txt"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(UserError, match=r"book\.txt"):
            background_in(path)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("wolf", "wolves"), ("mouse", "mice"), ("knife", "knives"), ("baby", "babies"), ("box", "boxes"),
        ("apple", "apples"), ("pie", "pies"), ("child", "children"), ("glass", "glass"), ("hero", "heroes"),
    ],
)  # fmt: skip
def test_what_may_have_one_lemma_has_one_stem(one, other):
    assert stem(one) == stem(other)
