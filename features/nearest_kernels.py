"""For all pairs of facts: is the second the nearest of its group in its direction, and the last of all?"""

from __future__ import annotations

import numpy as np

from svm.arrays import Bytes, Ints
from svm.compiled import compiled

NEAREST, LAST = 1, 2


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
