"""Support selection as numbers: features of the definition, labels, limits, what is unseen, and words."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from babi_cascade.features.presets import PRESETS
from babi_cascade.features.registry import SUPPORT, choose, made
from babi_cascade.features.support_encoder import CHAIN, TUPLE, SupportEncoder
from babi_cascade.pipeline.frames import Asked, Frame
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.selection import SelectionProblem
from tests.features.reading import argument, asked, sentence, took, went, where_is

FACTS = (
    went("ana", "pier"), took("bo", "kite"), went("bo", "barn"), took("ana", "cup"),
    went("ana", "barn"),
)  # fmt: skip


def how_many(who: str):
    asks = Asked("how many", "obj", "ARG1", "thing")
    frame = Frame("hold", 3, (argument("nsubj", who),), question="wh", asks=asks)
    return sentence(f"How many things does {who} hold?", frame)


TRAINING = [
    asked(FACTS, where_is("ana"), "barn", (4,)),
    asked(FACTS[:3], where_is("kite"), "barn", (1, 2)),
    asked(FACTS, how_many("ana"), "one", (4, 0, 3, 1)),
    asked(FACTS, how_many("bo"), "one", (1,)),
]


def encoder(
    max_facts: int | None = None, without: tuple[str, ...] = (), preset: str = "extended"
) -> SupportEncoder:
    return SupportEncoder(made(choose(preset, without=without).support, SUPPORT), max_facts)


def mode(coded: SupportEncoder, question: ReadQuestion) -> str:
    return coded.modes_.of(coded.stories.outline(question.question))


def test_a_kind_of_question_with_a_long_support_wants_chains() -> None:
    coded = encoder().fit(TRAINING)
    assert [mode(coded, each) for each in TRAINING] == [TUPLE, TUPLE, CHAIN, CHAIN]
    assert coded.label(TRAINING[2]) == [0, 1, 3, 4]  # ascending
    assert coded.label(TRAINING[3]) == [1]
    assert coded.label(TRAINING[1]) == [1, 2]
    assert coded.label(asked(FACTS, where_is("ana"), "x", (4, 2))) == [4, 2]  # in its own order
    examples = coded.encode(TRAINING)
    assert examples.chain.tolist() == [0, 0, 1, 1]
    assert examples.labels[2].tolist() == [0, 1, 3, 4, -1]
    assert coded.label(asked(FACTS, where_is("ana"))) == []


def test_three_facts_are_still_a_tuple_and_four_a_chain() -> None:
    three = asked(FACTS, how_many("ana"), "one", (4, 0, 3))
    four = asked(FACTS, how_many("ana"), "one", (4, 0, 3, 1))
    assert mode(encoder().fit([three]), three) == TUPLE
    assert mode(encoder().fit([four]), four) == CHAIN


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_limit_rules_chains_out_and_is_kept(most: int) -> None:
    coded = encoder(most).fit(TRAINING)
    assert [mode(coded, each) for each in TRAINING] == [TUPLE] * 4
    assert coded.label(TRAINING[2]) == [4, 0, 3, 1][-most:]
    problem = SelectionProblem(coded.encode(TRAINING))
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
        assert (np.sum(problem.predict(w) >= 0, axis=1) <= most).all()


def test_only_numbers_of_facts_met_in_training_are_chosen() -> None:
    coded = encoder().fit(TRAINING)
    problem = SelectionProblem(coded.encode(TRAINING[:2]))
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
        assert set(np.sum(problem.predict(w) >= 0, axis=1).tolist()) <= {1, 2}


def test_what_was_not_met_in_training_scores_nothing() -> None:
    coded = encoder().fit(TRAINING)
    swim = Frame("swim", 2, (argument("nmod", "dan"),))
    new = asked((sentence("Dan swims.", swim),), where_is("eve"))
    problem = SelectionProblem(coded.encode([new]))
    _, ids = problem.features(0, np.array([[0, -1, -1]], np.int32))
    said = [coded.explain(int(i))[1] for i in ids]
    assert not any("swim" in words or "nmod" in words for words in said)
    assert any("share nothing" in words for words in said)
    assert problem.size_joint_feature == SelectionProblem(coded.encode([])).size_joint_feature


def test_new_names_are_no_news() -> None:
    """The same story with other names has the same cases: nothing hangs on who it is."""
    coded = encoder().fit(TRAINING)
    facts = (
        went("dan", "moon"), took("eve", "rock"), went("eve", "cave"), took("dan", "pan"),
        went("dan", "cave"),
    )  # fmt: skip
    new = coded.encode([asked(facts, where_is("dan"), "cave", (4,))])
    old = coded.encode(TRAINING[:1])
    assert new.cases.items.tolist() == old.cases.items.tolist()
    assert new.cases.pairs.tolist() == old.cases.pairs.tolist()


def test_every_feature_has_a_group_and_words() -> None:
    coded = encoder().fit(TRAINING)
    size = SelectionProblem(coded.encode(TRAINING)).size_joint_feature
    told = [coded.explain(i) for i in range(size)]
    assert {group for group, _ in told} <= set(PRESETS["extended"])
    assert {"length", "recency", "nearest"} <= {group for group, _ in told}
    assert all(words.isprintable() and len(words.split()) > 2 for _, words in told)
    assert "three facts chosen" in told[-1][1]


def test_without_the_length_group_sizes_still_come_from_training() -> None:
    coded = encoder(without=("length",)).fit(TRAINING)
    examples = coded.encode(TRAINING)
    assert examples.layout.n_sizes == 0
    assert set(map(tuple, examples.sizes.allowed.tolist())) == {(0, 1, 1, 0)}


@pytest.mark.parametrize("preset", PRESETS)
def test_what_was_learned_survives_json(preset: str) -> None:
    coded = encoder(preset=preset).fit(TRAINING)
    record = json.loads(json.dumps(coded.to_json()))
    again = encoder(preset=preset).restore(record)
    assert again.to_json() == coded.to_json()
    problem, other = (SelectionProblem(each.encode(TRAINING)) for each in (coded, again))
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    assert problem.predict(w).tolist() == other.predict(w).tolist()
    assert problem.scores(w) == pytest.approx(other.scores(w))
    for i in range(problem.size_joint_feature):
        assert coded.explain(i) == again.explain(i)


def test_forgetting_changes_nothing() -> None:
    coded = encoder().fit(TRAINING)
    problem = SelectionProblem(coded.encode(TRAINING))
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    coded.forget()
    assert SelectionProblem(coded.encode(TRAINING)).scores(w) == pytest.approx(problem.scores(w))


# -- pairs of sentences ---------------------------------------------------------------------------------

SLOTS = ("question", "first fact", "second fact", "third fact")
SLOT_PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3))
"""The six pairs of appendix B: (x,f1) (x,f2) (x,f3) (f1,f2) (f2,f3) (f1,f3)."""


def by_definition(question: ReadQuestion, chosen: tuple[int, ...]) -> Counter[tuple[str, str]]:
    """The features of appendix B, written down directly."""
    sentences = [question.question, *(question.facts[i] for i in chosen)]
    positions = [question.n_facts, *chosen]
    found: Counter[tuple[str, str]] = Counter()
    for first, second in SLOT_PAIRS:
        if second >= len(sentences):
            continue
        names = SLOTS[first], SLOTS[second]
        for name, group in made(choose("paper").support, SUPPORT).items():
            for a in group.of_sentence(sentences[first]):
                for b in group.of_sentence(sentences[second]):
                    found[name, group.say((a, b), *names)] += 1
            feature = group.of_difference(positions[first] - positions[second])
            if feature is not None:
                found[name, group.say((feature,), *names)] += 1
    for slot in range(len(chosen) + 1, len(SLOTS)):
        found["empty-fact", f"there is no {SLOTS[slot]}"] += 1
    return found


def features(
    coded: SupportEncoder, question: ReadQuestion, *chosen: int
) -> Counter[tuple[str, str]]:
    problem = SelectionProblem(coded.encode([question]))
    label = np.array([[*chosen, *[-1] * (problem.label_length - len(chosen))]], np.int32)
    return Counter(coded.explain(int(i)) for i in problem.features(0, label)[1])


@pytest.mark.parametrize("chosen", [(3,), (0,), (1, 2), (2, 1), (0, 3, 1), (2, 1, 0)])
def test_a_choice_of_facts_has_the_features_of_the_paper(chosen: tuple[int, ...]) -> None:
    coded = encoder(preset="paper").fit(TRAINING)
    assert features(coded, TRAINING[0], *chosen) == by_definition(TRAINING[0], chosen)


def test_a_mixture_has_the_features_of_both() -> None:
    names = choose("paper", ["+recency", "+nearest"]).support
    both = SupportEncoder(made(names, SUPPORT)).fit(TRAINING)
    own = SupportEncoder(made(("recency", "nearest"), SUPPORT)).fit(TRAINING)
    expected = by_definition(TRAINING[0], (4, 0)) + features(own, TRAINING[0], 4, 0)
    assert features(both, TRAINING[0], 4, 0) == expected


def test_chains_have_pairs_of_sentences_too() -> None:
    coded = SupportEncoder(made(("word-pairs", "pair-distance", "chain"), SUPPORT)).fit(TRAINING)
    told = features(coded, TRAINING[2], 0, 1, 3, 4)
    assert told["word-pairs", "“ana” in the question and “went” in the fact"] == 2
    assert told["word-pairs", "“ana” in the fact and “bo” in the next fact"] == 1
    assert told["pair-distance", "the fact stands 1 before the next fact"] == 2


def test_words_that_were_not_met_in_training_have_no_features() -> None:
    coded = encoder(preset="paper").fit(TRAINING)
    new = asked((went("cy", "moon"), took("cy", "rock")), where_is("rock"))
    said = " ".join(words for _, words in features(coded, new, 1, 0))
    assert "rock" not in said
    assert "moon" not in said
    assert "went" in said


def test_distances_beyond_training_keep_only_their_order() -> None:
    coded = encoder(preset="paper").fit(TRAINING)
    groups = Counter(name for name, _ in features(coded, asked(FACTS * 4, where_is("ana")), 0))
    assert groups["pair-distance"] == 0
    assert groups["pair-order"] == 1


def test_of_a_long_support_the_last_three_are_kept_where_chains_are_not_allowed() -> None:
    coded = encoder(preset="paper").fit(TRAINING)
    assert coded.label(asked(FACTS, where_is("ana"), "x", (0, 1, 2, 3))) == [1, 2, 3]
    assert coded.label(TRAINING[2]) == [0, 3, 1]
    assert not coded.encode(TRAINING).chain.any()


def test_questions_of_one_story_share_its_facts() -> None:
    whole = TRAINING[0]
    three = [ReadQuestion(whole.source, whole.question, FACTS, n) for n in (2, 3, 4)]
    examples = encoder(preset="paper").fit(TRAINING).encode(three)
    assert len(set(examples.profiles.start.tolist())) == 1
    assert len(examples.profiles.items) == 4
    assert examples.n_items.tolist() == [2, 3, 4]
    assert examples.cases is None


def test_what_no_chosen_group_looks_at_is_not_computed() -> None:
    coded = encoder().fit(TRAINING)
    assert coded.encode(TRAINING).profiles is None
