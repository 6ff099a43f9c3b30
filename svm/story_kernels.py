"""Scores of all pairs of sentences of one story, shared by every question about it.

(Inner loops take plain arrays: handing over a bundle of arrays costs more than the loop.)

A score of two sentences is a sum over pairs of attributes. Summing first over the attributes of
one sentence gives a row over the story's vocabulary; the score with any other sentence is then a
sum over that sentence's attributes alone: two short sums instead of one over all pairs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.tuple_arrays import F1_F2, N_PAIRS, TupleArrays

# Three tables of this many sentences are 25 MB; longer stories compute their rows when needed.
TABLE_LIMIT = 1024


class Story(NamedTuple):
    """The distinct sentences of a story (numbered 0 … V-1 here) and what is known of their pairs."""

    place: Ints  # [facts] number of the sentence at each position
    sentences: Ints  # [V] index in the examples
    vocabulary: Longs  # sorted attributes that occur in the story
    bounds: Longs  # [groups + 1] where each group begins in the vocabulary
    word_ptr: Longs  # [V + 1]
    words: Ints  # attributes of each sentence as places in the vocabulary
    shares: Bytes  # [V, V] whether two sentences have content in common
    tables: Floats  # [3, V, V] scores as (f1, f2), (f2, f3), (f1, f3); empty for long stories


@compiled
def tell_story(
    a: TupleArrays, w: Floats, first: int, n: int, number: Ints, known: Ints, content: Bytes
) -> Story:
    """Describe facts first … first + n - 1. The last three arrays are scratch, handed back clean."""
    place = np.empty(n, np.int32)
    sentences = np.empty(n, np.int32)
    count = 0
    length = 0
    for t in range(n):
        s = a.story_facts[first + t]
        if number[s] < 0:
            number[s] = count
            sentences[count] = s
            count += 1
            length += a.attribute_ptr[s + 1] - a.attribute_ptr[s]
        place[t] = number[s]
    sentences = sentences[:count]
    for s in sentences:
        number[s] = -1

    found = np.empty(length, np.int64)
    size = 0
    for s in sentences:
        for t in range(a.attribute_ptr[s], a.attribute_ptr[s + 1]):
            p = a.attribute_ids[t]
            if known[p] < 0:
                known[p] = 0
                found[size] = p
                size += 1
    vocabulary = np.sort(found[:size])  # ids of one group are neighbours, so groups stay together
    bounds = np.zeros(a.n_groups + 1, np.int64)
    for q in range(size):
        known[vocabulary[q]] = q
        bounds[a.attribute_group[vocabulary[q]] + 1] += 1
    for g in range(a.n_groups):
        bounds[g + 1] += bounds[g]

    word_ptr = np.zeros(count + 1, np.int64)
    words = np.empty(length, np.int32)
    at = 0
    for v in range(count):
        s = sentences[v]
        for t in range(a.attribute_ptr[s], a.attribute_ptr[s + 1]):
            words[at] = known[a.attribute_ids[t]]
            at += 1
        word_ptr[v + 1] = at
    for p in vocabulary:
        known[p] = -1

    shares = np.zeros((count, count), np.uint8)
    share_rows(a, sentences, sentences, content, shares)
    tables = np.empty((3 if count <= TABLE_LIMIT else 0, count, count))
    story = Story(place, sentences, vocabulary, bounds, word_ptr, words, shares, tables)
    if count <= TABLE_LIMIT:
        score_rows(a, w, story, F1_F2, sentences, tables)
    return story


@compiled
def score_rows(
    a: TupleArrays, w: Floats, story: Story, pair: int, sentences: Ints, out: Floats
) -> None:
    """Score several sentences with every sentence of the story: out[3, sentences, V].

    Three pairs of slots at a time, from ``pair`` on: either those with x or those of two facts. The
    sentences are the first of each pair.
    """
    attribute_ptr, attribute_ids = a.attribute_ptr, a.attribute_ids
    attribute_group, row_start = a.attribute_group, a.row_start
    vocabulary, bounds = story.vocabulary, story.bounds
    word_ptr, words = story.word_ptr, story.words
    one = w[pair * a.block : (pair + 1) * a.block]
    two = w[(pair + 1) * a.block : (pair + 2) * a.block]
    three = w[(pair + 2) * a.block : (pair + 3) * a.block]
    row = np.empty((len(vocabulary), 3))
    for r in range(len(sentences)):
        s = sentences[r]
        row[:] = 0.0
        for t in range(attribute_ptr[s], attribute_ptr[s + 1]):
            p = attribute_ids[t]
            g = attribute_group[p]
            base = row_start[p]
            for q in range(bounds[g], bounds[g + 1]):
                f = base + vocabulary[q]
                row[q, 0] += one[f]
                row[q, 1] += two[f]
                row[q, 2] += three[f]
        for v in range(out.shape[2]):
            first = 0.0
            second = 0.0
            third = 0.0
            for t in range(word_ptr[v], word_ptr[v + 1]):
                q = words[t]
                first += row[q, 0]
                second += row[q, 1]
                third += row[q, 2]
            out[0, r, v] = first
            out[1, r, v] = second
            out[2, r, v] = third


@compiled
def share_rows(a: TupleArrays, firsts: Ints, sentences: Ints, known: Bytes, out: Bytes) -> None:
    """Mark in out[r] the sentences that have content in common with firsts[r]."""
    content_ptr, content_ids = a.content_ptr, a.content_ids
    for r in range(len(firsts)):
        first = firsts[r]
        for t in range(content_ptr[first], content_ptr[first + 1]):
            known[content_ids[t]] = 1
        for v in range(len(sentences)):
            s = sentences[v]
            for t in range(content_ptr[s], content_ptr[s + 1]):
                if known[content_ids[t]]:
                    out[r, v] = 1
                    break
        for t in range(content_ptr[first], content_ptr[first + 1]):
            known[content_ids[t]] = 0


@compiled
def difference_scores(a: TupleArrays, w: Floats, span: int) -> Floats:
    """Score every difference -span … span of positions for every pair of slots."""
    rows = np.zeros((N_PAIRS, 2 * a.reach + 3))
    out = np.empty((N_PAIRS, 2 * span + 1))
    for pair in range(N_PAIRS):
        base = pair * a.block + a.bilinear
        for d in range(2 * a.reach + 3):
            for t in range(a.difference_ptr[d], a.difference_ptr[d + 1]):
                rows[pair, d] += w[base + a.difference_ids[t]]
        for d in range(-span, span + 1):
            out[pair, d + span] = rows[pair, difference_row(a.reach, d)]
    return out


@compiled
def difference_row(reach: int, difference: int) -> int:
    """The row of a difference of positions."""
    return max(-reach - 1, min(reach + 1, difference)) + reach + 1
