"""The extended preset from end to end, on frames made by hand: tuples, chains, lists and sequences."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from babi_cascade.cascade import Cascade
from babi_cascade.pipeline.frames.model import Argument, Asked, Frame
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from tests.features.reading import argument, asked, sentence, took, went, where_is

WHO, WHERE, WHAT = (
    ("ana", "bo", "cy"),
    ("pier", "barn", "mill"),
    ("kite", "cup", "map", "fan", "pot"),
)


def question(word: str, relation: str, verb: str, who: str) -> ReadSentence:
    asks = Asked(word, relation, "ARG1")
    frame = Frame(verb, 3, (argument("nsubj", who),), question="wh", asks=asks)
    return sentence(f"{word} {verb} {who}?", frame)


def took_it(who: str, what: str) -> ReadSentence:
    thing = Argument("ARG1", "obj", what, what, 4, text=what)
    frame = Frame("take", 2, (argument("nsubj", who), thing))
    return sentence(f"{who} took the {what}.", frame)


def tuples(rng: random.Random) -> ReadQuestion:
    """Where is the thing? Where the one who took it went last."""
    who, other = rng.sample(WHO, 2)
    what, place = rng.choice(WHAT), rng.choice(WHERE)
    facts = (went(other, rng.choice(WHERE)), took(who, what), went(who, rng.choice(WHERE)),
             went(who, place), went(other, rng.choice(WHERE)))  # fmt: skip
    return asked(facts, where_is(what), place, (1, 3))


def chains(rng: random.Random) -> ReadQuestion:
    """How many things? All that she took, however many."""
    who, other = rng.sample(WHO, 2)
    things = rng.sample(WHAT, rng.randint(2, 5))
    facts: list[ReadSentence] = []
    support = []
    for what in things:
        if rng.random() < 0.5:
            facts.append(went(other, rng.choice(WHERE)))
        support.append(len(facts))
        facts.append(took(who, what))
    words = ("none", "one", "two", "three", "four", "five")
    how = question("how many", "obj", "hold", who)
    return asked(tuple(facts), how, words[len(things)], tuple(support))


def lists(rng: random.Random) -> ReadQuestion:
    who, other = rng.sample(WHO, 2)
    things = rng.sample(WHAT, rng.randint(1, 3))
    facts = [took_it(who, what) for what in things]
    facts.insert(rng.randint(0, len(facts)), went(other, rng.choice(WHERE)))
    support = tuple(i for i, fact in enumerate(facts) if fact.frames[0].predicate == "take")
    return asked(tuple(facts), question("what", "obj", "carry", who), ",".join(things), support)


def sequences(rng: random.Random) -> ReadQuestion:
    """Which way? A letter for each of two steps."""
    who = rng.choice(WHO)
    ways = {"n": "be north of", "s": "be south of"}
    steps = rng.choice("ns"), rng.choice("ns")
    facts = tuple(
        sentence(f"{who} {ways[step]} {place}.", Frame(ways[step], 2, (argument("nsubj", who),)))
        for step, place in zip(steps, rng.sample(WHERE, 2), strict=True)
    )
    return asked(facts, question("how", "advmod", "go", who), ",".join(steps), (0, 1))


KINDS: dict[str, Callable[[random.Random], ReadQuestion]] = {
    "tuples": tuples, "chains": chains, "lists": lists, "sequences": sequences,
}  # fmt: skip


def made(kind: str, number: int, seed: int) -> list[ReadQuestion]:
    rng = random.Random(seed)
    return [KINDS[kind](rng) for _ in range(number)]


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def trained(kind: str) -> Cascade:
    return Cascade(cost=1.0).fit_read(made(kind, 40, 1))


def right(cascade: Cascade, questions: list[ReadQuestion]) -> float:
    found = cascade.answer_read(questions)
    good = [p.answer == q.source.answer for p, q in zip(found, questions, strict=True)]
    return sum(good) / len(good)


def test_every_kind_of_question_is_learned(trained: Cascade, kind: str) -> None:
    new = made(kind, 20, 2)
    assert right(trained, new) >= 0.9
    for found, each in zip(trained.answer_read(new), new, strict=True):
        assert len(found.support) == len(each.source.support or ())


def test_contributions_add_up_to_the_scores(trained: Cascade, kind: str) -> None:
    for each in made(kind, 5, 3):
        told = trained.explain_read(each)
        assert sum(part.weight for part in told.support) == pytest.approx(
            told.prediction.support_score, abs=1e-9
        )
        assert sum(part.weight for part in told.answer) == pytest.approx(
            told.prediction.score, abs=1e-9
        )
        assert all(part.words for part in (*told.support, *told.answer))
        second = told.runner_up
        if second is not None:
            assert sum(part.weight for part in second.contributions) == pytest.approx(second.score)
            assert second.support != told.prediction.support


def test_a_saved_model_predicts_the_same(trained: Cascade, kind: str, tmp_path: Path) -> None:
    trained.save(tmp_path / "model")
    again = Cascade.load(tmp_path / "model")
    new = made(kind, 20, 4)
    assert again.answer_read(new) == trained.answer_read(new)
    assert again.answer_read(new, gold_support=True) == trained.answer_read(new, gold_support=True)
    assert again.explain_read(new[0]) == trained.explain_read(new[0])


def test_at_most_three_facts_where_that_is_the_limit(tmp_path: Path) -> None:
    limited = Cascade(cost=1.0, max_facts=3).fit_read(made("chains", 30, 1))
    new = made("chains", 15, 2)
    found = limited.answer_read(new)
    assert max(len(each.support) for each in found) <= 3
    limited.save(tmp_path / "model")
    assert Cascade.load(tmp_path / "model").answer_read(new) == found


def test_two_kinds_of_questions_are_learned_together() -> None:
    both = Cascade(cost=1.0).fit_read([*made("tuples", 30, 1), *made("chains", 30, 1)])
    for kind in ("tuples", "chains"):
        assert right(both, made(kind, 15, 2)) >= 0.9
    assert {len(p.support) for p in both.answer_read(made("tuples", 15, 2))} == {2}


def test_unknown_support_and_a_story_without_facts_are_answered() -> None:
    cascade = Cascade(cost=0.1).fit_read(made("lists", 10, 1))
    empty = asked((), question("what", "obj", "carry", "ana"))
    (found,) = cascade.judged([empty])
    assert found.support == ()
    assert cascade.explain_read(empty).prediction == found
