"""All pairs of sentences of a story at once: which roles they share, and which case each pair is.

(In one file: numba keeps the machine code of a kernel for as long as its own file stays the same.)
"""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Bytes, Ints, Longs
from babi_cascade.svm.compiled import compiled

NONE = -1
NEAREST, LAST = 1, 2
ROLE_BITS = 15
MATCH_BITS = 24
PLACE_BITS = 8


@compiled
def shared_roles(rows: Ints, ptr: Longs, roles: Ints, fillers: Ints) -> Ints:
    """Return codes [rows, V, most]: the pairs of roles of two sentences with the same filler, each once.

    Sentence v has fillers[ptr[v] : ptr[v + 1]] in as many roles. Codes ascend; NONE fills up.
    """
    n = len(ptr) - 1
    most = 0
    for a in rows:
        for b in range(n):
            count = 0
            for s in range(ptr[a], ptr[a + 1]):
                for t in range(ptr[b], ptr[b + 1]):
                    count += fillers[s] == fillers[t]
            most = max(most, count)
    out = np.full((len(rows), n, most), NONE, np.int32)
    for r in range(len(rows)):
        a = rows[r]
        for b in range(n):
            count = 0
            for s in range(ptr[a], ptr[a + 1]):
                for t in range(ptr[b], ptr[b + 1]):
                    if fillers[s] == fillers[t]:
                        code = (roles[s] << ROLE_BITS) | roles[t]
                        count = _put(out[r, b], count, code)
    return out


@compiled
def _put(row: Ints, count: int, code: int) -> int:
    """Put a code into an ascending row, unless it is there; return how many there are."""
    at = count
    while at > 0 and row[at - 1] > code:
        at -= 1
    if at > 0 and row[at - 1] == code:
        return count
    for i in range(count, at, -1):
        row[i] = row[i - 1]
    row[at] = code
    return count + 1


@compiled
def nearest_flags(first: int, groups: Ints, n_groups: int, out: Bytes) -> None:
    """Write flags [rows, n] of facts seen from the facts first, first + 1, …

    groups[r, j] is the group of fact j seen from fact first + r, -1 for one without flags.
    """
    rows, n = groups.shape
    seen = np.full(n_groups, -1, np.int32)
    for r in range(rows):
        i = first + r
        out[r] = 0
        for j in range(i + 1, n):
            g = groups[r, j]
            if g >= 0 and seen[g] != 3 * i:
                seen[g] = 3 * i
                out[r, j] |= NEAREST
        for j in range(i - 1, -1, -1):
            g = groups[r, j]
            if g >= 0 and seen[g] != 3 * i + 1:
                seen[g] = 3 * i + 1
                out[r, j] |= NEAREST
        for j in range(n - 1, -1, -1):
            g = groups[r, j]
            if j != i and g >= 0 and seen[g] != 3 * i + 2:
                seen[g] = 3 * i + 2
                out[r, j] |= LAST


@compiled
def pair_keys(
    first: int,
    bases: Ints,
    groups: Ints,
    n_groups: int,
    flags: Bytes,
    asked: Ints,
    asked_numbers: Ints,
) -> Longs:
    """Return one key [rows, n] for all that a pair of facts is, but for the kind of the question.

    ``bases`` and ``groups`` [rows, n] are those of the pairs that begin with the facts first, first + 1, …;
    ``flags`` [n, n] those of all pairs; asked_numbers[asked[j]] is the match of the question with fact j.
    """
    rows, n = groups.shape
    n_asked = len(asked_numbers)
    finer = np.empty((rows, n), np.int32)
    for r in range(rows):
        for j in range(n):
            finer[r, j] = NONE if groups[r, j] < 0 else groups[r, j] * n_asked + asked[j]
    asked_flags = np.empty((rows, n), np.uint8)
    nearest_flags(first, finer, n_groups * n_asked, asked_flags)
    out = np.empty((rows, n), np.int64)
    for r in range(rows):
        i = first + r
        for j in range(n):
            match = 0 if groups[r, j] < 0 else asked_numbers[asked[j]]
            stands = (1 if j > i else 0) + (2 if abs(i - j) == 1 else 0)
            bits = ((stands * 4 + flags[i, j]) * 4 + asked_flags[r, j]) * 4 + flags[j, i]
            key = (np.int64(bases[r, j]) << MATCH_BITS) | match
            out[r, j] = (key << PLACE_BITS) | bits
    return out
