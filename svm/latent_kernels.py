"""Kernels of the log-linear model with a hidden choice: one pass over examples, and what it says of them.

(One file, because numba keeps the machine code of a kernel for as long as its own file stays the same.)

An example has candidate choices of up to three items and one or more parts of an answer. A choice is scored by
its items and pairs of items; the candidates of a part (texts) by what the chosen items say, added up.
"""

from __future__ import annotations

import numpy as np

from babi_cascade.svm.arrays import Bools, Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.latent_arrays import SLOTS, LatentArrays

UNREACHED = -7.0
"""Log-probability of an answer that no candidate text of a choice is."""

NEGLIGIBLE = 1e-4
"""Choices with less responsibility are left out of the gradient of the answer."""

HOPELESS = -25.0
"""A choice so much less probable than the best needs no answer looked at."""


@compiled
def choice_scores(a: LatentArrays, w: Floats, e: int, cost: float, out: Floats) -> None:
    """Log-probability of each choice of an example."""
    n = a.n_items[e]
    best = -np.inf
    count = a.first[e + 1] - a.first[e]
    for c in range(count):
        row = a.first[e] + c
        score = 0.0
        for s in range(SLOTS):
            i = a.choices[row, s]
            if i < 0:
                break
            score += cost
            base = s * a.n_item_attributes
            case = a.item_case[a.item_start[e] + i]
            for t in range(a.item_ptr[case], a.item_ptr[case + 1]):
                score += w[base + a.item_ids[t]]
            for p in range(s):
                block = SLOTS * a.n_item_attributes + (p + s - 1) * a.n_pair_attributes
                case = a.pair_case[a.pair_start[e] + a.choices[row, p] * n + i]
                for t in range(a.pair_ptr[case], a.pair_ptr[case + 1]):
                    score += w[block + a.pair_ids[t]]
        out[c] = score
        best = max(best, score)
    total = 0.0
    for c in range(count):
        total += np.exp(out[c] - best)
    normal = best + np.log(total)
    for c in range(count):
        out[c] -= normal


@compiled
def _add_choice(
    a: LatentArrays, e: int, c: int, amount: float, grad: Floats, touched: Ints, n_touched: int
) -> int:
    """Add the features of a choice to a gradient; return how many of its places are not 0."""
    n = a.n_items[e]
    row = a.first[e] + c
    for s in range(SLOTS):
        i = a.choices[row, s]
        if i < 0:
            break
        base = s * a.n_item_attributes
        case = a.item_case[a.item_start[e] + i]
        for t in range(a.item_ptr[case], a.item_ptr[case + 1]):
            f = base + a.item_ids[t]
            if grad[f] == 0.0:
                touched[n_touched] = f
                n_touched += 1
            grad[f] += amount
        for p in range(s):
            block = SLOTS * a.n_item_attributes + (p + s - 1) * a.n_pair_attributes
            case = a.pair_case[a.pair_start[e] + a.choices[row, p] * n + i]
            for t in range(a.pair_ptr[case], a.pair_ptr[case + 1]):
                f = block + a.pair_ids[t]
                if grad[f] == 0.0:
                    touched[n_touched] = f
                    n_touched += 1
                grad[f] += amount
    return n_touched


@compiled
def _contexts(a: LatentArrays, e: int, row: int, part: int, out: Ints) -> int:
    """Write the contexts of a choice for one part; return how many there are."""
    n = a.n_items[e]
    size = 0
    while size < SLOTS and a.choices[row, size] >= 0:
        size += 1
    count = 0
    base = (a.kind[e] * (SLOTS + 1) + size) * a.n_part_rows + part
    for t in range(a.base_ptr[base], a.base_ptr[base + 1]):
        out[count] = a.base_ids[t]
        count += 1
    for s in range(size):
        i = a.choices[row, s]
        at = (a.told[a.item_start[e] + i] * SLOTS + s) * a.n_part_rows + part
        for t in range(a.told_ptr[at], a.told_ptr[at + 1]):
            out[count] = a.told_ids[t]
            count += 1
        if s + 1 < size:
            case = a.pair_case[a.pair_start[e] + i * n + a.choices[row, s + 1]]
            at = (case * 2 + s) * a.n_part_rows + part
            for t in range(a.next_ptr[at], a.next_ptr[at + 1]):
                out[count] = a.next_ids[t]
                count += 1
    return count


