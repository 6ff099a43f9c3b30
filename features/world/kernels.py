"""Stories executed by a table, and read out, many thousand times: what the search for a table needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bytes, Ints, Longs
from babi_cascade.svm.compiled import compiled


class WorldArrays(NamedTuple):
    """Stories and questions as numbers; nodes are numbered story by story."""

    sentence_first: Longs  # [stories + 1] first sentence of each story
    mention_first: Longs  # [sentences + 1] first mention of each sentence
    nodes: Ints  # [mentions] who is mentioned
    spots: Ints  # [mentions] where
    points: Ints  # [mentions, 4] where a pointer to each other role goes
    copies: Ints  # [mentions, 4] whose anchor a copy takes
    node_first: Longs  # [stories + 1] first node of each story
    node_kinds: Bytes  # [nodes] 0 an entity, 1 one of several, 2 none of several
    node_fillers: Longs  # [nodes] the entities of it, a bit each
    question_first: Longs  # [stories + 1] first question of each story
    n_facts: Ints  # [questions]
    given: Ints  # [questions, 2] the entities that it names, -1 for none
    answers: Ints  # [questions] the entity that is the answer, -1 for none
    members: Longs  # [questions] the entities of the answer, a bit each


MOST_BITS = 63
"""Nodes of a story that sets can hold."""

N_READOUTS = 14
"""Seven read-outs that begin with the first or the second entity that a question names."""


@compiled
def _end(anchors: Ints, node: int) -> int:
    end = int(anchors[node])
    if end < 0:
        return -1
    for _ in range(3):
        further = int(anchors[end])
        if further < 0:
            return end
        end = further
    return end


@compiled
def execute(a: WorldArrays, stories: Longs, kinds: Bytes, roles: Bytes, out: Bytes) -> None:
    """Execute stories by a table (kind of operation and number of the role, by spot), write every read-out.

    ``out`` [questions, 14]: whether what is read out is the answer; of counts and verdicts, which it is.
    """
    longest, most = 0, 0
    for s in stories:
        longest = max(longest, a.sentence_first[s + 1] - a.sentence_first[s])
        most = max(most, a.node_first[s + 1] - a.node_first[s])
    anchors = np.empty((longest + 1, most), np.int32)
    for s in stories:
        first = a.node_first[s]
        n = a.node_first[s + 1] - first
        anchors[0, :n] = -1
        for t in range(a.sentence_first[s + 1] - a.sentence_first[s]):
            now = anchors[t + 1]
            before = anchors[t]
            now[:n] = before[:n]
            sentence = a.sentence_first[s] + t
            for m in range(a.mention_first[sentence], a.mention_first[sentence + 1]):
                kind = kinds[a.spots[m]]
                if kind == 0:
                    continue
                node = a.nodes[m]
                if kind == 1:
                    now[node] = -1
                    continue
                k = roles[a.spots[m]]
                if kind == 2:
                    if a.points[m, k] != node:
                        now[node] = a.points[m, k]
                    continue
                source = before[a.copies[m, k]]
                if kind == 4:
                    known = before[node] >= 0 and a.node_kinds[first + before[node]] == 0
                    if known or source < 0 or a.node_kinds[first + source] != 0:
                        continue
                if source != node:
                    now[node] = source
        for q in range(a.question_first[s], a.question_first[s + 1]):
            _read(a, s, q, anchors, n, out)


@compiled
def _read(a: WorldArrays, s: int, q: int, anchors: Ints, n: int, out: Bytes) -> None:
    first = a.node_first[s]
    last = a.n_facts[q]
    now = anchors[last]
    answer = a.answers[q]
    for i in range(2):
        base = 7 * i
        one = a.given[q, i]
        other = a.given[q, 1 - i]
        for r in range(7):
            out[q, base + r] = 0
        if one < 0:
            continue
        end = _end(now, one)
        if answer >= 0:
            out[q, base] = end == answer
            out[q, base + 1] = now[one] == answer
            # Where it was before: the last change, and the last change into the other entity.
            found_any, found_into = False, False
            value = end
            for t in range(last - 1, -1, -1):
                if found_any and (found_into or other < 0):
                    break
                earlier = _end(anchors[t], one)
                if earlier != value:
                    if not found_any:
                        out[q, base + 3] = earlier == answer
                        found_any = True
                    if value == other and other >= 0 and not found_into:
                        out[q, base + 2] = earlier == answer
                        found_into = True
                value = earlier
        count = 0
        inside = np.int64(0)
        for node in range(n):
            if now[node] == one and a.node_kinds[first + node] == 0:
                count += 1
                if node < MOST_BITS:
                    inside |= np.int64(1) << node
        out[q, base + 4] = inside == a.members[q]
        out[q, base + 5] = min(count, 9)
        if other < 0:
            continue
        says = 2
        if end < 0:
            says = 0
        elif end == other:
            says = 1
        elif a.node_kinds[first + end] != 0:
            says = 1 + 2 * a.node_kinds[first + end]
            if other >= MOST_BITS or not (a.node_fillers[first + end] >> other) & 1:
                says += 1
        out[q, base + 6] = says


@compiled
def right(
    out: Bytes,
    order: Longs,
    kind_first: Longs,
    named: Bytes,
    answers: Ints,
    n_answers: Ints,
    found: Longs,
) -> None:
    """Count the right answers of every kind by every read-out: ``found`` [kinds, 14].

    Kind k has the questions order[kind_first[k] : kind_first[k + 1]], ``answers`` number its answers.
    Where these are not ``named`` in stories, counts and verdicts stand for the answer that is most frequent.
    """
    for k in range(len(found)):
        table = np.empty((10, n_answers[k]), np.int64)
        for r in range(N_READOUTS):
            total = 0
            if (r % 7 < 5) != named[k]:
                found[k, r] = 0
                continue
            if named[k]:
                for q in range(kind_first[k], kind_first[k + 1]):
                    total += out[order[q], r]
            else:
                table[:] = 0
                for q in range(kind_first[k], kind_first[k + 1]):
                    table[out[order[q], r], answers[order[q]]] += 1
                for c in range(10):
                    total += table[c].max()
            found[k, r] = total
