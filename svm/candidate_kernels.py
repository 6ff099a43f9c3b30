"""Search over candidates: a sum of weights for each and a maximum."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled


@compiled
def search_candidates(
    first: Longs,
    ptr: Longs,
    ids: Ints,
    w: Floats,
    examples: Longs,
    gold: Ints,  # [k, 1], or [0, 1] for a plain search
    exclude: Ints,  # [k, 1], or [0, 1] to exclude nothing
    labels: Ints,  # [k, 1], written
    scores: Floats,  # [k], written
) -> None:
    """Find the best candidate of each example; the first of equals."""
    for r in range(len(examples)):
        start = first[examples[r]]
        labels[r, 0] = -1
        scores[r] = -np.inf
        for c in range(first[examples[r] + 1] - start):
            if len(exclude) and exclude[r, 0] == c:
                continue
            total = 1.0 if len(gold) and gold[r, 0] != c else 0.0
            for t in range(ptr[start + c], ptr[start + c + 1]):
                total += w[ids[t]]
            if total > scores[r]:
                scores[r] = total
                labels[r, 0] = c


@compiled
def candidate_features(ptr: Longs, ids: Ints, rows: Longs) -> tuple[Longs, Ints]:
    """Features of some candidates."""
    out_ptr = np.zeros(len(rows) + 1, np.int64)
    for r in range(len(rows)):
        out_ptr[r + 1] = out_ptr[r] + ptr[rows[r] + 1] - ptr[rows[r]]
    out = np.empty(out_ptr[-1], np.int32)
    for r in range(len(rows)):
        out[out_ptr[r] : out_ptr[r + 1]] = ids[ptr[rows[r]] : ptr[rows[r] + 1]]
    return out_ptr, out
