"""Answers of the extended preset as numbers: words, sequences and lists, known and new names."""

from __future__ import annotations

import json

import numpy as np
import pytest

from babi_cascade.features.answer_parts import IN, LIST, OUT, SEQUENCE, Shape, possible_shapes
from babi_cascade.features.candidates import CandidateEncoder
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.registry import EXTENDED_ANSWER, EXTENDED_SUPPORT
from babi_cascade.features.selection import SelectionEncoder
from babi_cascade.pipeline.frames.model import Argument, Frame
from babi_cascade.pipeline.frames.model import Asked as SrlAsked
from babi_cascade.svm.candidates import CandidateProblem
from babi_cascade.svm.learner import BlockFrankWolfe
from tests.features.reading import argument, asked, sentence, took, went, where_is

FACTS = (went("ana", "pier"), took("bo", "kite"), took("bo", "cup"), went("bo", "barn"))


def fitted(training, shape: Shape) -> CandidateEncoder:
    support = SelectionEncoder({name: make() for name, make in EXTENDED_SUPPORT.items()})
    support.fit(training)
    made = CandidateEncoder({name: make() for name, make in EXTENDED_ANSWER.items()}, support)
    supports = [each.support for each in training]
    return made.fit(training, supports, KindTable(shape.to_text()), [False] * len(training))


def learned(made: CandidateEncoder, training):
    asked_for = [made.ask(each, each.support, False) for each in training]
    problem = CandidateProblem(made.encode([each for each in asked_for if each.parts]))
    return BlockFrankWolfe(C=1.0).fit(problem).coef_


def answer(made: CandidateEncoder, w, question, support) -> str:
    whole = made.ask(question, support, False)
    labels = CandidateProblem(made.encode([whole])).predict(w)
    return made.answer(whole, labels[:, 0].tolist())


WORDS = [
    asked(FACTS, where_is("ana"), "pier", (0,)),
    asked(FACTS, where_is("bo"), "barn", (3,)),
]


def test_a_word_is_chosen_among_known_answers_and_what_the_facts_name() -> None:
    made = fitted(WORDS, Shape())
    (part,) = made.ask(WORDS[0], (0,), False).parts
    assert part.candidates == ("pier", "barn", "ana")
    assert part.candidates[part.true] == "pier"
    (unknown,) = made.ask(asked(FACTS, where_is("ana")), (0,), False).parts
    assert unknown.true == -1


def test_one_thing_is_one_candidate_however_it_is_written() -> None:
    def gave(who: str, what: str):
        arguments = (
            Argument("ARG0", "nsubj", who.lower(), who.lower(), 1, (1,), who),
            Argument("ARG1", "obj", what.removesuffix("s"), what, 3, (3,), what),
        )
        return sentence(f"{who} gave {what}.", Frame("give", 2, arguments))

    def asks(word: str, *given: Argument):
        frame = Frame("give", 2, given, question="wh", asks=SrlAsked(word, "obj", "ARG1"))
        return sentence(f"{word} gave?", frame)

    who, what = asks("who"), asks("what", argument("nsubj", "ana"))
    facts = (gave("Ana", "kites"),)
    training = [asked(facts, who, "Ana", (0,)), asked(facts, what, "kite", (0,))]
    made = fitted(training, Shape())
    new = (gave("Zoe", "cups"),)
    (part,) = made.ask(asked(new, who), (0,), False).parts
    assert part.candidates == ("Ana", "Zoe", "cups")  # as it stands in the story
    (part,) = made.ask(asked(new, what), (0,), False).parts
    assert part.candidates == ("kite", "zoe", "cup")  # as the labeller names it
    (part,) = made.ask(asked((gave("Ana", "kites"),), what), (0,), False).parts
    assert part.candidates == ("kite", "ana")


