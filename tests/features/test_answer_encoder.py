"""Answers as numbers: words, sequences and lists, known and new names, pairs of sentences."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from babi_cascade.features.answer_encoder import AnswerEncoder
from babi_cascade.features.answer_parts import IN, LIST, OUT, SEQUENCE, Shape, possible_shapes
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.registry import ANSWER, SUPPORT, choose, made
from babi_cascade.features.support_encoder import SupportEncoder
from babi_cascade.pipeline.frames import Argument, Frame
from babi_cascade.pipeline.frames import Asked as SrlAsked
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.learner import BlockFrankWolfe
from babi_cascade.svm.ranking import RankingProblem
from tests.features.reading import argument, asked, sentence, took, went, where_is

FACTS = (went("ana", "pier"), took("bo", "kite"), took("bo", "cup"), went("bo", "barn"))


def fitted(training, shape: Shape, preset: str = "extended") -> AnswerEncoder:
    names = choose(preset)
    support = SupportEncoder(made(names.support, SUPPORT)).fit(training)
    coded = AnswerEncoder(made(names.answer, ANSWER), support)
    return coded.fit(training, [each.support for each in training], KindTable(shape.to_text()))


def learned(coded: AnswerEncoder, training):
    choices = [coded.choices(each, each.support) for each in training]
    return BlockFrankWolfe(C=1.0).fit(RankingProblem(coded.encode(choices))).coef_


def answer(coded: AnswerEncoder, w, question, support) -> str:
    whole = coded.choices(question, support)
    labels = RankingProblem(coded.encode([whole])).predict(w)
    return coded.answer(whole, labels[:, 0].tolist())


WORDS = [
    asked(FACTS, where_is("ana"), "pier", (0,)),
    asked(FACTS, where_is("bo"), "barn", (3,)),
]


def test_a_word_is_chosen_among_known_answers_and_what_the_facts_name() -> None:
    coded = fitted(WORDS, Shape())
    (part,) = coded.choices(WORDS[0], (0,)).parts
    assert part.candidates == ("pier", "barn")  # the question says "ana" itself
    assert part.candidates[part.true] == "pier"
    (unknown,) = coded.choices(asked(FACTS, where_is("ana")), (0,)).parts
    assert unknown.true == -1


def who_took(what: str):
    asks = SrlAsked("who", "nsubj", "ARG0")
    frame = Frame("take", 2, (argument("obj", what),), question="wh", asks=asks)
    return sentence(f"Who took the {what}?", frame)


def is_in(who: str, place: str):
    frame = Frame("be", 1, (argument("nsubj", who), argument("obl:in", place)), question="yes/no")
    return sentence(f"Is {who} in the {place}?", frame)


def test_what_answers_a_kind_of_question_comes_from_where_it_came_in_training() -> None:
    training = [
        *WORDS,
        asked(FACTS, who_took("kite"), "bo", (1,)),
        asked(FACTS, is_in("ana", "pier"), "yes", (0,)),
        asked(FACTS, is_in("bo", "pier"), "no", (3,)),
    ]
    coded = fitted(training, Shape())

    def candidates(question, *facts: int) -> set[str]:
        (part,) = coded.choices(asked(FACTS, question), facts).parts
        return set(part.candidates)

    assert candidates(is_in("ana", "pier"), 0) == {"yes", "no"}  # never from the facts
    assert candidates(who_took("cup"), 2) == {"bo"}  # never the question's own words
    assert candidates(where_is("bo"), 3) == {"pier", "barn"}
    assert "pier" not in candidates(who_took("cup"), 0)  # an answer, but never to "who"
    story = (*FACTS, went("ida", "moon"))
    (part,) = coded.choices(asked(story, who_took("cup")), (4,)).parts
    assert {"ida", "moon"} <= set(part.candidates)  # names never met may be anything


def test_of_the_key_the_old_key_is_no_answer() -> None:
    coded = fitted([asked(FACTS, who_took("kite"), "bo", (1,))], Shape())
    story = (took("ida", "old kite"),)
    (part,) = coded.choices(asked(story, who_took("kite")), (0,)).parts
    assert set(part.candidates) == {"bo", "ida"}


def test_what_is_asked_for_is_looked_up_from_the_closest_description_to_the_widest() -> None:
    def which(what: str):
        asks = SrlAsked("which", "obl:in", "ARG2", what)
        frame = Frame("be", 3, (argument("nsubj", "ana"),), question="wh", asks=asks)
        return sentence(f"Which {what} is Ana in?", frame)

    coded = fitted([asked(FACTS, which("town"), "pier", (0,))], Shape())
    stories = coded.stories
    table = KindTable("none").learn([stories.outline(which("town"))], ["seen"])
    assert table.of(stories.outline(which("town"))) == "seen"
    assert table.of(stories.outline(which("village"))) == "seen"
    assert table.of(stories.outline(where_is("ana"))) == "none"


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
    coded = fitted(training, Shape())
    new = (gave("Zoe", "cups"),)
    (part,) = coded.choices(asked(new, who), (0,)).parts
    assert part.candidates == ("Ana", "Zoe", "cups")  # as it stands in the story
    (part,) = coded.choices(asked(new, what), (0,)).parts
    assert part.candidates == ("kite", "zoe", "cup")  # as the labeller names it
    (part,) = coded.choices(asked((gave("Ana", "kites"),), what), (0,)).parts
    assert part.candidates == ("kite",)  # the question says "ana"


def test_a_name_never_met_in_training_can_be_copied() -> None:
    coded = fitted(WORDS, Shape())
    w = learned(coded, WORDS)
    new = asked((went("zoe", "moon"),), where_is("zoe"))
    assert answer(coded, w, new, (0,)) == "moon"
    assert answer(coded, w, asked(FACTS, where_is("bo")), (3,)) == "barn"


def test_a_sequence_has_a_part_for_each_position() -> None:
    training = [
        asked(FACTS, where_is("ana"), "n,e", (0,)),
        asked(FACTS, where_is("bo"), "s,e", (3, 1)),
    ]
    coded = fitted(training, Shape(SEQUENCE, 2))
    whole = coded.choices(training[1], (3, 1))
    assert [part.name for part in whole.parts] == ["sequence 1", "sequence 2"]
    assert [part.candidates[part.true] for part in whole.parts] == ["s", "e"]
    w = learned(coded, training)
    for question in training:
        assert answer(coded, w, question, question.support) == question.source.answer


def test_a_list_has_a_part_for_each_thing_that_the_facts_name() -> None:
    training = [
        asked(FACTS, where_is("bo"), "kite,cup", (1, 2)),
        asked(FACTS, where_is("bo"), "nothing", (3,)),
    ]
    coded = fitted(training, Shape(LIST, empty="nothing"))
    whole = coded.choices(training[0], (1, 2))
    assert [part.name for part in whole.parts] == ["list:kite", "list:cup"]
    assert {part.candidates for part in whole.parts} == {(IN, OUT)}
    assert [part.true for part in whole.parts] == [0, 0]
    assert coded.answer(whole, [0, 0]) == "kite,cup"
    assert coded.answer(whole, [1, 0]) == "cup"
    assert coded.answer(whole, [1, 1]) == "nothing"
    w = learned(coded, training)
    for question in training:
        assert answer(coded, w, question, question.support) == question.source.answer
    new = asked((took("bo", "rock"),), where_is("bo"))
    assert answer(coded, w, new, (0,)) == "rock"


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


@pytest.mark.parametrize("preset", ["extended", "paper"])
def test_every_feature_has_words_and_what_was_learned_survives_json(preset: str) -> None:
    coded = fitted(WORDS, Shape(), preset)
    again = AnswerEncoder(coded.groups, coded.support)
    again.restore(json.loads(json.dumps(coded.to_json())), coded.codes_.copy())
    assert again.to_json() == coded.to_json()
    one, other = (each.encode([each.choices(WORDS[1], (3,))]) for each in (coded, again))
    for name in ("own_ids", "context_ids", "classes", "labels"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    for i in range(RankingProblem(one).size_joint_feature):
        group, words = coded.explain(i)
        assert group in coded.groups
        assert len(words.split()) > 2
        assert again.explain(i) == (group, words)


# -- pairs of sentences ---------------------------------------------------------------------------------

SLOTS = ("question", "first fact", "second fact", "third fact")
SLOT_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3))
PAIRED = [*WORDS, asked(FACTS, where_is("kite"), "barn", (1, 3)),
          asked(FACTS, where_is("cup"), "barn", (0, 1, 2))]  # fmt: skip


def by_definition(question: ReadQuestion, chosen: tuple[int, ...]) -> Counter[tuple[str, str]]:
    """The features of appendix B, written down directly."""
    sentences = [question.question, *(question.facts[i] for i in chosen)]
    found: Counter[tuple[str, str]] = Counter({("answer-bias", "how often it is the answer"): 1})
    found.update(
        ("answer-question-words", f"“{word}” in the question") for word in question.question.words
    )
    for name, group in made(choose("paper").answer, ANSWER).items():
        for first, second in SLOT_PAIRS:
            if second < len(sentences):
                for a in group.of_sentence(sentences[first]):
                    for b in group.of_sentence(sentences[second]):
                        found[name, group.say((a, b), SLOTS[first], SLOTS[second])] += 1
    return found


def test_an_answer_has_the_features_of_the_paper() -> None:
    coded = fitted(PAIRED, Shape(), "paper")
    for question in PAIRED:
        problem = RankingProblem(coded.encode([coded.choices(question, question.support)]))
        _, ids = problem.features(0, problem.gold(0).reshape(1, -1))
        expected = {
            (name, f"{said}, for the answer “{question.source.answer}”"): count
            for (name, said), count in by_definition(question, question.support).items()
        }
        assert Counter(coded.explain(int(i)) for i in ids) == expected


def test_without_copying_answers_are_those_of_training_and_others_are_unknown() -> None:
    coded = fitted(WORDS, Shape(), "paper")
    (part,) = coded.choices(asked(FACTS, where_is("bo"), "moon"), (3,)).parts
    assert part.candidates == ("barn", "pier")
    assert part.true == -1


def test_pairs_that_were_not_met_in_training_have_no_features() -> None:
    coded = fitted(WORDS, Shape(), "paper")
    new = coded.encode([coded.choices(asked(FACTS, where_is("ana")), (1,))])  # never seen together
    said = [coded.explain(int(i) * len(coded.answers_))[1] for i in new.context_ids]
    assert not any("“ana”" in words and "“kite”" in words for words in said)


def test_a_sequence_has_pairs_of_sentences_for_each_position() -> None:
    training = [
        asked(FACTS, where_is("ana"), "n,e", (0,)),
        asked(FACTS, where_is("bo"), "s,e", (3, 1)),
    ]
    coded = fitted(training, Shape(SEQUENCE, 2), "paper")
    w = learned(coded, training)
    for question in training:
        assert answer(coded, w, question, question.support) == question.source.answer
