"""A table of keys numbers what it meets as a dictionary would."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.features.key_table import KeyTable

KEYS = st.lists(st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 50), max_size=30), max_size=5)


@given(KEYS)
def test_every_key_keeps_the_number_it_got(batches: list[list[int]]) -> None:
    table, known = KeyTable(), dict[int, int]()
    for batch in batches:
        asked: list[int] = []

        def new(key: int, asked: list[int] = asked) -> int:
            asked.append(key)
            return known.setdefault(key, len(known))

        unknown = sorted(set(batch) - set(known))
        found = table.numbers(np.array(batch, np.int64), new)
        assert asked == unknown  # each once, in ascending order
        assert found.tolist() == [known[key] for key in batch]


def test_it_grows_and_keeps_shapes() -> None:
    table = KeyTable()
    keys = np.arange(100_000, dtype=np.int64).reshape(100, 1000) << 20
    found = table.numbers(keys, lambda key: key >> 20)
    assert (found == keys >> 20).all()
    assert (table.numbers(keys[::-1], lambda key: -5) == found[::-1]).all()