@compiled
def _text_scores(
    a: LatentArrays,
    w: Floats,
    e: int,
    row: int,
    q: int,  # number of the part
    contexts: Ints,
    score: Floats,  # [texts], written where listed
    named: Bytes,  # [texts], 0 comes and goes
    texts: Ints,  # written
) -> tuple[int, int]:
    """Score the candidate texts of a part; return the numbers of contexts and of texts."""
    part = a.part_row[q]
    n_contexts = _contexts(a, e, row, part, contexts)
    count = 0
    start = a.kind[e] * a.n_part_rows + part
    for t in range(a.known_ptr[start], a.known_ptr[start + 1]):
        x = a.known_texts[t]
        texts[count] = x
        count += 1
        score[x] = 0.0
        named[x] = 1
    if part == 0:
        for s in range(SLOTS):
            i = a.choices[row, s]
            if i < 0:
                break
            at = a.told[a.item_start[e] + i] * SLOTS + s
            for t in range(a.copy_ptr[at], a.copy_ptr[at + 1]):
                x = a.copy_texts[t]
                if named[x] == 0:
                    texts[count] = x
                    count += 1
                    score[x] = 0.0
                named[x] = 2
        for s in range(SLOTS):
            i = a.choices[row, s]
            if i < 0:
                break
            at = a.told[a.item_start[e] + i] * SLOTS + s
            for t in range(a.copy_ptr[at], a.copy_ptr[at + 1]):
                if a.copy_ids[t] >= 0:
                    score[a.copy_texts[t]] += w[a.copy_ids[t]]
        for t in range(a.asked_ptr[e], a.asked_ptr[e + 1]):
            if named[a.asked_texts[t]]:
                score[a.asked_texts[t]] += w[a.asked_ids[t]]
    for k in range(count):
        x = texts[k]
        if part == 0 and named[x] == 1 and a.nowhere >= 0:
            score[x] += w[a.nowhere]
        if x < a.n_classes:
            total = 0.0
            for t in range(n_contexts):
                total += w[a.n_copies + np.int64(contexts[t]) * a.n_classes + x]
            score[x] += total
    return n_contexts, count


@compiled
def _logsum(score: Floats, texts: Ints, count: int) -> float:
    best = -np.inf
    for k in range(count):
        best = max(best, score[texts[k]])
    total = 0.0
    for k in range(count):
        total += np.exp(score[texts[k]] - best)
    return best + np.log(total)


@compiled
def _answer_score(
    a: LatentArrays, w: Floats, e: int, row: int,
    contexts: Ints, score: Floats, named: Bytes, texts: Ints,
) -> float:  # fmt: skip
    """Log-probability of the true answer, given a choice."""
    total = 0.0
    for q in range(a.part_first[e], a.part_first[e + 1]):
        _, count = _text_scores(a, w, e, row, q, contexts, score, named, texts)
        x = a.true[q]
        if x < 0 or count == 0 or named[x] == 0:
            total += UNREACHED
        else:
            total += score[x] - _logsum(score, texts, count)
        for k in range(count):
            named[texts[k]] = 0
    return total


@compiled
def _add_answer(
    a: LatentArrays, w: Floats, e: int, row: int, amount: float,
    contexts: Ints, score: Floats, named: Bytes, texts: Ints,
    grad: Floats, touched: Ints, n_touched: int,
) -> int:  # fmt: skip
    """Add the gradient of the log-probability of the true answer."""
    for q in range(a.part_first[e], a.part_first[e + 1]):
        n_contexts, count = _text_scores(a, w, e, row, q, contexts, score, named, texts)
        true = a.true[q]
        if true >= 0 and count > 0 and named[true] != 0:
            normal = _logsum(score, texts, count)
            for k in range(count):
                x = texts[k]
                by = amount * ((1.0 if x == true else 0.0) - np.exp(score[x] - normal))
                score[x] = by
                if x < a.n_classes:
                    for t in range(n_contexts):
                        f = a.n_copies + np.int64(contexts[t]) * a.n_classes + x
                        if grad[f] == 0.0:
                            touched[n_touched] = f
                            n_touched += 1
                        grad[f] += by
                if a.part_row[q] == 0 and named[x] == 1 and a.nowhere >= 0:
                    if grad[a.nowhere] == 0.0:
                        touched[n_touched] = a.nowhere
                        n_touched += 1
                    grad[a.nowhere] += by
            if a.part_row[q] == 0:
                for s in range(SLOTS):
                    i = a.choices[row, s]
                    if i < 0:
                        break
                    at = a.told[a.item_start[e] + i] * SLOTS + s
                    for t in range(a.copy_ptr[at], a.copy_ptr[at + 1]):
                        f = a.copy_ids[t]
                        if f >= 0:
                            if grad[f] == 0.0:
                                touched[n_touched] = f
                                n_touched += 1
                            grad[f] += score[a.copy_texts[t]]
                for t in range(a.asked_ptr[e], a.asked_ptr[e + 1]):
                    if named[a.asked_texts[t]]:
                        f = a.asked_ids[t]
                        if grad[f] == 0.0:
                            touched[n_touched] = f
                            n_touched += 1
                        grad[f] += score[a.asked_texts[t]]
        for k in range(count):
            named[texts[k]] = 0
    return n_touched


