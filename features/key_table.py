"""Whole numbers as names for other whole numbers, looked up a million at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.compiled import compiled

EMPTY = -1
_SPREAD = np.int64(0x1E3779B97F4A7C15)


class KeyTable:
    """A table from keys (0 and up) to numbers: open addressing, never more than half full."""

    def __init__(self) -> None:
        self._keys: Longs = np.full(1024, EMPTY, np.int64)
        self._numbers: Ints = np.zeros(1024, np.int32)
        self._size = 0

    def numbers(self, keys: Longs, new: Callable[[int], int]) -> Ints:
        """Return the number of every key; ``new`` gives those of keys never met, in ascending order."""
        flat = np.ascontiguousarray(keys, np.int64).ravel()
        found = _look_up(self._keys, self._numbers, flat)
        unknown = found < 0
        if unknown.any():
            fresh = np.unique(flat[unknown])
            self._add(fresh, np.array([new(key) for key in fresh.tolist()], np.int32))
            found = _look_up(self._keys, self._numbers, flat)
        return found.reshape(keys.shape)

    def _add(self, keys: Longs, numbers: Ints) -> None:
        self._size += len(keys)
        if 2 * self._size > len(self._keys):
            there = self._keys != EMPTY
            old = self._keys[there], self._numbers[there]
            room = 1 << (4 * self._size - 1).bit_length()
            self._keys, self._numbers = np.full(room, EMPTY, np.int64), np.zeros(room, np.int32)
            _insert(self._keys, self._numbers, *old)
        _insert(self._keys, self._numbers, keys, numbers)


@compiled
def _place(keys: Longs, key: int) -> int:
    mask = len(keys) - 1
    mixed = key * _SPREAD
    at = (mixed ^ (mixed >> 29)) & mask
    while keys[at] not in (EMPTY, key):
        at = (at + 1) & mask
    return int(at)


@compiled
def _look_up(keys: Longs, numbers: Ints, wanted: Longs) -> Ints:
    out = np.empty(len(wanted), np.int32)
    for i in range(len(wanted)):
        at = _place(keys, wanted[i])
        out[i] = EMPTY if keys[at] == EMPTY else numbers[at]
    return out


@compiled
def _insert(keys: Longs, numbers: Ints, new: Longs, their: Ints) -> None:
    for i in range(len(new)):
        at = _place(keys, new[i])
        keys[at] = new[i]
        numbers[at] = their[i]
