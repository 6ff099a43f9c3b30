"""Feature groups: what fires, and how it is said."""

from __future__ import annotations

import pytest

from babi_cascade.features.group import SupportGroup
from babi_cascade.features.outline import FrameOutliner
from babi_cascade.features.presets import LOOKS_AT, PRESETS
from babi_cascade.features.registry import ANSWER, SUPPORT, FeatureError, choose, fires, made
from babi_cascade.features.story_cases import StoryCases
from babi_cascade.features.support.pair_distance import PairDistance
from babi_cascade.features.support.pair_order import PairOrder
from babi_cascade.features.support.predicate_argument_pairs import PredicateArgumentPairs
from babi_cascade.features.support.predicate_pairs import PredicatePairs
from babi_cascade.features.support.times import Times
from babi_cascade.features.support.verb_pairs import VerbPairs
from babi_cascade.features.support.word_pairs import WordPairs
from babi_cascade.pipeline.frames import Frame
from tests.features.reading import argument, asked, labelled, sentence, went, where_is


def by_roles() -> SupportGroup:
    return made(["verb-argument-pairs"], SUPPORT, roles="propbank")["verb-argument-pairs"]


def test_words_are_the_attributes_of_word_pairs() -> None:
    assert list(WordPairs().of_sentence(went("ana", "pier"))) == [
        "ana",
        "went",
        "to",
        "the",
        "pier",
    ]


def test_a_verb_is_one_of_which_the_labeller_says_something() -> None:
    denied = Frame("be in", 2, (labelled("ARG1", "nsubj", "ana"),), negated=True)
    assert list(VerbPairs().of_sentence(sentence("ana is not in the pier", denied))) == ["be"]
    unlabelled = Frame("be in", 2, (labelled("", "nsubj", "ana"),))
    told = sentence("ana is in the pier", unlabelled)
    (by_role,) = made(["verb-pairs"], SUPPORT, roles="propbank").values()
    (by_relation,) = made(["verb-pairs"], SUPPORT, roles="relations").values()
    assert list(by_role.of_sentence(told)) == []
    assert list(by_relation.of_sentence(told)) == ["be"]


def test_a_negated_predicate_is_another_predicate() -> None:
    told = sentence("ana is not in the pier", Frame("be in", 2, (), negated=True))
    assert list(PredicatePairs().of_sentence(told)) == ["not be in"]


def test_a_negated_predicate_keeps_its_negation_beside_its_arguments() -> None:
    frame = Frame("be in", 2, (argument("nsubj", "ana"),), negated=True)
    told = sentence("ana is not in the pier", frame)
    assert list(PredicateArgumentPairs().of_sentence(told)) == ["not be in|nsubj|ana"]


def test_a_negation_and_a_time_are_arguments_where_the_labeller_calls_them_so() -> None:
    said = (("ARGM-NEG", "not"), ("ARGM-TMP", "this morning"))
    frame = Frame("go", 2, (labelled("ARG0", "nsubj", "ana"),), negated=True, unplaced=said)
    assert list(by_roles().of_sentence(sentence("x", frame))) == [
        "go|ARG0|ana",
        "go|ARGM-NEG|not",
        "go|ARGM-TMP|this morning",
    ]


def test_times_of_two_facts_stand_side_by_side_in_their_order() -> None:
    facts = [
        sentence("x", Frame("go", 1, (argument("nsubj", "ana"),), time=time))
        for time in ("dawn", "dusk", None)
    ]
    stories = StoryCases(FrameOutliner())
    stories.numbers(asked(tuple(facts), where_is("ana")))
    told = {attribute for pair in stories.pairs.things for attribute in Times().of_pair(pair)}
    same = "nsubj=nsubj"
    assert {("times", "dawn", "dusk", same), ("times", "dusk", "dawn", same)} <= told
    assert ("times", "dawn", "", same) in told  # a time beside none is told too
    assert all(one or other for _, one, other, _ in told)


def test_arguments_come_with_the_role_of_the_labeller_their_relation_or_nothing() -> None:
    told = (
        labelled("ARG0", "nsubj", "ana"),
        labelled("ARG4", "obl:to", "pier"),
        labelled("", "obl:with", "kim"),  # the labeller did not name it
    )
    walked = sentence("x", Frame("walk", 2, told))
    fired = {
        roles: list(group.of_sentence(walked))
        for roles in ("propbank", "relations", "none")
        for group in made(["verb-argument-pairs"], SUPPORT, roles=roles).values()
    }
    assert fired == {
        "propbank": ["walk|ARG0|ana", "walk|ARG4|to pier"],
        "relations": ["walk|nsubj|ana", "walk|obl:to|pier", "walk|obl:with|kim"],
        "none": ["walk||ana", "walk||to pier"],
    }


