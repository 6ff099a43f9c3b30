"""Support selection as numbers: exactly the features that the definition names."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from babi_cascade.features.group import SLOT_PAIRS, SLOTS, AttributeGroup, DifferenceGroup
from babi_cascade.features.registry import PAPER_SUPPORT
from babi_cascade.features.support import SupportEncoder
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.tuples import TupleProblem
from tests.features.reading import asked, took, went, where_is

FACTS = (went("ana", "pier"), took("bo", "kite"), went("bo", "barn"), went("ana", "barn"))
TRAINING = [
    asked(FACTS, where_is("ana"), "barn", (3,)),
    asked(FACTS[:3], where_is("kite"), "barn", (1, 2)),
]


def fitted() -> SupportEncoder:
    return SupportEncoder({name: make() for name, make in PAPER_SUPPORT.items()}).fit(TRAINING)


def by_definition(question: ReadQuestion, chosen: tuple[int, ...]) -> Counter[tuple[str, str]]:
    """The features of appendix B, written down directly."""
    sentences = [question.question, *(question.facts[i] for i in chosen)]
    positions = [question.n_facts, *chosen]
    found: Counter[tuple[str, str]] = Counter()
    for first, second in SLOT_PAIRS:
        if second >= len(sentences):
            continue
        names = SLOTS[first], SLOTS[second]
        for name, make in PAPER_SUPPORT.items():
            group = make()
            if isinstance(group, AttributeGroup):
                for a in group.attributes(sentences[first]):
                    for b in group.attributes(sentences[second]):
                        found[
                            name,
                            f"{group.say(a)} in the {names[0]} and {group.say(b)} in the {names[1]}",
                        ] += 1
            elif isinstance(group, DifferenceGroup):
                feature = group.feature(positions[first] - positions[second])
                if feature is not None:
                    found[name, group.say(feature, *names)] += 1
    for slot in range(len(chosen) + 1, len(SLOTS)):
        found["empty-fact", f"there is no {SLOTS[slot]}"] += 1
    return found


@pytest.mark.parametrize("chosen", [(3,), (0,), (1, 2), (2, 1), (0, 3, 1), (2, 1, 0)])
def test_a_choice_of_facts_has_the_features_of_the_definition(chosen: tuple[int, ...]) -> None:
    encoder = fitted()
    problem = TupleProblem(encoder.encode(TRAINING))
    label = np.array([[*chosen, *[-1] * (3 - len(chosen))]], dtype=np.int32)
    _, ids = problem.features(0, label)
    assert Counter(encoder.explain(int(i)) for i in ids) == by_definition(TRAINING[0], chosen)


def test_what_was_not_met_in_training_has_no_features() -> None:
    encoder = fitted()
    new = asked((went("cy", "moon"), took("cy", "rock")), where_is("rock"))
    problem = TupleProblem(encoder.encode([new]))
    _, ids = problem.features(0, np.array([[1, 0, -1]], dtype=np.int32))
    said = " ".join(words for _, words in map(encoder.explain, map(int, ids)))
    assert "rock" not in said
    assert "moon" not in said
    assert "went" in said


def test_distances_beyond_training_keep_only_their_order() -> None:
    encoder = fitted()
    long = asked(FACTS * 4, where_is("ana"))
    problem = TupleProblem(encoder.encode([long]))
    _, ids = problem.features(0, np.array([[0, -1, -1]], dtype=np.int32))
    groups = Counter(encoder.explain(int(i))[0] for i in ids)
    assert groups["pair-distance"] == 0
    assert groups["pair-order"] == 1


def test_of_a_long_support_the_last_three_are_kept() -> None:
    encoder = fitted()
    assert encoder.label(asked(FACTS, where_is("ana"), "x", (0, 1, 2, 3))) == [1, 2, 3]
    assert encoder.label(asked(FACTS, where_is("ana"), "x", (2,))) == [2, -1, -1]
    one = SupportEncoder(encoder.groups, max_facts=1)
    assert one.label(asked(FACTS, where_is("ana"), "x", (0, 2))) == [2, -1, -1]


def test_what_was_learned_survives_json() -> None:
    encoder = fitted()
    again = SupportEncoder(encoder.groups).restore(json.loads(json.dumps(encoder.to_json())))
    problem, other = TupleProblem(encoder.encode(TRAINING)), TupleProblem(again.encode(TRAINING))
    assert problem.size_joint_feature == other.size_joint_feature
    for i in range(problem.size_joint_feature):
        assert encoder.explain(i) == again.explain(i)


def test_questions_of_one_story_share_its_facts() -> None:
    examples = fitted().encode([asked_of(2), asked_of(3), asked_of(4)])
    assert len(set(examples.fact_start.tolist())) == 1
    assert len(examples.story_facts) == 4
    assert examples.n_facts.tolist() == [2, 3, 4]


def asked_of(length: int) -> ReadQuestion:
    whole = TRAINING[0]
    return ReadQuestion(whole.source, whole.question, FACTS, length)
