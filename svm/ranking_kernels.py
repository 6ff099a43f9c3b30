"""Search over candidates: a sum of weights for each and a maximum."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.ranking_arrays import RankingArrays


@compiled
def search_candidates(
    a: RankingArrays,
    w: Floats,
    examples: Longs,
    gold: Ints,  # [k, 1], or [0, 1] for a plain search
    exclude: Ints,  # [k, 1], or [0, 1] to exclude nothing
    labels: Ints,  # [k, 1], written
    scores: Floats,  # [k], written
) -> None:
    """Find the best candidate of each example; the first of equals."""
    most = 0
    for e in examples:
        most = max(most, a.counts[e])
    totals = np.empty(most)
    for r in range(len(examples)):
        e = examples[r]
        n = a.counts[e]
        first = a.first[e]
        for c in range(n):
            total = 1.0 if len(gold) and gold[r, 0] != c else 0.0
            for t in range(a.own_ptr[first + c], a.own_ptr[first + c + 1]):
                total += w[a.own_ids[t]]
            totals[c] = total
        for t in range(a.context_first[e], a.context_first[e] + a.context_count[e]):
            base = a.n_own + np.int64(a.context_ids[t]) * a.n_classes
            for c in range(n):
                if a.classes[first + c] >= 0:
                    totals[c] += w[base + a.classes[first + c]]
        labels[r, 0] = -1
        scores[r] = -np.inf
        for c in range(n):
            if totals[c] > scores[r] and not (len(exclude) and exclude[r, 0] == c):
                scores[r] = totals[c]
                labels[r, 0] = c


@compiled
def candidate_features(a: RankingArrays, examples: Longs, chosen: Ints) -> tuple[Longs, Ints]:
    """Features of one candidate of each example: its own, then those of its class."""
    ptr = np.zeros(len(examples) + 1, np.int64)
    for r in range(len(examples)):
        c = a.first[examples[r]] + chosen[r]
        ptr[r + 1] = ptr[r] + a.own_ptr[c + 1] - a.own_ptr[c]
        if a.classes[c] >= 0:
            ptr[r + 1] += a.context_count[examples[r]]
    out = np.empty(ptr[-1], np.int32)
    for r in range(len(examples)):
        e = examples[r]
        c = a.first[e] + chosen[r]
        at = ptr[r]
        for t in range(a.own_ptr[c], a.own_ptr[c + 1]):
            out[at] = a.own_ids[t]
            at += 1
        if a.classes[c] >= 0:
            for t in range(a.context_first[e], a.context_first[e] + a.context_count[e]):
                out[at] = a.n_own + a.context_ids[t] * a.n_classes + a.classes[c]
                at += 1
    return ptr, out