@compiled
def _step(
    w: Floats, squares: Floats, grad: Floats, touched: Ints, n_touched: int, rate: float, decay: float
) -> None:
    """One step of Adagrad upwards at the places that are touched, which are 0 afterwards."""
    for t in range(n_touched):
        f = touched[t]
        if grad[f] == 0.0:  # listed twice, or cancelled out
            continue
        g = grad[f] - decay * w[f]
        squares[f] += g * g
        w[f] += rate * g / (np.sqrt(squares[f]) + 1e-8)
        grad[f] = 0.0


@compiled
def learn_pass(
    a: LatentArrays, order: Longs, beta: float, cost: float, rate: float, decay: float,
    w: Floats, squares: Floats, v: Floats, v_squares: Floats, room: int,
) -> None:  # fmt: skip
    """One pass over the examples: ``w`` are the weights of choices, ``v`` those of answers."""
    most = 1
    for e in order:
        most = max(most, a.first[e + 1] - a.first[e])
    prior, r = np.empty(most), np.empty(most)
    contexts = np.empty(room, np.int32)
    score, named = np.zeros(a.n_texts), np.zeros(a.n_texts, np.uint8)
    texts = np.empty(a.n_texts, np.int32)
    grad, v_grad = np.zeros(len(w)), np.zeros(len(v))
    touched, v_touched = np.empty(8 * len(w) + 8, np.int32), np.empty(8 * len(v) + 8, np.int32)
    for e in order:
        count = a.first[e + 1] - a.first[e]
        choice_scores(a, w, e, cost, prior)
        responsibilities(a, v, e, beta, prior, r, contexts, score, named, texts)
        n_touched = 0
        n_answers = 0
        for c in range(count):
            by = r[c] - np.exp(prior[c])
            if abs(by) > 1e-9:
                n_touched = _add_choice(a, e, c, by, grad, touched, n_touched)
                if n_touched > 4 * len(w):  # places that were cancelled out are listed again
                    n_touched = _once(grad, touched, n_touched)
            if r[c] > NEGLIGIBLE:
                n_answers = _add_answer(
                    a, v, e, a.first[e] + c, r[c], contexts, score, named, texts,
                    v_grad, v_touched, n_answers,
                )  # fmt: skip
                if n_answers > 4 * len(v):
                    n_answers = _once(v_grad, v_touched, n_answers)
        _step(w, squares, grad, touched, n_touched, rate, decay)
        _step(v, v_squares, v_grad, v_touched, n_answers, rate, decay)


@compiled
def _once(grad: Floats, touched: Ints, n_touched: int) -> int:
    """List every place once."""
    seen = np.zeros(len(grad), np.uint8)
    kept = 0
    for t in range(n_touched):
        f = touched[t]
        if not seen[f]:
            seen[f] = 1
            touched[kept] = f
            kept += 1
    return kept


@compiled
def responsibilities(
    a: LatentArrays, v: Floats, e: int, beta: float, prior: Floats, r: Floats,
    contexts: Ints, score: Floats, named: Bytes, texts: Ints,
) -> None:  # fmt: skip
    """How much each choice answers for the true answer; flattened by ``beta`` below 1."""
    count = a.first[e + 1] - a.first[e]
    if a.given[e] >= 0:
        r[:count] = 0.0
        r[a.given[e]] = 1.0
        return
    if beta == 0.0:
        r[:count] = 1.0 / count
        return
    highest = -np.inf
    for c in range(count):
        highest = max(highest, prior[c])
    best = -np.inf
    for c in range(count):
        if prior[c] < highest + HOPELESS:
            r[c] = -np.inf
            continue
        answer = _answer_score(a, v, e, a.first[e] + c, contexts, score, named, texts)
        r[c] = beta * (prior[c] + answer)
        best = max(best, r[c])
    total = 0.0
    for c in range(count):
        r[c] = np.exp(r[c] - best)
        total += r[c]
    for c in range(count):
        r[c] /= total


