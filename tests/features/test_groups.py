"""Feature groups: what fires, and how it is said."""

from __future__ import annotations

import pytest

from babi_cascade.features.group import AttributeGroup, DifferenceGroup
from babi_cascade.features.pair_distance import PairDistance
from babi_cascade.features.pair_order import PairOrder
from babi_cascade.features.registry import PAPER_ANSWER, PAPER_SUPPORT, FeatureError, choose
from babi_cascade.features.verb_argument_pairs import VerbArgumentPairs
from babi_cascade.features.verb_pairs import VerbPairs
from babi_cascade.features.word_pairs import WordPairs
from babi_cascade.pipeline.frames.model import Frame
from tests.features.reading import argument, sentence, took, went, where_is


def test_words_are_the_attributes_of_word_pairs() -> None:
    assert list(WordPairs().attributes(went("ana", "pier"))) == ["ana", "went", "to", "the", "pier"]


def test_a_negated_predicate_is_another_verb() -> None:
    told = sentence("ana is not in the pier", Frame("be in", 2, (), negated=True))
    assert list(VerbPairs().attributes(told)) == ["not be in"]


def test_arguments_come_with_their_role_unless_it_is_switched_off() -> None:
    assert list(VerbArgumentPairs().attributes(took("ana", "kite"))) == [
        "take|nsubj|ana",
        "take|obj|kite",
    ]
    assert list(VerbArgumentPairs(roles=False).attributes(took("ana", "kite"))) == [
        "take||ana",
        "take||kite",
    ]


def test_what_is_asked_for_is_an_argument() -> None:
    assert list(VerbArgumentPairs().attributes(where_is("ana"))) == [
        "be|nsubj|ana",
        "be|advmod|where?",
    ]


def test_a_time_is_an_argument() -> None:
    told = sentence("x", Frame("go", 1, (argument("nsubj", "ana"),), time="yesterday"))
    assert "go|time|yesterday" in VerbArgumentPairs().attributes(told)


def test_differences_say_how_far_and_in_which_order() -> None:
    assert PairDistance().feature(3) == "+3"
    assert PairDistance().feature(-2) == "-2"
    assert [PairOrder().feature(d) for d in (2, -1, 0)] == ["later", "earlier", None]
    assert PairDistance().say("+3", "question", "first fact") == (
        "the question stands 3 after the first fact"
    )


@pytest.mark.parametrize("name", [*PAPER_SUPPORT, *PAPER_ANSWER])
def test_every_group_describes_itself(name: str) -> None:
    group = (PAPER_SUPPORT | PAPER_ANSWER)[name]()
    assert group.description
    assert name.removeprefix("answer-") == group.name.removeprefix("answer-")


def test_every_support_group_is_of_one_kind() -> None:
    for make in PAPER_SUPPORT.values():
        kinds = isinstance(make(), AttributeGroup), isinstance(make(), DifferenceGroup)
        assert sum(kinds) == 1


def test_groups_are_switched_on_and_off_by_name() -> None:
    chosen = choose("paper", without=["pair-order", "answer-word-pairs"])
    assert "pair-order" not in chosen.support
    assert "word-pairs" in chosen.support
    assert "answer-word-pairs" not in chosen.answer
    only = choose("paper", ["word-pairs", "answer-word-pairs"])
    assert only.names == ("word-pairs", "answer-word-pairs")


def test_a_wrong_name_lists_the_right_ones() -> None:
    with pytest.raises(FeatureError, match="found 'words', expected one of word-pairs"):
        choose("paper", ["words"])
    with pytest.raises(FeatureError, match="it is a group of the preset paper"):
        choose("extended", without=["word-pairs"])
    with pytest.raises(FeatureError, match="preset: found 'best'"):
        choose("best")


def test_a_stage_without_features_is_refused() -> None:
    with pytest.raises(FeatureError, match="no feature group is left for the answer stage"):
        choose("paper", ["word-pairs"])
