"""Draws: the same for the same labels everywhere, and as likely as they should be."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.simulation.dice import Dice
from tests.simulation.told import is_near

GOLDEN = {
    "below": [503, 569, 422, 95, 630, 491],
    "shuffled": list("ahdfbgce"),
    "rotated": list("dabfhecg"),
    "sample": list("heg"),
    "chance": [False, False, True, False, False, True],
    "pick": "e",
}


def test_the_first_draws_of_known_labels_never_change():
    dice = Dice(0, "golden")
    assert [dice.below(1000) for _ in range(6)] == GOLDEN["below"]
    assert dice.shuffled("abcdefgh") == GOLDEN["shuffled"]
    assert dice.rotated("abcdefgh") == GOLDEN["rotated"]
    assert dice.sample("abcdefgh", 3) == GOLDEN["sample"]
    assert [dice.chance(0.5) for _ in range(6)] == GOLDEN["chance"]
    assert dice.pick("abcdefgh") == GOLDEN["pick"]


def test_labels_name_the_sequence():
    def draws(*labels: object) -> list[int]:
        dice = Dice(*labels)
        return [dice.below(1000) for _ in range(5)]

    assert draws(1, "train") == draws("1", "train")
    assert len({tuple(draws(*labels)) for labels in ((1, "train"), (2, "train"), (1, "test"))}) == 3


@pytest.mark.parametrize("n", [1, 2, 6, 7])
def test_whole_numbers_are_uniform(n: int):
    dice = Dice("uniform", n)
    counts = Counter(dice.below(n) for _ in range(6000))
    assert set(counts) == set(range(n))
    assert all(is_near(count, 6000, 1 / n) for count in counts.values())


def test_picks_and_chances_are_as_likely_as_asked():
    dice = Dice("picks")
    counts = Counter(dice.pick("abc") for _ in range(6000))
    assert set(counts) == set("abc")
    assert all(is_near(count, 6000, 1 / 3) for count in counts.values())
    assert is_near(sum(dice.chance(0.2) for _ in range(6000)), 6000, 0.2)
    assert not any(dice.chance(0) for _ in range(100))
    assert all(dice.chance(1) for _ in range(100))


def test_every_order_is_equally_likely():
    dice = Dice("orders")
    counts = Counter("".join(dice.shuffled("abc")) for _ in range(6000))
    assert len(counts) == 6
    assert all(is_near(count, 6000, 1 / 6) for count in counts.values())


@given(seed=st.integers(), items=st.lists(st.integers(), max_size=30))
def test_shuffling_keeps_the_items_and_leaves_the_list_alone(seed: int, items: list[int]):
    before = list(items)
    assert sorted(Dice(seed).shuffled(items)) == sorted(items)
    assert items == before


@given(seed=st.integers(), n=st.integers(2, 30))
def test_rotating_leaves_nothing_in_its_place(seed: int, n: int):
    rotated = Dice(seed).rotated(range(n))
    assert sorted(rotated) == list(range(n))
    assert all(item != place for place, item in enumerate(rotated))


@given(seed=st.integers(), n=st.integers(0, 30), data=st.data())
def test_a_sample_has_different_items(seed: int, n: int, data: st.DataObject):
    count = data.draw(st.integers(0, n))
    sample = Dice(seed).sample(range(n), count)
    assert len(sample) == len(set(sample)) == count
    assert set(sample) <= set(range(n))