@compiled
def explain_examples(
    a: LatentArrays, examples: Longs, cost: float, w: Floats, v: Floats, room: int,
    likelihood: Floats, chosen: Ints,
) -> None:  # fmt: skip
    """Log-likelihood of each true answer, and the choice that explains it best with the choice itself."""
    most = 1
    for e in examples:
        most = max(most, a.first[e + 1] - a.first[e])
    prior = np.empty(most)
    contexts = np.empty(room, np.int32)
    score, named = np.zeros(a.n_texts), np.zeros(a.n_texts, np.uint8)
    texts = np.empty(a.n_texts, np.int32)
    for k in range(len(examples)):
        e = examples[k]
        count = a.first[e + 1] - a.first[e]
        choice_scores(a, w, e, cost, prior)
        best = -np.inf
        for c in range(count):
            prior[c] += _answer_score(a, v, e, a.first[e] + c, contexts, score, named, texts)
            if prior[c] > best:
                best = prior[c]
                chosen[k] = c
        total = 0.0
        for c in range(count):
            total += np.exp(prior[c] - best)
        likelihood[k] = best + np.log(total)
        if a.given[e] >= 0:
            chosen[k] = a.given[e]


@compiled
def best_choices(a: LatentArrays, examples: Longs, cost: float, w: Floats, chosen: Ints) -> None:
    """The choice of each example that is best without looking at its answer."""
    most = 1
    for e in examples:
        most = max(most, a.first[e + 1] - a.first[e])
    prior = np.empty(most)
    for k in range(len(examples)):
        e = examples[k]
        choice_scores(a, w, e, cost, prior)
        chosen[k] = np.argmax(prior[: a.first[e + 1] - a.first[e]])


@compiled
def answer_examples(
    a: LatentArrays, examples: Longs, chosen: Ints, v: Floats, room: int, right: Bools
) -> None:
    """Whether the best texts for a choice are the true answer."""
    contexts = np.empty(room, np.int32)
    score, named = np.zeros(a.n_texts), np.zeros(a.n_texts, np.uint8)
    texts = np.empty(a.n_texts, np.int32)
    for k in range(len(examples)):
        e = examples[k]
        row = a.first[e] + chosen[k]
        right[k] = True
        for q in range(a.part_first[e], a.part_first[e + 1]):
            _, n_texts = _text_scores(a, v, e, row, q, contexts, score, named, texts)
            best, found = -np.inf, -1
            for t in range(n_texts):
                if score[texts[t]] > best:
                    best, found = score[texts[t]], texts[t]
                named[texts[t]] = 0
            right[k] = right[k] and found >= 0 and found == a.true[q]


@compiled
def enumerate_choices(
    n: int, most: int, item_ok: Bytes, item_late: Bytes, pair_ok: Bytes, pair_near: Bytes,
    item_case: Ints, pair_case: Ints, long: int, out: Ints,
) -> int:  # fmt: skip
    """Write the candidate choices of an example: nothing, then up to ``most`` items that hang together.

    The first item is linked with the example, every later one with the example or an item before it. Of more
    than ``long`` items only late ones, and the nearest or last of those that are linked, are looked at.
    """
    count = 1
    out[0, :] = -1
    room = len(out)
    if most < 1:
        return count
    short = n <= long
    for i in range(n):
        case = item_case[i]
        if not item_ok[case] or not (short or item_late[case]):
            continue
        if count >= room:
            return count
        out[count, 0] = i
        out[count, 1:] = -1
        count += 1
        if most < 2:
            continue
        for j in range(n):
            if j == i or not _follows(
                n, i, j, short, item_ok, item_late, pair_ok, pair_near, item_case, pair_case
            ):
                continue
            if count >= room:
                return count
            out[count, 0], out[count, 1], out[count, 2] = i, j, -1
            count += 1
            if most < 3:
                continue
            for k in range(n):
                if k in (i, j) or not (
                    _follows(
                        n, i, k, short, item_ok, item_late, pair_ok, pair_near, item_case, pair_case
                    )
                    or _follows(
                        n, j, k, short, item_ok, item_late, pair_ok, pair_near, item_case, pair_case
                    )
                ):
                    continue
                if count >= room:
                    return count
                out[count, 0], out[count, 1], out[count, 2] = i, j, k
                count += 1
    return count


@compiled
def _follows(
    n: int, i: int, j: int, short: bool, item_ok: Bytes, item_late: Bytes, pair_ok: Bytes,
    pair_near: Bytes, item_case: Ints, pair_case: Ints,
) -> bool:  # fmt: skip
    case = pair_case[i * n + j]
    if short:
        return bool(item_ok[item_case[j]] or pair_ok[case])
    return bool((item_ok[item_case[j]] and item_late[item_case[j]]) or pair_near[case])
