"""Shuffled letters: nobody can read them, and nothing is lost."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.simulation.letters import Letters


@given(seed=st.integers(), text=st.text())
def test_every_text_can_be_restored(seed: int, text: str):
    letters = Letters(seed)
    assert letters.restore(letters.shuffle(text)) == text
    assert letters.shuffle(letters.restore(text)) == text


@given(seed=st.integers())
def test_capitals_and_small_letters_are_permuted_apart(seed: int):
    letters = Letters(seed)
    assert sorted(letters.shuffle(string.ascii_lowercase)) == list(string.ascii_lowercase)
    assert sorted(letters.shuffle(string.ascii_uppercase)) == list(string.ascii_uppercase)


@given(seed=st.integers(), text=st.text(alphabet=string.digits + string.punctuation + " \té"))
def test_everything_but_letters_stays(seed: int, text: str):
    assert Letters(seed).shuffle(text) == text


def test_the_seed_decides():
    text = string.ascii_letters
    assert Letters(3).shuffle(text) == Letters(3).shuffle(text)
    assert len({Letters(seed).shuffle(text) for seed in range(20)}) == 20
    assert Letters(0).shuffle("Mary went to the office.") == "Bjhk wysb bc bqy cdduey."
