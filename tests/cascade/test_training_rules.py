"""What training may look at: whole stories are held out, and answers are learned from the true facts."""

from __future__ import annotations

import random

import numpy as np
import pytest

from babi_cascade.cascade import Cascade
from babi_cascade.cascade.stages import story_numbers
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm import choose_c
from babi_cascade.svm.problem import Problem
from tests.features.reading import asked, went, where_is

WHO, WHERE = ("ana", "bo", "cy", "di"), ("pier", "barn", "mill", "cave")


def told_together(rng: random.Random) -> list[ReadQuestion]:
    """One story with three questions, each after one more fact."""
    facts = tuple(went(who, rng.choice(WHERE)) for who in rng.sample(WHO, 3))
    sources = [
        asked(facts[: n + 1], where_is(facts[n].words[0]), facts[n].words[-1], (n,))
        for n in range(3)
    ]
    return [ReadQuestion(each.source, each.question, facts, each.n_facts) for each in sources]


def test_questions_of_one_story_are_never_on_both_sides_when_c_is_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = random.Random(0)
    read = [question for _ in range(30) for question in told_together(rng)]
    stories = story_numbers(read)
    assert len(set(stories)) == 30
    parts: list[np.ndarray] = []
    really = choose_c.choose_C

    def watched(problem: Problem, held_out: list[np.ndarray], **options: object) -> object:
        assert problem.n_examples == len(read)
        parts.extend(held_out)
        return really(problem, held_out, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(choose_c, "choose_C", watched)
    Cascade().fit_read(read)
    assert len(parts) >= 2  # both stages chose
    for part in parts:
        rest = np.setdiff1d(np.arange(len(read)), part)
        assert 0 < len(part) < len(rest)
        assert not set(stories[part]) & set(stories[rest])


def chance(rng: random.Random) -> ReadQuestion:
    """She went to four places; which of them is meant is thrown by dice and cannot be learned."""
    who = rng.choice(WHO)
    places = rng.sample(WHERE, 4)
    meant = rng.randrange(4)
    facts = tuple(went(who, place) for place in places)
    return asked(facts, where_is(who), places[meant], (meant,))


@pytest.mark.parametrize("preset", ["extended", "paper"])
def test_answers_are_learned_from_the_true_facts_not_from_those_that_are_found(preset: str) -> None:
    rng = random.Random(1)
    read = [chance(rng) for _ in range(200)]
    cascade = Cascade(preset=preset, cost=0.1).fit_read(read[:150])
    found = cascade.answer_read(read[150:])
    given = cascade.answer_read(read[150:], gold_support=True)
    answers = [question.source.answer for question in read[150:]]
    assert np.mean([one.answer == a for one, a in zip(found, answers, strict=True)]) < 0.6
    assert [one.answer for one in given] == answers
