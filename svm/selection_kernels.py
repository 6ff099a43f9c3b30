"""Search and features of selection problems.

(One file, because numba keeps the machine code of a kernel for as long as its own file stays the same. Inner
loops take plain arrays: handing over a bundle of arrays costs more than the loop.)

The score of the tuple (i, j, k) is ``head + (tail + last)`` with ``head = P12[i, j] + (u1[i] + u2[j])``,
``tail = P13[i, k] + (u3[k] + size)`` and ``last = P23[j, k]``. With the largest value of each part in its
place, added in the same order, the result is an upper bound even in floating point (rounding keeps the order
of sums). Prefixes are visited from the highest bound down and left out when they cannot win, so that
most of the cube is never seen; what is returned is the same as by naming every tuple, ties included.

Among equal scores the tuple that comes first in lexicographic order wins, no item counting as later than any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bools, Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled, compiled_maximum
from babi_cascade.svm.selection_arrays import SelectionArrays

FIRST, SECOND, THIRD, ANY = range(4)  # blocks of items
ONE_TWO, TWO_THREE, ONE_THREE, NEXT = range(4)  # blocks of pairs
HEAD, LAST, TAIL = range(3)  # parts of a score, in the order of their blocks of pairs

MISS = 1.0 / 3.0  # what one wrong slot costs
NO_ITEM = 1 << 30  # compares as later than any position
START = -1

# Three tables of this many items are 25 MB; of more items, rows are computed when they are needed.
TABLE_LIMIT = 1024


class Scores(NamedTuple):
    """What does not depend on the example, one row a block of weights."""

    item: Floats  # [4, item cases]
    pair: Floats  # [4, pair cases]
    item_difference: Floats  # [4, 2 * span + 1]
    pair_difference: Floats  # [4, 2 * span + 1]


class SharedItems(NamedTuple):
    """The items that neighbouring examples share: their distinct profiles (numbered 0 … V - 1 here)."""

    place: Ints  # [items] number of the profile at each position
    distinct: Ints  # [V] index in the profiles
    vocabulary: Longs  # sorted attributes that occur
    bounds: Longs  # [groups + 1] where each group begins in the vocabulary
    word_ptr: Longs  # [V + 1]
    words: Ints  # attributes of each profile as places in the vocabulary
    tables: Floats  # [V, 3, V] scores of two in slots; empty for many, or if not needed
    links: Bytes  # [V, V] whether two profiles are linked; empty for many, or if they need not be


class Rules(NamedTuple):
    """What may be chosen of one example: candidates, and how they are linked."""

    candidates: Ints  # [m] positions
    place: Ints  # [m] numbers of their profiles, if they have any
    direct: Bytes  # [m] whether they are linked with the query, or need not be


# ---- many examples ---------------------------------------------------------------------------------


@compiled
def search_batch(
    a: SelectionArrays,
    w: Floats,
    examples: Longs,
    gold: Ints,  # [k, L], or [0, L] for a plain search
    exclude: Ints,  # [k, L], or [0, L] to exclude nothing
    labels: Ints,  # [k, L], written; comes as -1
    scores: Floats,  # [k], written
) -> None:
    """Find the best label of each example; neighbours that share their items share tables."""
    fixed = _fixed_scores(a, w, examples)
    number = np.full(len(a.profile_ptr) - 1, -1, np.int32)
    known = np.full(len(a.profile_group), -1, np.int32)
    marks = np.zeros(a.n_links, np.uint8)
    start = 0
    while start < len(examples):
        first = examples[start]
        n = 0
        tuples = False
        stop = start
        while stop < len(examples) and a.profile_start[examples[stop]] == a.profile_start[first]:
            n = max(n, a.n_items[examples[stop]])
            tuples = tuples or not a.chain[examples[stop]]
            stop += 1
        shared = _shared_items(a, w, a.profile_start[first], n, tuples, number, known, marks)
        for r in range(start, stop):
            true = gold[r] if len(gold) else gold[0:0].ravel()
            skip = exclude[r] if len(exclude) else exclude[0:0].ravel()
            if a.chain[examples[r]]:
                scores[r] = _best_chain(a, w, fixed, shared, examples[r], true, skip, labels[r])
            else:
                scores[r] = _best_tuple(
                    a, w, fixed, shared, marks, examples[r], true, skip, labels[r]
                )
        start = stop


@compiled
def _fixed_scores(a: SelectionArrays, w: Floats, examples: Longs) -> Scores:
    """Sum what the searched examples need of cases and differences."""
    item = np.zeros((4, len(a.item_ptr) - 1))
    pair = np.zeros((4, len(a.pair_ptr) - 1))
    used_item = np.zeros(len(a.item_ptr) - 1, np.uint8)
    used_pair = np.zeros(len(a.pair_ptr) - 1, np.uint8)
    tuples = False
    chains = False
    span = 0
    for e in examples:
        n = a.n_items[e]
        span = max(span, n)
        if a.chain[e]:
            chains = True
        else:
            tuples = True
        if a.has_cases:
            for t in range(a.item_start[e], a.item_start[e] + n):
                used_item[a.items[t]] = 1
            for t in range(a.pair_start[e], a.pair_start[e] + n * n):
                used_pair[a.pairs[t]] = 1
    item_difference = np.zeros((4, 2 * span + 1))
    pair_difference = np.zeros((4, 2 * span + 1))
    for block in range(4):
        if (block == ANY and not chains) or (block < ANY and not tuples):
            continue
        of_items = w[block * a.item_block :]
        of_pairs = w[a.pair_base + block * a.pair_block :]
        _sum_cases(a.item_ptr, a.item_ids, of_items, used_item, item[block])
        _sum_cases(a.pair_ptr, a.pair_ids, of_pairs, used_pair, pair[block])
        start = a.n_item_attributes + a.n_products
        _sum_differences(a, of_items[start:], item_difference[block])
        start = a.n_pair_attributes + a.n_products
        _sum_differences(a, of_pairs[start:], pair_difference[block])
    return Scores(item, pair, item_difference, pair_difference)


@compiled
def _sum_cases(ptr: Longs, ids: Ints, w: Floats, used: Bytes, out: Floats) -> None:
    for c in range(len(out)):
        if used[c]:
            total = 0.0
            for t in range(ptr[c], ptr[c + 1]):
                total += w[ids[t]]
            out[c] = total


@compiled
def _sum_differences(a: SelectionArrays, w: Floats, out: Floats) -> None:
    """Score every difference -span … span of positions."""
    span = len(out) // 2
    rows = np.zeros(2 * a.reach + 3)
    for d in range(len(rows)):
        for t in range(a.difference_ptr[d], a.difference_ptr[d + 1]):
            rows[d] += w[a.difference_ids[t]]
    for d in range(-span, span + 1):
        out[d + span] = rows[_difference_row(a.reach, d)]


@compiled
def _difference_row(reach: int, difference: int) -> int:
    return max(-reach - 1, min(reach + 1, difference)) + reach + 1


# ---- profiles: scores of two are sums over pairs of attributes -------------------------------------
# Summing first over the attributes of one profile gives a row over the vocabulary; the score with any other
# profile is then a sum over that profile's attributes alone: two short sums instead of one over all pairs.


@compiled
def _shared_items(
    a: SelectionArrays, w: Floats, first: int, n: int, tuples: bool, number: Ints, known: Ints,
    marks: Bytes,
) -> SharedItems:  # fmt: skip
    """Describe items first … first + n - 1. The last three arrays are scratch, handed back clean."""
    if not a.has_profiles:
        n = 0
    place = np.empty(n, np.int32)
    distinct = np.empty(n, np.int32)
    count = 0
    length = 0
    for t in range(n):
        s = a.profiles[first + t]
        if number[s] < 0:
            number[s] = count
            distinct[count] = s
            count += 1
            length += a.profile_ptr[s + 1] - a.profile_ptr[s]
        place[t] = number[s]
    distinct = distinct[:count]
    for s in distinct:
        number[s] = -1

    found = np.empty(length, np.int64)
    size = 0
    for s in distinct:
        for t in range(a.profile_ptr[s], a.profile_ptr[s + 1]):
            p = a.profile_ids[t]
            if known[p] < 0:
                known[p] = 0
                found[size] = p
                size += 1
    vocabulary = np.sort(found[:size])  # ids of one group are neighbours, so groups stay together
    bounds = np.zeros(a.n_groups + 1, np.int64)
    for q in range(size):
        known[vocabulary[q]] = q
        bounds[a.profile_group[vocabulary[q]] + 1] += 1
    for g in range(a.n_groups):
        bounds[g + 1] += bounds[g]

    word_ptr = np.zeros(count + 1, np.int64)
    words = np.empty(length, np.int32)
    at = 0
    for v in range(count):
        s = distinct[v]
        for t in range(a.profile_ptr[s], a.profile_ptr[s + 1]):
            words[at] = known[a.profile_ids[t]]
            at += 1
        word_ptr[v + 1] = at
    for p in vocabulary:
        known[p] = -1

    few = tuples and count <= TABLE_LIMIT
    tables = np.empty((count if few else 0, 3, count))
    links = np.zeros((count if few and a.must_link else 0, count), np.uint8)
    _link_rows(a, distinct[: len(links)], distinct, marks, links)
    shared = SharedItems(place, distinct, vocabulary, bounds, word_ptr, words, tables, links)
    if few:
        _product_rows(a, w, shared, True, ONE_TWO, distinct, tables)
    return shared


@compiled
def _product_rows(
    a: SelectionArrays,
    w: Floats,
    shared: SharedItems,
    of_pairs: bool,
    block: int,
    firsts: Ints,
    out: Floats,
) -> None:
    """Score several profiles with every profile of the shared items: out[firsts, 3, V].

    Three blocks at a time: the three slots (or pairs of them), or three times that of a chain.
    """
    attribute_ptr, attribute_ids = a.profile_ptr, a.profile_ids
    attribute_group, start = a.profile_group, a.product_start
    vocabulary, bounds = shared.vocabulary, shared.bounds
    word_ptr, words = shared.word_ptr, shared.words
    step = a.pair_block if of_pairs else a.item_block
    base = a.pair_base + a.n_pair_attributes if of_pairs else a.n_item_attributes
    base += block * step
    if block == ANY:
        step = 0
    one = w[base : base + a.n_products]
    two = w[base + step : base + step + a.n_products]
    three = w[base + 2 * step : base + 2 * step + a.n_products]
    row = np.empty((len(vocabulary), 3))
    for r in range(len(firsts)):
        s = firsts[r]
        row[:] = 0.0
        for t in range(attribute_ptr[s], attribute_ptr[s + 1]):
            p = attribute_ids[t]
            g = attribute_group[p]
            own = start[p]
            for q in range(bounds[g], bounds[g + 1]):
                f = own + vocabulary[q]
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
            out[r, 0, v] = first
            out[r, 1, v] = second
            out[r, 2, v] = third


@compiled
def _link_rows(a: SelectionArrays, firsts: Ints, distinct: Ints, marks: Bytes, out: Bytes) -> None:
    """Mark in out[r] the profiles that are linked with firsts[r]; ``marks`` is scratch of zeros."""
    ptr, ids = a.link_ptr, a.link_ids
    for r in range(len(firsts)):
        out[r] = 0
        first = firsts[r]
        for t in range(ptr[first], ptr[first + 1]):
            marks[ids[t]] = 1
        for v in range(len(distinct)):
            s = distinct[v]
            for t in range(ptr[s], ptr[s + 1]):
                if marks[ids[t]]:
                    out[r, v] = 1
                    break
        for t in range(ptr[first], ptr[first + 1]):
            marks[ids[t]] = 0


# ---- scores of one example -------------------------------------------------------------------------


@compiled
def _unary(
    a: SelectionArrays, w: Floats, fixed: Scores, shared: SharedItems, e: int, candidates: Ints
) -> Floats:
    """Scores of candidates alone [3, m]: in the three slots, or three times as any item of a chain."""
    chain = a.chain[e] != 0
    n = a.n_items[e]
    span = fixed.item_difference.shape[1] // 2
    out = np.zeros((3, len(candidates)))
    if a.has_cases:
        for slot in range(3):
            table = fixed.item[ANY if chain else slot]
            for c in range(len(candidates)):
                out[slot, c] = table[a.items[a.item_start[e] + candidates[c]]]
    if a.has_profiles:
        rows = np.empty((1, 3, len(shared.distinct)))
        _product_rows(a, w, shared, False, ANY if chain else FIRST, a.query[e : e + 1], rows)
        for slot in range(3):
            for c in range(len(candidates)):
                out[slot, c] += rows[0, slot, shared.place[candidates[c]]]
    for slot in range(3):
        table = fixed.item_difference[ANY if chain else slot]
        for c in range(len(candidates)):
            out[slot, c] += table[n - candidates[c] + span]
    return out


@compiled
def _pair_rows(
    candidates: Ints,
    place: Ints,
    c: int,
    difference: Floats,  # [4, 2 * span + 1]
    products: Floats,  # [3, V] of the profile of c; empty if there are none
    scores: Floats,  # [4, pair cases]
    cases: Ints,  # [n] of the pairs that begin with c; empty if there are none
    out: Floats,
) -> None:
    """Scores of candidate c before every candidate, out[3, m], in the three pairs of slots."""
    at = candidates[c] + difference.shape[1] // 2
    for block in range(3):
        row, table = out[block], difference[block]
        if products.shape[1]:
            product = products[block]
            for d in range(len(candidates)):
                row[d] = product[place[d]] + table[at - candidates[d]]
        else:
            for d in range(len(candidates)):
                row[d] = table[at - candidates[d]]
        if len(cases):
            table = scores[block]
            for d in range(len(candidates)):
                row[d] += table[cases[candidates[d]]]
        row[c] = -np.inf  # items are distinct


@compiled
def _size_scores(a: SelectionArrays, w: Floats, e: int) -> Floats:
    """Scores of 0 … 3 items, whether they may be chosen or not."""
    out = np.zeros(4)
    kind = a.size_kind[e] if a.size_kind[e] >= 0 else len(a.sizes) - 1
    for size in range(4):
        for t in range(a.size_ptr[4 * kind + size], a.size_ptr[4 * kind + size + 1]):
            out[size] += w[a.size_base + a.size_ids[t]]
    return out


# ---- tuples ----------------------------------------------------------------------------------------


@compiled
def _best_tuple(
    a: SelectionArrays,
    w: Floats,
    fixed: Scores,
    shared: SharedItems,
    marks: Bytes,
    e: int,
    gold: Ints,
    skip: Ints,
    label: Ints,
) -> float:
    rules = _rules(a, shared, marks, e)
    unary = _unary(a, w, fixed, shared, e, rules.candidates)
    sizes = _size_scores(a, w, e)
    empty = np.zeros(3)
    if len(gold):
        for slot in range(3):
            empty[slot] = MISS if gold[slot] >= 0 else 0.0
            for c in range(len(rules.candidates)):
                if gold[slot] != rules.candidates[c]:
                    unary[slot, c] += MISS
    left = np.full(3, -2, np.int64)  # what is left out, as numbers of candidates
    for slot in range(min(3, len(skip))):
        left[slot] = NO_ITEM if skip[slot] < 0 else -2
        for c in range(len(rules.candidates)):
            if rules.candidates[c] == skip[slot]:
                left[slot] = c
    best = np.full(3, NO_ITEM, np.int64)
    top = _search_sizes(a, w, fixed, shared, marks, e, rules, unary, empty, sizes, left, best)
    if top == -np.inf and not _is(left, NO_ITEM, NO_ITEM, NO_ITEM):
        nothing = np.full(3, -2, np.int64)
        if not len(skip) or -np.inf == _search_sizes(
            a, w, fixed, shared, marks, e, rules, unary, empty, sizes, nothing, best
        ):
            top = ((empty[0] + empty[1]) + empty[2]) + sizes[0]  # nothing may be chosen
        best[:] = NO_ITEM
    if top > -np.inf:
        for slot in range(3):
            label[slot] = -1 if best[slot] == NO_ITEM else rules.candidates[best[slot]]
    return top


@compiled
def _rules(a: SelectionArrays, shared: SharedItems, marks: Bytes, e: int) -> Rules:
    """Candidates are the items that are linked with the query or with any other item, if they must be."""
    n = a.n_items[e]
    candidates = np.arange(n).astype(np.int32)
    direct = np.ones(n, np.uint8)
    if not a.must_link:
        return Rules(candidates, shared.place[:n] if a.has_profiles else candidates, direct)
    count = len(shared.distinct)
    asked = np.zeros((1, count), np.uint8)
    _link_rows(a, a.query[e : e + 1], shared.distinct, marks, asked)
    distinct, links = shared.distinct, shared.links
    linked = np.zeros((1, count), np.uint8)
    times = np.zeros(count, np.int32)  # how often each profile stands among the items
    for t in range(n):
        times[shared.place[t]] += 1
    m = 0
    for t in range(n):
        v = shared.place[t]
        keep = asked[0, v] != 0
        if not keep:
            if not len(links):
                _link_rows(a, distinct[v : v + 1], distinct, marks, linked)
            near = links[v] if len(links) else linked[0]
            for u in range(count):
                if near[u] and times[u] > (1 if u == v else 0):
                    keep = True
                    break
        if keep:
            candidates[m] = t
            direct[m] = asked[0, v]
            m += 1
    return Rules(candidates[:m], shared.place[candidates[:m]], direct[:m])


@compiled
def _search_sizes(
    a: SelectionArrays,
    w: Floats,
    fixed: Scores,
    shared: SharedItems,
    marks: Bytes,
    e: int,
    rules: Rules,
    unary: Floats,
    empty: Floats,
    sizes: Floats,
    left: Longs,
    best: Longs,
) -> float:
    """Find the best tuple of candidates, write their numbers to ``best`` and return the score.

    ``best`` comes as three times NO_ITEM and stays so, with a score of -inf, where nothing is allowed.
    """
    allowed = a.sizes[a.size_kind[e]]
    top = -np.inf
    if allowed[0] and not _is(left, NO_ITEM, NO_ITEM, NO_ITEM):
        top = ((empty[0] + empty[1]) + empty[2]) + sizes[0]
    if allowed[1]:
        for c in range(len(rules.candidates)):
            total = ((unary[0, c] + empty[1]) + empty[2]) + sizes[1]
            if total < top or not rules.direct[c]:
                continue
            wins = total > top or _before(c, NO_ITEM, NO_ITEM, best)
            if wins and not _is(left, c, NO_ITEM, NO_ITEM):
                top = total
                best[0], best[1], best[2] = c, NO_ITEM, NO_ITEM
    if len(rules.candidates) > 1 and (allowed[2] or allowed[3]):
        third = empty[2] + sizes[2] if allowed[2] else -np.inf
        triples = allowed[3] != 0 and len(rules.candidates) > 2
        return _pairs_and_triples(
            a, w, fixed, shared, marks, e, rules, unary, third, sizes[3], triples, left, best, top
        )
    return top


@compiled
def _pairs_and_triples(
    a: SelectionArrays,
    w: Floats,
    fixed: Scores,
    shared: SharedItems,
    marks: Bytes,
    e: int,
    rules: Rules,
    unary: Floats,
    no_third: float,  # score of the empty third slot, -inf where two items may not be chosen
    size: float,  # score of three items
    triples: bool,
    left: Longs,
    best: Longs,
    top: float,
) -> float:
    candidates, place, direct = rules
    distinct, links = shared.distinct, shared.links
    m = len(candidates)
    n = np.int64(a.n_items[e])
    few = m <= TABLE_LIMIT
    pairs = (
        a.pairs[a.pair_start[e] : a.pair_start[e] + n * n].reshape(n, n)
        if a.has_cases
        else (a.pairs[0:0].reshape(n, 0))
    )
    scratch = np.empty((1, 3, 0 if len(shared.tables) else len(distinct)))
    products = shared.tables if len(shared.tables) else scratch
    table = np.empty((m if few else 2, 3, m))  # head, last and tail; of many, two rows at a time
    linked = np.zeros((2, len(distinct)), np.uint8)
    last_top = np.full(m, -np.inf)
    tail_top = np.full(m, -np.inf)
    bound = np.empty(m)
    # Of many items every row is made three times: for the largest values, the bounds, and the triples.
    for turn in range(1 if few or not triples else 2):
        for i in range(m):
            row = table[i if few else 0]
            v = place[i] if len(shared.tables) else 0
            if scratch.shape[2]:
                _product_rows(
                    a, w, shared, True, ONE_TWO, distinct[place[i] : place[i] + 1], scratch
                )
            _pair_rows(candidates, place, i, fixed.pair_difference, products[v], fixed.pair,
                       pairs[candidates[i]], row)  # fmt: skip
            _add_unary(unary, i, size, row)
            if turn == 1:
                bound[i] = _bound(row[HEAD], tail_top[i], last_top)
                continue
            if triples:
                last_top[i] = _maximum(row[LAST])
                tail_top[i] = _maximum(row[TAIL])
            if no_third > -np.inf:
                if a.must_link and not len(links):
                    _link_rows(a, distinct[place[i] : place[i] + 1], distinct, marks, linked[:1])
                near = links[place[i]] if len(links) else linked[0]
                top = _pairs(i, row[HEAD], no_third, direct, near, place, left, best, top)
    if not triples:
        return top
    if few:
        for i in range(m):
            bound[i] = _bound(table[i, HEAD], tail_top[i], last_top)

    for i in np.argsort(-bound, kind="mergesort"):
        if bound[i] < top or bound[i] == -np.inf:
            break
        if bound[i] == top and i > best[0]:
            continue
        row = table[i if few else 0]
        if not few:
            v = place[i] if len(shared.tables) else 0
            if scratch.shape[2]:
                _product_rows(
                    a, w, shared, True, ONE_TWO, distinct[place[i] : place[i] + 1], scratch
                )
            _pair_rows(candidates, place, i, fixed.pair_difference, products[v], fixed.pair,
                       pairs[candidates[i]], row)  # fmt: skip
            _add_unary(unary, i, size, row)
        if a.must_link and not len(links):
            _link_rows(a, distinct[place[i] : place[i] + 1], distinct, marks, linked[:1])
        near = links[place[i]] if len(links) else linked[0]
        start = _most_promising(row[HEAD], last_top)
        for step in range(m):
            j = start + step if start + step < m else start + step - m
            limit = row[HEAD, j] + (tail_top[i] + last_top[j])
            if limit < top or j == i or limit == -np.inf:
                continue
            if limit == top and (i > best[0] or (i == best[0] and j > best[1])):
                continue
            other = table[j if few else 1]
            if not few:
                v = place[j] if len(shared.tables) else 0
                if scratch.shape[2]:
                    _product_rows(
                        a, w, shared, True, ONE_TWO, distinct[place[j] : place[j] + 1], scratch
                    )
                _pair_rows(candidates, place, j, fixed.pair_difference, products[v], fixed.pair,
                           pairs[candidates[j]], other)  # fmt: skip
            if a.must_link and not len(links):
                _link_rows(a, distinct[place[j] : place[j] + 1], distinct, marks, linked[1:])
            near_too = links[place[j]] if len(links) else linked[1]
            total, k = _scan(
                i, j, row[HEAD, j], row[TAIL], other[LAST], direct, near, near_too, place, left, top
            )
            if total > -np.inf and (total > top or (total == top and _before(i, j, k, best))):
                top = total
                best[0], best[1], best[2] = i, j, k
    return top


@compiled
def _add_unary(unary: Floats, i: int, size: float, row: Floats) -> None:
    """Complete the rows of candidate i."""
    for c in range(row.shape[1]):
        row[HEAD, c] += unary[0, i] + unary[1, c]
        row[TAIL, c] += unary[2, c] + size


@compiled_maximum
def _bound(head: Floats, tail_top: float, last_top: Floats) -> float:
    top = -np.inf
    for j in range(len(head)):
        top = max(top, head[j] + (tail_top + last_top[j]))
    return top


@compiled_maximum
def _maximum(values: Floats) -> float:
    top = -np.inf
    for value in values:
        top = max(top, value)
    return top


@compiled
def _most_promising(head: Floats, last_top: Floats) -> int:
    start = 0
    for j in range(len(head)):
        if head[j] + last_top[j] > head[start] + last_top[start]:
            start = j
    return start


@compiled
def _pairs(
    i: int,
    head: Floats,
    no_third: float,
    direct: Bytes,
    linked: Bytes,
    place: Ints,
    left: Longs,
    best: Longs,
    top: float,
) -> float:
    """Consider the pairs that begin with i."""
    for j in range(len(head)):
        total = head[j] + no_third
        if total < top or j == i:
            continue
        if not ((direct[i] and direct[j]) or linked[place[j]]):
            continue
        wins = total > top or _before(i, j, NO_ITEM, best)
        if wins and not _is(left, i, j, NO_ITEM):
            top = total
            best[0], best[1], best[2] = i, j, NO_ITEM
    return top


@compiled_maximum
def _scan(
    i: int,
    j: int,
    head: float,
    tail: Floats,
    last: Floats,
    direct: Bytes,
    near: Bytes,  # [V] linked with i
    near_too: Bytes,  # [V] linked with j
    place: Ints,
    left: Longs,
    floor: float,
) -> tuple[float, int]:
    """The best third item after i and j and its total; nothing that is under the floor matters."""
    top = -np.inf
    where = 0
    special = left[0] == i and left[1] == j
    settled = direct[i] and direct[j]  # i and j need no third item to be allowed
    for k in range(len(tail)):
        total = head + (tail[k] + last[k])
        if total < floor or total <= top or (special and left[2] == k):
            continue
        if not (settled and direct[k]):
            to_i = near[place[k]]
            to_j = near_too[place[k]]
            together = settled or near[place[j]]
            others = together or ((direct[i] or to_i) and (direct[j] or to_j))
            if not (others and (direct[k] or to_i or to_j)):
                continue
        top = total
        where = k
    return top, where


@compiled
def _before(i: int, j: int, k: int, best: Longs) -> bool:
    if i != best[0]:
        return bool(i < best[0])
    if j != best[1]:
        return bool(j < best[1])
    return bool(k < best[2])


@compiled
def _is(left: Longs, i: int, j: int, k: int) -> bool:
    return bool(left[0] == i and left[1] == j and left[2] == k)


# ---- chains ----------------------------------------------------------------------------------------
# A chain scores the sum of its items and of its neighbours. The best chain that ends in item j is j with the
# best chain that ends before it, so all chains, of any length, are compared in n² steps. To leave one
# chain out, two values are kept for every item: chains that have left the excluded one already, and
# the prefix of the excluded chain itself.


@compiled
def _best_chain(
    a: SelectionArrays,
    w: Floats,
    fixed: Scores,
    shared: SharedItems,
    e: int,
    gold: Ints,
    skip: Ints,
    label: Ints,
) -> float:
    """Write the best chain of at least one item (none where there is no item); return its score.

    ``gold`` and ``skip`` are chains padded with -1, or empty for a plain search and to leave out
    nothing. Of equal scores the same chain is found always: without ``skip`` the one whose
    last item comes first, and so on backwards.
    """
    n = a.n_items[e]
    every = np.arange(n).astype(np.int32)
    own = _unary(a, w, fixed, shared, e, every)[0]
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
    free = own.copy()  # best chain that ends here and has left the excluded one
    back = np.full(n, START, np.int32)
    from_prefix = np.zeros(n, np.uint8)
    if excluded and n:
        prefix[skip[0]] = own[skip[0]]
        free[skip[0]] = -np.inf
    links = np.empty(n)
    scratch = np.empty((1, 3, len(shared.distinct)))
    for i in range(n):
        _neighbours(a, w, fixed, shared, e, i, scratch, links)
        for j in range(i + 1, n):
            link = links[j] + own[j]
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


@compiled
def _neighbours(
    a: SelectionArrays, w: Floats, fixed: Scores, shared: SharedItems, e: int, i: int, scratch: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Scores of item i right before every later item of a chain."""
    n = len(out)
    span = fixed.pair_difference.shape[1] // 2
    out[:] = 0.0
    if a.has_cases:
        own = a.pair_start[e] + i * np.int64(n)
        for j in range(i + 1, n):
            out[j] = fixed.pair[NEXT, a.pairs[own + j]]
    if a.has_profiles:
        v = shared.place[i]
        _product_rows(a, w, shared, True, NEXT, shared.distinct[v : v + 1], scratch)
        for j in range(i + 1, n):
            out[j] += scratch[0, 0, shared.place[j]]
    for j in range(i + 1, n):
        out[j] += fixed.pair_difference[NEXT, i - j + span]


