"""Support selection of the extended preset as numbers: labels, limits, what is unseen, and words."""

from __future__ import annotations

import json

import numpy as np
import pytest

from babi_cascade.features.registry import EXTENDED_SUPPORT
from babi_cascade.features.selection import CHAIN, TUPLE, SelectionEncoder
from babi_cascade.pipeline.frames.model import Asked, Frame
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


def encoder(max_facts: int | None = None, without: tuple[str, ...] = ()) -> SelectionEncoder:
    groups = {name: make() for name, make in EXTENDED_SUPPORT.items() if name not in without}
    return SelectionEncoder(groups, max_facts)


def mode(made: SelectionEncoder, question: ReadQuestion) -> str:
    return made.modes_.of(made.stories.outline(question.question))


def test_a_kind_of_question_with_a_long_support_wants_chains() -> None:
    made = encoder().fit(TRAINING)
    assert [mode(made, each) for each in TRAINING] == [TUPLE, TUPLE, CHAIN, CHAIN]
    assert made.label(TRAINING[2]) == [0, 1, 3, 4]  # ascending
    assert made.label(TRAINING[3]) == [1]
    assert made.label(TRAINING[1]) == [1, 2]
    assert made.label(asked(FACTS, where_is("ana"), "x", (4, 2))) == [4, 2]  # in its own order
    examples = made.encode(TRAINING)
    assert examples.ordered.tolist() == [1, 1, 0, 0]
    assert examples.labels[2].tolist() == [0, 1, 3, 4, -1]
    assert made.label(asked(FACTS, where_is("ana"))) == []


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_limit_rules_chains_out_and_is_kept(most: int) -> None:
    made = encoder(most).fit(TRAINING)
    assert [mode(made, each) for each in TRAINING] == [TUPLE] * 4
    assert made.label(TRAINING[2]) == [4, 0, 3, 1][-most:]
    problem = SelectionProblem(made.encode(TRAINING))
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
        assert (np.sum(problem.predict(w) >= 0, axis=1) <= most).all()


def test_only_numbers_of_facts_met_in_training_are_chosen() -> None:
    made = encoder().fit(TRAINING)
    problem = SelectionProblem(made.encode(TRAINING[:2]))
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=problem.size_joint_feature)
        assert set(np.sum(problem.predict(w) >= 0, axis=1).tolist()) <= {1, 2}


def test_what_was_not_met_in_training_scores_nothing() -> None:
    made = encoder().fit(TRAINING)
    swim = Frame("swim", 2, (argument("nmod", "dan"),))
    new = asked((sentence("Dan swims.", swim),), where_is("eve"))
    problem = SelectionProblem(made.encode([new]))
    _, ids = problem.features(0, np.array([[0, -1, -1]], np.int32))
    said = [made.explain(int(i))[1] for i in ids]
    assert not any("swim" in words or "nmod" in words for words in said)
    assert any("share nothing" in words for words in said)
    assert problem.size_joint_feature == SelectionProblem(made.encode([])).size_joint_feature


def test_new_names_are_no_news() -> None:
    """The same story with other names has the same cases: nothing hangs on who it is."""
    made = encoder().fit(TRAINING)
    facts = (
        went("dan", "moon"), took("eve", "rock"), went("eve", "cave"), took("dan", "pan"),
        went("dan", "cave"),
    )  # fmt: skip
    new = made.encode([asked(facts, where_is("dan"), "cave", (4,))])
    old = made.encode(TRAINING[:1])
    assert new.items.tolist() == old.items.tolist()
    assert new.pairs.tolist() == old.pairs.tolist()


def test_every_feature_has_a_group_and_words() -> None:
    made = encoder().fit(TRAINING)
    size = SelectionProblem(made.encode(TRAINING)).size_joint_feature
    told = [made.explain(i) for i in range(size)]
    assert {group for group, _ in told} <= set(EXTENDED_SUPPORT)
    assert {"length", "recency", "nearest"} <= {group for group, _ in told}
    assert all(words.isprintable() and len(words.split()) > 2 for _, words in told)
    assert "three facts chosen" in told[-1][1]


def test_without_the_length_group_sizes_still_come_from_training() -> None:
    made = encoder(without=("length",)).fit(TRAINING)
    examples = made.encode(TRAINING)
    assert examples.n_size_kinds == 0
    assert examples.sizes.tolist() == [[0, 1, 1, 0]]


def test_what_was_learned_survives_json() -> None:
    made = encoder().fit(TRAINING)
    record = json.loads(json.dumps(made.to_json()))
    again = encoder().restore(record)
    assert again.to_json() == made.to_json()
    problem, other = (SelectionProblem(each.encode(TRAINING)) for each in (made, again))
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    assert problem.predict(w).tolist() == other.predict(w).tolist()
    assert problem.scores(w) == pytest.approx(other.scores(w))
    for i in range(problem.size_joint_feature):
        assert made.explain(i) == again.explain(i)


def test_forgetting_changes_nothing() -> None:
    made = encoder().fit(TRAINING)
    problem = SelectionProblem(made.encode(TRAINING))
    w = np.random.default_rng(0).normal(size=problem.size_joint_feature)
    made.forget()
    assert SelectionProblem(made.encode(TRAINING)).scores(w) == pytest.approx(problem.scores(w))
