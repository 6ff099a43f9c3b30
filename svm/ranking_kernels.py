"""Search over classes: a sum of rows of weights and a maximum."""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled


@compiled
def search_classes(
    attribute_ptr: Longs,
    attribute_ids: Ints,
    weights: Floats,  # [attributes, classes]
    examples: Longs,
    gold: Ints,  # [k, 1], or [0, 1] for a plain search
    exclude: Ints,  # [k, 1], or [0, 1] to exclude nothing
    labels: Ints,  # [k, 1], written
    scores: Floats,  # [k], written
) -> None:
    """Find the best class of each example; the smallest of equals."""
    total = np.empty(weights.shape[1])
    for r in range(len(examples)):
        total[:] = 1.0 if len(gold) else 0.0
        if len(gold) and gold[r, 0] >= 0:
            total[gold[r, 0]] = 0.0
        for t in range(attribute_ptr[examples[r]], attribute_ptr[examples[r] + 1]):
            total += weights[attribute_ids[t]]
        if len(exclude) and exclude[r, 0] >= 0:
            total[exclude[r, 0]] = -np.inf
        best = np.argmax(total)
        labels[r, 0] = best if total[best] > -np.inf else -1
        scores[r] = total[best]