# ---- labels ----------------------------------------------------------------------------------------


@compiled
def may_be_chosen(a: SelectionArrays, examples: Longs, labels: Ints) -> Bools:
    """Whether a search could return these labels: distinct items, as many as may be, linked."""
    out = np.ones(len(examples), np.bool_)
    for r in range(len(examples)):
        e = examples[r]
        label = labels[r]
        size = 0
        while size < len(label) and label[size] >= 0:
            size += 1
        if a.chain[e]:
            out[r] = size > 0
            continue
        out[r] = a.sizes[a.size_kind[e], size] != 0
        for p in range(size):
            needs = a.must_link and not _share(
                a, a.query[e], a.profiles[a.profile_start[e] + label[p]]
            )
            for q in range(size):
                if q == p:
                    continue
                if label[p] == label[q]:
                    out[r] = False
                elif needs:
                    one = a.profiles[a.profile_start[e] + label[p]]
                    other = a.profiles[a.profile_start[e] + label[q]]
                    needs = not _share(a, one, other)
            if needs:
                out[r] = False
    return out


@compiled
def _share(a: SelectionArrays, one: int, other: int) -> bool:
    for s in range(a.link_ptr[one], a.link_ptr[one + 1]):
        for t in range(a.link_ptr[other], a.link_ptr[other + 1]):
            if a.link_ids[s] == a.link_ids[t]:
                return True
    return False


