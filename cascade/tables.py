"""Tables of texts as arrays: every text once, rows as numbers.

Feature names are most of a model. As lists of lists in the header they would be parsed into objects of ten
times their size before anybody could look at them. Here one string holds all distinct texts end to end, and
integer arrays say how long each text is and which texts a row has: all of it can be checked as it lies in the
file, and becomes Python objects only when it was found good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.cascade.content import ContentError, MissingGroupError, listed, object_of, text_of

Row = tuple[str, ...]
ARRAYS = ("ids", "rows", "texts")


def packed_tables(
    tables: Mapping[str, Iterable[Sequence[str]]],
) -> tuple[dict[str, Any], dict[str, NDArray[np.int32]]]:
    """Return tables as the part of a header and the arrays that :class:`Tables` reads."""
    numbers: dict[str, int] = {}
    counts: dict[str, int] = {}
    widths: list[int] = []
    ids: list[int] = []
    for name, rows in sorted(tables.items()):
        before = len(widths)
        for row in rows:
            widths.append(len(row))
            ids.extend(numbers.setdefault(text, len(numbers)) for text in row)
        counts[name] = len(widths) - before
    arrays = {"ids": ids, "rows": widths, "texts": [len(text) for text in numbers]}
    return (
        {"texts": "".join(numbers), "tables": counts},
        {name: np.array(array, np.int32) for name, array in arrays.items()},
    )


class Tables:
    """Tables of a model file; whatever does not fit together is refused before a row is made.

    Parameters
    ----------
    record : all distinct texts end to end, and how many rows each table has
    arrays : "texts", the length of each text; "rows", how many texts each row has; "ids", the texts of
        all rows
    names : the tables that must be there
    """

    def __init__(
        self, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], names: Collection[str]
    ) -> None:
        self._text = text_of(record, "texts")
        counts = object_of(record, "tables")
        if set(counts) != set(names):
            raise ContentError(f"found the tables {listed(counts)}, expected {listed(names)}")
        for array in arrays.values():
            if array.dtype != np.int32 or array.ndim != 1 or (array.size and array.min() < 0):
                raise ContentError("found tables that are no lists of numbers from 0")
        self._ids, widths, self._lengths = (arrays[name] for name in ARRAYS)
        if not all(type(n) is int and n >= 0 for n in counts.values()):
            raise ContentError("found a table without the number of its rows")
        fits = (
            sum(counts.values()) == widths.size
            and int(widths.sum(dtype=np.int64)) == self._ids.size
            and int(self._lengths.sum(dtype=np.int64)) == len(self._text)
            and (not self._ids.size or self._ids.max() < self._lengths.size)
        )
        if not fits:
            raise ContentError("found tables whose parts do not fit together")
        self._tables: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
        row = text = 0
        for name, count in sorted(counts.items()):
            own = widths[row : row + count]
            end = text + int(own.sum(dtype=np.int64))
            self._tables[name] = (own, self._ids[text:end])
            row, text = row + count, end

    def count(self, name: str) -> int:
        """Return how many rows a table has."""
        return self._tables[name][0].size

    def counts(self, name: str, first: Iterable[str]) -> list[int]:
        """Return how many rows of a table begin with each of these texts."""
        widths, ids = self._tables[name]
        begun = ids[np.cumsum(widths, dtype=np.int64) - widths]
        texts, numbers = np.unique(begun, return_counts=True)
        found = {self._one(i): int(n) for i, n in zip(texts, numbers, strict=True)}
        return [found.get(text, 0) for text in first]

    def check(
        self, name: str, shortest: int, longest: int, first: Collection[str] | None = None
    ) -> None:
        """Refuse a table with rows of other lengths, of a group not in ``first``, or that occur twice."""
        widths, ids = self._tables[name]
        if widths.size and not shortest <= widths.min() <= widths.max() <= longest:
            raise ContentError(f"found a row of {name} that is too short or too long")
        starts = np.cumsum(widths, dtype=np.int64) - widths
        if first is not None:
            unknown = {self._one(i) for i in np.unique(ids[starts])} - set(first)
            if unknown:
                raise MissingGroupError(min(unknown), first)
        for width in np.unique(widths):
            begun = starts[widths == width]
            rows = ids[begun[:, None] + np.arange(width)]
            if len(np.unique(rows, axis=0)) != len(rows):
                raise ContentError(f"found a row of {name} twice")

    def rows(self, name: str) -> list[Row]:
        """Return a table; rows share their texts."""
        widths, ids = self._tables[name]
        texts = map(self._texts.__getitem__, ids.data)
        return [tuple(islice(texts, width)) for width in widths.data]

    def _one(self, number: int) -> str:
        start = int(self._lengths[:number].sum(dtype=np.int64))
        return self._text[start : start + int(self._lengths[number])]

    @cached_property
    def _texts(self) -> list[str]:
        ends = np.cumsum(self._lengths, dtype=np.int64)
        return [
            self._text[start:end]
            for start, end in zip((ends - self._lengths).tolist(), ends.tolist(), strict=True)
        ]