def test_a_labeller_that_says_nothing_leaves_nothing_to_the_groups_of_appendix_b() -> None:
    assert (
        list(by_roles().of_sentence(sentence("x", Frame("walk", 2, (labelled("", "obj", "y"),)))))
        == []
    )


def test_what_is_asked_for_is_an_argument() -> None:
    assert list(by_roles().of_sentence(where_is("ana"))) == ["be|ARG0|ana", "be|ARGM-LOC|where"]
    assert list(PredicateArgumentPairs().of_sentence(where_is("ana"))) == [
        "be|nsubj|ana",
        "be|advmod|where?",
    ]


def test_a_time_is_an_argument_of_a_predicate() -> None:
    told = sentence("x", Frame("go", 1, (argument("nsubj", "ana"),), time="yesterday"))
    assert "go|time|yesterday" in PredicateArgumentPairs().of_sentence(told)


def test_differences_say_how_far_and_in_which_order() -> None:
    assert PairDistance().of_difference(3) == "+3"
    assert PairDistance().of_difference(-2) == "-2"
    assert [PairOrder().of_difference(d) for d in (2, -1, 0)] == ["later", "earlier", None]
    assert PairDistance().say(("+3",), "question", "first fact") == (
        "the question stands 3 after the first fact"
    )


@pytest.mark.parametrize("name", [*SUPPORT, *ANSWER])
def test_every_group_describes_itself_and_has_features_or_a_rule(name: str) -> None:
    group = (SUPPORT | ANSWER)[name]()
    assert group.name == name
    assert len(group.description.split()) > 3
    assert fires(group) or group.rule is not None
    assert (name in ANSWER) == name.startswith("answer-")


def test_presets_are_lists_of_names_and_every_group_is_in_one() -> None:
    named = {name for names in PRESETS.values() for name in names}
    assert named == {*SUPPORT, *ANSWER}
    assert set(LOOKS_AT) == set(PRESETS)
    for preset, names in PRESETS.items():
        assert set(choose(preset).names) == set(names)


def test_groups_are_switched_on_and_off_by_name() -> None:
    chosen = choose("paper", without=["pair-order", "answer-word-pairs"])
    assert "pair-order" not in chosen.support
    assert "word-pairs" in chosen.support
    assert "answer-word-pairs" not in chosen.answer
    only = choose("paper", ["word-pairs", "answer-word-pairs"])
    assert only.names == ("word-pairs", "answer-word-pairs")


def test_any_mixture_is_possible_and_a_plus_adds_to_a_preset() -> None:
    mixed = choose(features=["recency", "word-pairs", "answer-copy", "answer-bias"])
    assert mixed.support == ("word-pairs", "recency")
    assert mixed.answer == ("answer-bias", "answer-copy")
    more = choose("paper", ["+recency"], without=["pair-order"])
    assert set(more.names) == {*PRESETS["paper"], "recency"} - {"pair-order"}


def test_a_wrong_name_lists_the_right_ones() -> None:
    for wrong in ("words", "+words"):
        with pytest.raises(FeatureError, match="found 'words', expected one of word-pairs"):
            choose("paper", [wrong])
    with pytest.raises(FeatureError, match="found 'words', expected one of word-pairs"):
        choose("extended", without=["words"])
    with pytest.raises(FeatureError, match="preset: found 'best'"):
        choose("best")


@pytest.mark.parametrize(
    ("features", "without", "message"),
    [
        (["+recency", "word-pairs"], [], "before every name"),
        (None, ["word-pairs"], "not among the groups"),
        (["wings"], [], "expected one of"),
    ],
)
def test_a_choice_that_would_be_ignored_is_refused(features, without, message) -> None:
    with pytest.raises(FeatureError, match=message):
        choose("extended", features, without)


def test_a_stage_without_features_is_refused() -> None:
    with pytest.raises(FeatureError, match="no feature group is left for the answer stage"):
        choose("paper", ["word-pairs", "answer-kinds"])
    with pytest.raises(FeatureError, match="no feature group is left for the support stage"):
        choose("paper", ["shared-word", "answer-bias"])
