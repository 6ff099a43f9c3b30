"""Answer ranking as numbers: exactly the features that the definition names."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np

from babi_cascade.features.answer import AnswerEncoder
from babi_cascade.features.group import SLOT_PAIRS, SLOTS, AttributeGroup
from babi_cascade.features.registry import PAPER_ANSWER
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.ranking import RankingProblem
from tests.features.reading import asked, took, went, where_is

FACTS = (went("ana", "pier"), took("bo", "kite"), went("bo", "barn"))
TRAINING = [
    asked(FACTS, where_is("ana"), "pier", (0,)),
    asked(FACTS, where_is("kite"), "barn", (1, 2)),
]
SUPPORTS = [(0,), (1, 2)]


def fitted() -> AnswerEncoder:
    groups = {name: make() for name, make in PAPER_ANSWER.items()}
    return AnswerEncoder(groups).fit(TRAINING, SUPPORTS)


def by_definition(question: ReadQuestion, chosen: tuple[int, ...]) -> Counter[tuple[str, str]]:
    sentences = [question.question, *(question.facts[i] for i in chosen)]
    found: Counter[tuple[str, str]] = Counter({("answer", "how often it is the answer"): 1})
    for name, make in PAPER_ANSWER.items():
        group = make()
        if not isinstance(group, AttributeGroup):
            found.update((name, group.say(word)) for word in group.of_question(question.question))
            continue
        for first, second in SLOT_PAIRS:
            if second < len(sentences):
                for a in group.attributes(sentences[first]):
                    for b in group.attributes(sentences[second]):
                        one, other = SLOTS[first], SLOTS[second]
                        said = f"{group.say(a)} in the {one} and {group.say(b)} in the {other}"
                        found[name, said] += 1
    return found


def test_an_answer_has_the_features_of_the_definition() -> None:
    encoder = fitted()
    problem = RankingProblem(encoder.encode(TRAINING, SUPPORTS))
    for number, support in enumerate(SUPPORTS):
        _, ids = problem.features(number, problem.gold(number).reshape(1, -1))
        answer = TRAINING[number].source.answer
        expected = {
            (name, f"{said}, for the answer “{answer}”"): count
            for (name, said), count in by_definition(TRAINING[number], support).items()
        }
        assert Counter(encoder.explain(int(i)) for i in ids) == expected


def test_answers_are_those_of_training_and_others_are_unknown() -> None:
    encoder = fitted()
    assert encoder.answers_ == ("barn", "pier")
    new = asked(FACTS, where_is("bo"), "moon", (2,))
    assert encoder.encode([new], [(2,)]).labels.tolist() == [-1]


def test_pairs_that_were_not_met_in_training_have_no_features() -> None:
    encoder = fitted()
    new = asked(FACTS, where_is("ana"), None)
    examples = encoder.encode([new], [(1,)])  # ana with the kite: never seen together
    said = [encoder.explain(int(i) * 2)[1] for i in examples.attribute_ids]
    assert not any("“ana”" in words and "“kite”" in words for words in said)


def test_what_was_learned_survives_json() -> None:
    encoder = fitted()
    record = json.loads(json.dumps(encoder.to_json()))
    again = AnswerEncoder(encoder.groups).restore(record, encoder.codes_.copy())
    one, other = encoder.encode(TRAINING, SUPPORTS), again.encode(TRAINING, SUPPORTS)
    assert np.array_equal(one.attribute_ids, other.attribute_ids)
    assert np.array_equal(one.labels, other.labels)
