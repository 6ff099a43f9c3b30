"""Tables of texts as arrays: they come back as they were, and what does not fit is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from babi_cascade.cascade.content import ContentError
from babi_cascade.cascade.tables import Tables, packed_tables

ROWS = st.lists(st.lists(st.text(max_size=4), min_size=1, max_size=4))
SMALL = {"names": [("a", "ö"), ("a", "", "b\nc")], "others": [("x",)]}


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), ROWS))
def test_rows_come_back(tables: dict[str, list[list[str]]]) -> None:
    record, arrays = packed_tables(tables)
    found = Tables(record, arrays, tables)
    for name, rows in tables.items():
        assert found.count(name) == len(rows)
        assert found.rows(name) == [tuple(row) for row in rows]


def test_texts_are_kept_once() -> None:
    record, arrays = packed_tables({"a": [("word", "word"), ("word", "other")]})
    assert record["texts"] == "wordother"
    first, second = Tables(record, arrays, ["a"]).rows("a")
    assert first[0] is first[1] is second[0]


@pytest.mark.parametrize("name", ["ids", "rows", "texts"])
@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[:-1],
        lambda array: np.append(array, array[-1]),
        lambda array: array - 10,
        lambda array: array + 100,
        lambda array: array.astype(np.int64),
        lambda array: array[None, :],
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, change: Any) -> None:
    record, arrays = packed_tables(SMALL)
    arrays[name] = change(arrays[name])
    with pytest.raises(ContentError):
        Tables(record, arrays, SMALL)


@pytest.mark.parametrize("counts", [{"names": 3, "others": 0, "more": 0}, {"names": 4, "others": -1},
                                    {"names": 2**70, "others": 1}, {"names": True, "others": 2}])  # fmt: skip
def test_counts_that_do_not_fit_are_refused(counts: dict[str, Any]) -> None:
    record, arrays = packed_tables(SMALL)
    with pytest.raises(ContentError):
        Tables({**record, "tables": counts}, arrays, SMALL)


def test_rows_are_checked_before_they_are_made() -> None:
    tables = Tables(*packed_tables(SMALL), SMALL)
    tables.check("names", 2, 3, ["a"])
    with pytest.raises(ContentError, match="too short or too long"):
        tables.check("names", 2, 2)
    with pytest.raises(
        ContentError, match='needs the feature group "a", which is not here; found b'
    ):
        tables.check("names", 2, 3, ["b"])
    twice = {"names": [("a", "b"), ("c",), ("a", "b")]}
    with pytest.raises(ContentError, match="twice"):
        Tables(*packed_tables(twice), twice).check("names", 1, 2)