@compiled
def selection_features(a: SelectionArrays, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
    """Features of labels[r] for examples[r]: counted first, then written."""
    ptr = np.zeros(len(examples) + 1, np.int64)
    for r in range(len(examples)):
        ptr[r + 1] = ptr[r] + _write(a, examples[r], labels[r], np.empty(0, np.int32), False)
    ids = np.empty(ptr[-1], np.int32)
    for r in range(len(examples)):
        _write(a, examples[r], labels[r], ids[ptr[r] : ptr[r + 1]], True)
    return ptr, ids


@compiled
def _write(a: SelectionArrays, e: int, label: Ints, out: Ints, write: bool) -> int:
    n = a.n_items[e]
    chain = a.chain[e] != 0
    size = 0
    while size < len(label) and label[size] >= 0:
        size += 1
    count = 0
    for p in range(size):
        i = label[p]
        start = (ANY if chain else p) * a.item_block
        if a.has_cases:
            case = a.items[a.item_start[e] + i]
            count = _copy(a.item_ptr, a.item_ids, case, start, out, count, write)
        start += a.n_item_attributes
        if a.has_profiles:
            other = a.profiles[a.profile_start[e] + i]
            count = _products(a, a.query[e], other, start, out, count, write)
        row = _difference_row(a.reach, n - i)
        start += a.n_products
        count = _copy(a.difference_ptr, a.difference_ids, row, start, out, count, write)
    for p in range(size - 1):
        for q in range(p + 1, size):
            if chain and q > p + 1:
                break
            block = p if q == p + 1 else ONE_THREE
            i = label[p]
            j = label[q]
            start = a.pair_base + (NEXT if chain else block) * a.pair_block
            if a.has_cases:
                case = a.pairs[a.pair_start[e] + i * np.int64(n) + j]
                count = _copy(a.pair_ptr, a.pair_ids, case, start, out, count, write)
            start += a.n_pair_attributes
            if a.has_profiles:
                first = a.profiles[a.profile_start[e] + i]
                second = a.profiles[a.profile_start[e] + j]
                count = _products(a, first, second, start, out, count, write)
            row = _difference_row(a.reach, i - j)
            start += a.n_products
            count = _copy(a.difference_ptr, a.difference_ids, row, start, out, count, write)
    if not chain:
        kind = a.size_kind[e] if a.size_kind[e] >= 0 else len(a.sizes) - 1
        count = _copy(a.size_ptr, a.size_ids, 4 * kind + size, a.size_base, out, count, write)
    return count


@compiled
def _copy(ptr: Longs, ids: Ints, case: int, start: int, out: Ints, count: int, write: bool) -> int:
    for t in range(ptr[case], ptr[case + 1]):
        if write:
            out[count] = start + ids[t]
        count += 1
    return count


@compiled
def _products(
    a: SelectionArrays, one: int, other: int, start: int, out: Ints, count: int, write: bool
) -> int:
    """Every attribute of one profile with every attribute of the same group of the other."""
    begin = a.profile_ptr[other]
    for t in range(a.profile_ptr[one], a.profile_ptr[one + 1]):
        p = a.profile_ids[t]
        g = a.profile_group[p]
        for u in range(begin, a.profile_ptr[other + 1]):
            q = a.profile_ids[u]
            if a.profile_group[q] < g:
                begin = u + 1  # sorted: no later attribute of the first looks back
                continue
            if a.profile_group[q] > g:
                break
            if write:
                out[count] = start + a.product_start[p] + q
            count += 1
    return count


@compiled
def selection_losses(chain: Bytes, gold: Ints, labels: Ints) -> Floats:
    """A third for each slot that differs (tuple), for each item in only one of both (chain)."""
    out = np.zeros(len(labels))
    width = labels.shape[1]
    for r in range(len(labels)):
        wrong = 0
        if not chain[r]:
            for slot in range(3):
                if gold[r, slot] != labels[r, slot]:
                    wrong += 1
        else:
            p = 0
            q = 0
            while (p < width and gold[r, p] >= 0) or (q < width and labels[r, q] >= 0):
                one = gold[r, p] if p < width and gold[r, p] >= 0 else NO_ITEM
                two = labels[r, q] if q < width and labels[r, q] >= 0 else NO_ITEM
                if one == two:
                    p += 1
                    q += 1
                else:
                    wrong += 1
                    if one < two:
                        p += 1
                    else:
                        q += 1
        out[r] = MISS * wrong
    return out