def test_a_name_never_met_in_training_can_be_copied() -> None:
    made = fitted(WORDS, Shape())
    w = learned(made, WORDS)
    new = asked((went("zoe", "moon"),), where_is("zoe"))
    assert answer(made, w, new, (0,)) == "moon"
    assert answer(made, w, asked(FACTS, where_is("bo")), (3,)) == "barn"


def test_a_sequence_has_a_part_for_each_position() -> None:
    training = [
        asked(FACTS, where_is("ana"), "n,e", (0,)),
        asked(FACTS, where_is("bo"), "s,e", (3, 1)),
    ]
    made = fitted(training, Shape(SEQUENCE, 2))
    whole = made.ask(training[1], (3, 1), False)
    assert [part.name for part in whole.parts] == ["sequence 1", "sequence 2"]
    assert [part.candidates[part.true] for part in whole.parts] == ["s", "e"]
    w = learned(made, training)
    for question in training:
        assert answer(made, w, question, question.support) == question.source.answer


def test_a_list_has_a_part_for_each_thing_that_the_facts_name() -> None:
    training = [
        asked(FACTS, where_is("bo"), "kite,cup", (1, 2)),
        asked(FACTS, where_is("bo"), "nothing", (3,)),
    ]
    made = fitted(training, Shape(LIST, empty="nothing"))
    whole = made.ask(training[0], (1, 2), False)
    assert [part.name for part in whole.parts] == ["list:kite", "list:cup"]
    assert {part.candidates for part in whole.parts} == {(IN, OUT)}
    assert [part.true for part in whole.parts] == [0, 0]
    assert made.answer(whole, [0, 0]) == "kite,cup"
    assert made.answer(whole, [1, 0]) == "cup"
    assert made.answer(whole, [1, 1]) == "nothing"
    w = learned(made, training)
    for question in training:
        assert answer(made, w, question, question.support) == question.source.answer
    new = asked((took("bo", "rock"),), where_is("bo"))
    assert answer(made, w, new, (0,)) == "rock"


def test_shapes_are_those_that_the_answers_allow() -> None:
    there = {"lemma": frozenset({"a", "b"}), "text": frozenset({"a", "b"})}
    assert possible_shapes(["a", "b"], [there] * 2) == [Shape()]
    kinds = [shape.kind for shape in possible_shapes(["x,y", "y,x"], [there] * 2)]
    assert kinds == [SEQUENCE, "word"]
    found = possible_shapes(["a,b", "none", "b"], [there] * 3)
    assert [(shape.kind, shape.empty) for shape in found[:2]] == [(LIST, "none")] * 2
    long = ",".join("a" * 150)
    for shape in possible_shapes([long], [there]):
        assert Shape.from_text(shape.to_text()) == shape


def test_shapes_survive_as_text_and_nonsense_is_refused() -> None:
    for shape in (Shape(), Shape(SEQUENCE, 3), Shape(LIST, form="text", empty="a:b")):
        assert Shape.from_text(shape.to_text()) == shape
    for text in ("word:0:lemma:", "set:1:lemma:", "word:1:roman:", "word:x:lemma:", "word"):
        with pytest.raises(ValueError, match="found the answer shape"):
            Shape.from_text(text)


def test_every_feature_has_words_and_what_was_learned_survives_json() -> None:
    made = fitted(WORDS, Shape())
    again = CandidateEncoder(made.groups, made.support)
    again.restore(json.loads(json.dumps(made.to_json())))
    assert again.to_json() == made.to_json()
    assert again.n_features == made.n_features
    for i in range(made.n_features):
        group, words = made.explain(i)
        assert group in EXTENDED_ANSWER
        assert len(words.split()) > 2
        assert again.explain(i) == (group, words)
    asked_for = [each.ask(WORDS[1], (3,), False) for each in (made, again)]
    one, other = (
        each.encode([whole]) for each, whole in zip((made, again), asked_for, strict=True)
    )
    assert one.feature_ids.tolist() == other.feature_ids.tolist()
    assert np.array_equal(one.first, other.first)
