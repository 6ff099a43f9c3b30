"""The best ascending chain by dynamic programming (Viterbi).

A chain scores the sum of its items and of its neighbours. The best chain that ends in item j is j with the
best chain that ends before it, so all chains, of any length, are compared in n² steps. To leave one
chain out, two values are kept for every item: chains that have left the excluded one already, and
the prefix of the excluded chain itself.
"""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Floats, Ints
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.selection_arrays import MISS

START = -1


@compiled
def best_chain(
    unary: Floats, pairs: Ints, neighbours: Floats, gold: Ints, skip: Ints, label: Ints
) -> float:
    """Write the best chain of at least one item (none where there is no item); return its score.

    ``gold`` and ``skip`` are chains padded with -1, or empty for a plain search and to leave out
    nothing. Of equal scores the same chain is found always: without ``skip`` the one whose
    last item comes first, and so on backwards.
    """
    n = len(unary)
    own = unary.copy()
    offset = 0.0
    for item in gold:
        if item >= 0:
            offset += MISS
    if len(gold):
        for j in range(n):
            own[j] += MISS
        for item in gold:
            if item >= 0:
                own[item] -= 2.0 * MISS
    excluded = 0
    while excluded < len(skip) and skip[excluded] >= 0:
        excluded += 1
    follows = np.full(n, -1, np.int32)  # place of an item in the excluded chain
    for t in range(excluded):
        follows[skip[t]] = t
    prefix = np.full(n, -np.inf)  # score of the excluded chain up to this item
    free = np.full(n, -np.inf)  # best chain that ends here and has left the excluded one
    back = np.full(n, START, np.int32)
    from_prefix = np.zeros(n, np.uint8)
    for j in range(n):
        if follows[j] == 0:
            prefix[j] = own[j]
        elif free[j] < own[j]:
            free[j] = own[j]
        for i in range(j):
            link = neighbours[pairs[i, j]] + own[j]
            if follows[i] >= 0 and follows[j] == follows[i] + 1:
                prefix[j] = prefix[i] + link
            elif prefix[i] + link > free[j]:
                free[j] = prefix[i] + link
                back[j] = i
                from_prefix[j] = 1
            if free[i] + link > free[j]:
                free[j] = free[i] + link
                back[j] = i
                from_prefix[j] = 0
    top = -np.inf
    last = -1
    whole = False
    for j in range(n):
        if free[j] > top:
            top = free[j]
            last = j
            whole = False
        if prefix[j] > top and follows[j] != excluded - 1:
            top = prefix[j]
            last = j
            whole = True
    if last < 0:
        return offset if n == 0 and excluded == 0 and not len(skip) else -np.inf
    size = 0
    j = last
    while j >= 0:  # the items backwards, then turned round
        label[size] = j
        size += 1
        if whole:
            j = skip[follows[j] - 1] if follows[j] > 0 else START
        else:
            whole = from_prefix[j] == 1
            j = back[j]
    for t in range(size // 2):
        label[t], label[size - 1 - t] = label[size - 1 - t], label[t]
    return top + offset
