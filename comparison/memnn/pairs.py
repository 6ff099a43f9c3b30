"""Comparing memories in pairs, with the features of write time.

Whether a memory is older than another decides many questions. The score of an older memory y against a newer
one y' is therefore

    E(x) . (E(y) - E(y') + t(x, y, y')),

where t adds up to three learned vectors: x is older than y, x is older than y', y is older than y'. x stands
for the memory that was found last; the question itself is newer than everything. The best memory is found by
going through the story and keeping the winner, so a comparison always has the older memory first, and
training ranks the pairs in the same order. Without the times this is the argmax of eqs. 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numba import njit
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Hop:
    """The scores of one hop, for B questions and N memories.

    ``memories`` (B, N) and ``stop`` (B) are E(x) . E(y); ``times`` (B, 3) are the products of E(x) and the
    three vectors of time; ``last`` (B) is the position of the memory found last, N for none.
    """

    memories: Tensor
    stop: Tensor
    times: Tensor
    last: Tensor


def preference(hop: Hop, chosen: Tensor) -> Tensor:
    """Return (B, K, N): how far each memory of ``chosen`` (B, K) is preferred to each memory."""
    place = torch.arange(hop.memories.shape[1])
    own = chosen[:, :, None]
    older, newer = torch.minimum(own, place), torch.maximum(own, place)
    last = hop.last[:, None, None]
    first, second, third = hop.times[:, :, None, None].unbind(dim=1)
    time = first * (last < older) + second * (last < newer) + third
    ahead = hop.memories.gather(1, chosen)[:, :, None] - hop.memories[:, None, :]
    return ahead + torch.where(own < place, time, -time)


def tournament(hop: Hop, free: Tensor) -> Tensor:
    """Return (B) the position of the memory that is left when each meets the winner so far.

    Only memories that are ``free`` (B, N) take part; where none is, the position is 0. Nothing is learned
    through the choice: this is for searching, not for the loss.
    """
    newer_than_last = hop.last[:, None] < torch.arange(free.shape[1])
    first, second, third = hop.times[:, :, None].unbind(dim=1)
    as_older = hop.memories + first * newer_than_last
    as_newer = hop.memories - second * newer_than_last - third
    as_newer = as_newer.masked_fill(~free, -torch.inf)
    return torch.from_numpy(_winners(as_older.numpy(), as_newer.numpy()))


@njit(cache=True)
def _winners(as_older: NDArray[Any], as_newer: NDArray[Any]) -> NDArray[np.int64]:
    """Go through every story once; each step needs the one before, so that no array operation can do it."""
    found = np.zeros(len(as_older), dtype=np.int64)
    for row in range(len(as_older)):
        level = -np.inf
        for place in range(as_older.shape[1]):
            # the first one that is free beats nobody; after that a newer memory must be strictly better
            if as_newer[row, place] > level:
                found[row] = place
                level = as_older[row, place]
    return found
