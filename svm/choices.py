"""Which choices of items are candidates: those that hang together."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Bytes, Ints
from babi_cascade.svm.compiled import compiled


@compiled
def enumerate_choices(
    n: int, most: int, item_ok: Bytes, item_late: Bytes, pair_ok: Bytes, pair_near: Bytes,
    items: Ints, pairs: Ints, long: int, out: Ints,
) -> int:  # fmt: skip
    """Write the candidate choices of an example: nothing, then up to ``most`` items that hang together.

    The first item is linked with the example; every later one is linked with the example or with an item
    before it, or comes right after one. Of more than ``long`` items only late ones, and the nearest or last
    of those that are linked, are looked at. Late items come first: what finds no room is early.
    """
    count, room = 1, len(out)
    out[0, :] = -1
    short = n <= long
    follows = np.empty((n, n), np.uint8)
    for i in range(n):
        for j in range(n):
            ok, pair = items[j], pairs[i * n + j]
            if i == j:
                follows[i, j] = 0
            elif j == i + 1:  # what is told next may mean the same by other words
                follows[i, j] = 1
            elif short:
                follows[i, j] = item_ok[ok] or pair_ok[pair]
            else:
                follows[i, j] = (item_ok[ok] and item_late[ok]) or pair_near[pair]
    for i in range(n - 1, -1, -1):
        if not item_ok[items[i]] or not (short or item_late[items[i]]):
            continue
        if count < room:
            out[count, 0], out[count, 1], out[count, 2] = i, -1, -1
            count += 1
        for j in range(n - 1, -1, -1):
            if most < 2 or not follows[i, j]:
                continue
            if count < room:
                out[count, 0], out[count, 1], out[count, 2] = i, j, -1
                count += 1
            for k in range(n - 1, -1, -1):
                if (
                    most > 2
                    and k not in (i, j)
                    and (follows[i, k] or follows[j, k])
                    and count < room
                ):
                    out[count, 0], out[count, 1], out[count, 2] = i, j, k
                    count += 1
    return count
