"""Names are learned by heart only where they tell the answer."""

from __future__ import annotations

import random

from babi_cascade.features.by_heart import telling

STATE, COLOUR = ("whole", "first fact", "attr", "where"), ("whole", "first fact", "nsubj", "is")


def met(place, answer_of, n=60, names=("one", "two", "three", "four"), seed=0):
    """Every story names something in a place, and has an answer."""
    chance = random.Random(seed)
    for story in range(n):
        name = chance.choice(names)
        yield place, name, answer_of(name, chance), story


def test_a_name_that_goes_with_its_answer_tells_it():
    rooms = dict(zip(("one", "two", "three", "four"), ("A", "B", "A", "C"), strict=True))
    assert telling(met(STATE, lambda name, _: rooms[name])) == {STATE}


def test_names_that_only_happen_to_be_there_hardly_ever_seem_to_tell_anything():
    found = [
        telling(met(COLOUR, lambda _, chance: chance.choice(("yes", "no")), seed=seed))
        for seed in range(60)
    ]
    assert sum(map(bool, found)) <= 3


def test_what_is_always_answered_needs_no_name():
    assert telling(met(STATE, lambda *_: "yes")) == frozenset()


def test_names_of_a_single_story_are_no_evidence():
    once = [(STATE, f"name {n}", "A" if n % 2 else "B", n) for n in range(40)]
    assert telling(once) == frozenset()


def test_one_story_that_is_asked_often_counts_once():
    again = [(STATE, name, answer, 0) for name, answer in (("one", "A"), ("two", "B")) * 30]
    assert telling(again) == frozenset()


def test_each_place_is_judged_by_itself():
    rooms = {"one": "yes", "two": "no"}
    told = [
        *met(STATE, lambda name, _: rooms[name], names=("one", "two")),
        *met(COLOUR, lambda _, chance: chance.choice(("yes", "no"))),
    ]
    assert telling(told) == {STATE}
