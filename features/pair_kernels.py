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
def shared_roles(ptr: Longs, roles: Ints, fillers: Ints) -> Ints:
    """Return codes [V, V, most]: the pairs of roles of two sentences with the same filler, each once.

    Sentence v has fillers[ptr[v] : ptr[v + 1]] in as many roles. Codes ascend; NONE fills up.
    """
    n = len(ptr) - 1
    most = 0
    for a in range(n):
        for b in range(n):
            count = 0
            for s in range(ptr[a], ptr[a + 1]):
                for t in range(ptr[b], ptr[b + 1]):
                    count += fillers[s] == fillers[t]
            most = max(most, count)
    out = np.full((n, n, most), NONE, np.int32)
    for a in range(n):
        for b in range(n):
            count = 0
            for s in range(ptr[a], ptr[a + 1]):
                for t in range(ptr[b], ptr[b + 1]):
                    if fillers[s] == fillers[t]:
                        code = (roles[s] << ROLE_BITS) | roles[t]
                        count = _put(out[a, b], count, code)
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
def nearest_flags(groups: Ints, n_groups: int) -> Bytes:
    """Return flags [n, n]; groups[i, j] is the group of j seen from i, -1 for one without flags."""
    n = len(groups)
    out = np.zeros((n, n), np.uint8)
    seen = np.full(n_groups, -1, np.int32)
    for i in range(n):
        for j in range(i + 1, n):
            g = groups[i, j]
            if g >= 0 and seen[g] != 3 * i:
                seen[g] = 3 * i
                out[i, j] |= NEAREST
        for j in range(i - 1, -1, -1):
            g = groups[i, j]
            if g >= 0 and seen[g] != 3 * i + 1:
                seen[g] = 3 * i + 1
                out[i, j] |= NEAREST
        for j in range(n - 1, -1, -1):
            g = groups[i, j]
            if j != i and g >= 0 and seen[g] != 3 * i + 2:
                seen[g] = 3 * i + 2
                out[i, j] |= LAST
    return out


@compiled
def pair_keys(
    place: Ints, bases: Ints, groups: Ints, n_groups: int, asked: Ints, asked_numbers: Ints
) -> Longs:
    """Return one key [n, n] for all that a pair of facts is, but for the kind of the question.

    ``bases`` and ``groups`` [V, V] belong to the distinct sentences, ``place`` says which of them each fact
    is; asked_numbers[asked[j]] is the match of the question with fact j.
    """
    n = len(place)
    n_asked = len(asked_numbers)
    group = np.empty((n, n), np.int32)
    finer = np.empty((n, n), np.int32)
    for i in range(n):
        for j in range(n):
            g = groups[place[i], place[j]]
            group[i, j] = g
            finer[i, j] = NONE if g < 0 else g * n_asked + asked[j]
    flags = nearest_flags(group, n_groups)
    asked_flags = nearest_flags(finer, n_groups * n_asked)
    out = np.empty((n, n), np.int64)
    for i in range(n):
        for j in range(n):
            match = 0 if group[i, j] < 0 else asked_numbers[asked[j]]
            stands = (1 if j > i else 0) + (2 if abs(i - j) == 1 else 0)
            bits = ((stands * 4 + flags[i, j]) * 4 + asked_flags[i, j]) * 4 + flags[j, i]
            key = (np.int64(bases[place[i], place[j]]) << MATCH_BITS) | match
            out[i, j] = (key << PLACE_BITS) | bits
    return out
