"""Kernels of the parser's decoder: the best tree with one root, and at most one subject and object a word.

In one file: numba keeps the machine code of a kernel for as long as its own file stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])
Floats = NDArray[np.float32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]

ROUNDS = 5
"""So many violations are repaired by another tree, as in Stanza; what is left gets other labels."""

TRIED = 8
"""So many of the words that claim one place may keep it, each tried with a tree of its own."""

LARGEST = 1e30
"""Scores beyond it, infinite ones and those that are no numbers are cut, so that sums stay finite."""


def _compiled(signature: str) -> Callable[[Function], Function]:
    """Compile for the given types when this module is imported, or take what was compiled before."""

    def compile_now(function: Function) -> Function:
        return cast(Function, njit(signature, cache=True)(function))

    return compile_now


@_compiled("int64[:](float32[:,:])")
def best_tree(scores: Floats) -> Longs:
    """Return the head of every word in the tree of the highest score with exactly one word below the root.

    scores[d, h] is that of head h for word d; word 0 is the root, whose own head is 0.

    Chu-Liu and Edmonds as Tarjan grows them on a dense graph: follow best heads until a cycle closes, make
    one node of it, go on from there. The arcs of the root are left aside until all words are one node: the
    best of them then enters it, so there is exactly one, and no better tree has one. Joining the rows of a
    cycle of c nodes takes c n steps and leaves c - 1 nodes fewer: n² steps in all.
    """
    n = len(scores)
    heads = np.zeros(n, np.int64)
    if n < 2:
        return heads
    # A row a node: what a head adds to the score if it enters the node, and the word through which it does.
    gain = np.empty((n, n), np.float64)
    enters = np.empty((n, n), np.int64)
    for d in range(n):
        for h in range(n):
            score = np.float64(scores[d, h])
            gain[d, h] = -LARGEST if np.isnan(score) else min(max(score, -LARGEST), LARGEST)
            enters[d, h] = d
    nodes = 2 * n
    row = np.arange(nodes)
    top = np.arange(n)  # of each word, the node that it is part of now
    parent = np.full(nodes, -1)
    first = np.full(nodes, -1)  # child of a node
    sibling = np.full(nodes, -1)
    chosen_word = np.zeros(nodes, np.int64)  # the arc that enters a node
    chosen_head = np.zeros(nodes, np.int64)
    path = np.empty(n, np.int64)
    place = np.full(nodes, -1)  # on the path
    made, length = n, 1
    path[0], place[1] = 1, 0
    while True:
        node = path[length - 1]
        r = row[node]
        best = -1
        for h in range(1, n):
            if top[h] != node and (best < 0 or gain[r, h] > gain[r, best]):
                best = h
        if best < 0:
            break  # all words are one node
        chosen_word[node], chosen_head[node] = enters[r, best], best
        above = top[best]
        if place[above] < 0:
            path[length], place[above] = above, length
            length += 1
            continue
        # path[start:] is a cycle: each node entered by the next, the last by the first.
        start = place[above]
        new, made = made, made + 1
        for position in range(start, length):
            child = path[position]
            lost = gain[row[child], chosen_head[child]]
            for h in range(n):
                gain[row[child], h] -= lost
            parent[child], sibling[child], first[new] = new, first[new], child
        r = row[path[start]]
        for position in range(start + 1, length):
            other = row[path[position]]
            for h in range(n):
                if gain[other, h] > gain[r, h]:
                    gain[r, h], enters[r, h] = gain[other, h], enters[other, h]
        for h in range(1, n):
            if place[top[h]] >= start:
                top[h] = new
        row[new], path[start], place[new] = r, new, start
        length = start + 1
    # Open the nodes again: the word through which one is entered loses the arc of its cycle.
    within = path[0]
    arcs = np.empty((n, 3), np.int64)
    arcs[0, 0], arcs[0, 1], arcs[0, 2] = enters[row[within], 0], 0, within
    waiting = 1
    while waiting:
        waiting -= 1
        word, head, within = arcs[waiting, 0], arcs[waiting, 1], arcs[waiting, 2]
        heads[word] = head
        inner = word
        while inner != within:
            child = first[parent[inner]]
            while child >= 0:
                if child != inner:
                    arcs[waiting, 0], arcs[waiting, 1] = chosen_word[child], chosen_head[child]
                    arcs[waiting, 2] = child
                    waiting += 1
                child = sibling[child]
            inner = parent[inner]
    return heads


@_compiled("int64(float32[:,:,:], uint8[:], int64, int64, int64)")
def best_label(labels: Floats, groups: Bytes, word: int, head: int, without: int) -> int:
    """Return the best label of an arc that is of none of some groups (bits); if there is none, of any."""
    best = -1
    for label in range(labels.shape[2]):
        if not groups[label] & without and (
            best < 0 or labels[word, head, label] > labels[word, head, best]
        ):
            best = label
    if best < 0:
        best = 0
        for label in range(labels.shape[2]):
            if labels[word, head, label] > labels[word, head, best]:
                best = label
    return best


@_compiled("int64(int64[:], int64[:], uint8[:], int64[:])")
def first_violation(heads: Longs, chosen: Longs, groups: Bytes, words: Longs) -> int:
    """Write the words that claim one place below one head to ``words``; return how many, 0 for no violation.

    Heads come in the order of their first subject or object, then its group, then the others: Stanza's order.
    """
    n = len(heads)
    seen = np.zeros(n, np.uint8)
    for word in range(1, n):
        head = heads[word]
        if not groups[chosen[word]] or seen[head]:
            continue
        seen[head] = 1
        done = 0
        for one in range(word, n):
            group = groups[chosen[one]]
            if heads[one] != head or not group or group & done:
                continue
            done |= group
            count = 0
            for other in range(one, n):
                if heads[other] == head and groups[chosen[other]] == group:
                    words[count] = other
                    count += 1
            if count > 1:
                return count
    return 0


@_compiled("void(float32[:,:,:], uint8[:], uint8[:,:], int64[:], int64[:])")
def label_tree(labels: Floats, groups: Bytes, excluded: Bytes, heads: Longs, chosen: Longs) -> None:
    """Write the best allowed label of every arc of a tree to ``chosen``."""
    for word in range(1, len(heads)):
        chosen[word] = best_label(labels, groups, word, heads[word], excluded[word, heads[word]])


@_compiled("void(float32[:,:,:], uint8[:], int64, int64, int64[:], int64)")
def strongest_first(
    labels: Floats, groups: Bytes, head: int, group: int, words: Longs, count: int
) -> None:
    """Move those words to the front, in their order, that lose most if they get a label of another group."""
    loss = np.empty(count, np.float64)
    for k in range(count):
        row = labels[words[k], head]
        other = row[best_label(labels, groups, words[k], head, group)]
        own = row[best_label(labels, groups, words[k], head, 255 - group)]
        loss[k] = np.float64(own) - np.float64(other)
    front = np.zeros(count, np.uint8)
    for _ in range(min(TRIED, count)):
        best = -1
        for k in range(count):
            if not front[k] and (best < 0 or loss[k] > loss[best]):
                best = k
        front[best] = 1
    old = words[:count].copy()
    place = 0
    for wanted in (1, 0):
        for k in range(count):
            if front[k] == wanted:
                words[place] = old[k]
                place += 1


@_compiled("void(float32[:,:,:], uint8[:], int64[:], int64[:])")
def relabel_rest(labels: Floats, groups: Bytes, heads: Longs, chosen: Longs) -> None:
    """Leave below each head one label of a group: that of the word which would lose most without it."""
    n = len(heads)
    keeper = np.zeros((n, 256), np.int64)
    most = np.empty((n, 256), np.float64)
    for word in range(1, n):
        head, group = heads[word], groups[chosen[word]]
        if group:
            own = np.float64(labels[word, head, chosen[word]])
            loss = own - labels[word, head, best_label(labels, groups, word, head, 255)]
            if not keeper[head, group] or loss > most[head, group]:
                keeper[head, group], most[head, group] = word, loss
    for word in range(1, n):
        head, group = heads[word], groups[chosen[word]]
        if group and keeper[head, group] != word:
            chosen[word] = best_label(labels, groups, word, head, 255)


@_compiled("Tuple((int64[:], int64[:]))(float32[:,:], float32[:,:,:], uint8[:])")
def decode(scores: Floats, labels: Floats, groups: Bytes) -> tuple[Longs, Longs]:
    """Return heads and labels of the words, with at most one label of a group below each head.

    labels[d, h, l] is the score of a label of an arc; groups[l] is a bit, 0 for labels of no group.

    As Stanza repairs a violation: of the words that claim one place each keeps it in turn, while the others
    choose head and label together; the tree with the best sum is taken, and who yielded may not come back.
    There are at most ROUNDS × TRIED trees. Whatever is violated then is repaired without moving a word.
    """
    n = len(scores)
    heads = best_tree(scores)
    chosen = np.zeros(n, np.int64)
    excluded = np.zeros((n, n), np.uint8)
    words = np.empty(n, np.int64)
    label_tree(labels, groups, excluded, heads, chosen)
    for _ in range(ROUNDS):
        count = first_violation(heads, chosen, groups, words)
        if not count:
            return heads, chosen
        head, group = heads[words[0]], groups[chosen[words[0]]]
        if count > TRIED:
            strongest_first(labels, groups, head, group, words, count)
        trial = scores.copy()
        for k in range(count):
            excluded[words[k], head] |= group
            for h in range(n):
                label = best_label(labels, groups, words[k], h, excluded[words[k], h])
                trial[words[k], h] = scores[words[k], h] + labels[words[k], h, label]
        best_heads, best_chosen, kept = heads, chosen, -1
        best_sum = np.float32(0)
        for keeper in range(min(TRIED, count)):
            word = words[keeper]
            yielding = trial[word].copy()
            trial[word] = scores[word]
            excluded[word, head] ^= group
            new_heads = best_tree(trial)
            new_chosen = np.zeros(n, np.int64)
            label_tree(labels, groups, excluded, new_heads, new_chosen)
            total = np.float32(0)
            for d in range(1, n):
                h = new_heads[d]
                total += scores[d, h] + labels[d, h, new_chosen[d]]
            if kept < 0 or total > best_sum:
                best_heads, best_chosen, best_sum, kept = new_heads, new_chosen, total, keeper
            trial[word] = yielding
            excluded[word, head] |= group
        heads, chosen = best_heads, best_chosen
        excluded[words[kept], head] ^= group
    relabel_rest(labels, groups, heads, chosen)
    return heads, chosen


@_compiled("int64[:](float32[:,:,:], uint8[:], int64[:])")
def simple_labels(labels: Floats, groups: Bytes, heads: Longs) -> Longs:
    """Return the best label of every arc of a tree; the first is -1 if some of them exclude one another.

    labels[d - 1, l, h] is the score of a label of an arc, whatever was added to all labels of the arc: what
    most sentences need, without the logarithms and the order that `decode` asks for.
    """
    n = len(heads)
    chosen = np.zeros(n, np.int64)
    for word in range(1, n):
        head = heads[word]
        for label in range(1, labels.shape[1]):
            if labels[word - 1, label, head] > labels[word - 1, chosen[word], head]:
                chosen[word] = label
    if first_violation(heads, chosen, groups, np.empty(n, np.int64)):
        chosen[0] = -1
    return chosen
