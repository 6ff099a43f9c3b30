"""What parsing takes is never more than was told before it."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.svm.parse_cost import parse_cost

MANY = 3000
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(max_size=5), inside),
    max_leaves=40,
)


def taken(text: bytes) -> int:
    tracemalloc.start()
    try:
        json.loads(text.decode())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@given(VALUES, st.booleans())
def test_no_value_takes_more(value: Any, escaped: bool) -> None:
    text = json.dumps([value] * 20, ensure_ascii=escaped).encode("utf-8", "replace")
    assert taken(text) <= parse_cost(text)


@pytest.mark.parametrize(
    "one",
    ["[]", "{}", "[1]", "[[],[]]", '{"a":1}', "[0,0,0,0,0]", "1000", "0.5", "NaN", '""', '"aa"', '"हा"',
     '"é"', '"\\ud800"', "[" * 20 + "]" * 20, '{"a":' * 20 + "1" + "}" * 20, "true", " [ ] "],
)  # fmt: skip
def test_nor_does_what_is_cheap_to_write_and_dear_to_read(one: str) -> None:
    text = f"[{','.join([one] * MANY)}]".encode()
    assert taken(text) <= parse_cost(text)


def test_nor_do_many_different_keys_and_long_texts() -> None:
    keys = ",".join(f'"{n}": []' for n in range(MANY))
    for text in (f"{{{keys}}}", f'["{"a" * MANY}😀"]', f'["{"a" * MANY}\\ud83d\\ude00"]',
                 '["' + "a\\n" * MANY + '"]'):  # fmt: skip
        assert taken(text.encode()) <= parse_cost(text.encode())


def test_texts_are_told_at_little_more_than_they_take() -> None:
    text = json.dumps([f"word{n}" for n in range(MANY)]).encode()
    assert parse_cost(text) <= 1.3 * taken(text)
