"""Kernels of the log-linear model with a hidden choice: a pass over examples, and what is made of them.

(One file, because numba keeps the machine code of a kernel for as long as its own file stays the same.)

The score of a choice is the sum of its rows; so is the score of each candidate text of a part of the answer.
Rows are summed once an example, and gradients are collected by row before they go to the weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from babi_cascade.svm.arrays import Bools, Bytes, Floats, Ints, Longs
from babi_cascade.svm.compiled import compiled
from babi_cascade.svm.latent_arrays import LatentArrays

UNREACHED = -7.0
"""Log-probability of an answer that is no candidate text of a choice."""

NEGLIGIBLE = 1e-4
"""Choices with less responsibility are left out of the gradient of the answer."""

FAR_BEHIND = 10.0
"""While learning, the answer of a choice so much less probable than the best (in nats) is not looked at."""

NOTHING = -25.0
"""Log-probabilities below this one are not worth an exponential."""

TINY = 1e-4
"""Changes of a row's score that are not followed up."""


class Scratch(NamedTuple):
    """Room for one example; sized for the largest."""

    prior: Floats  # [choices] log-probabilities
    weights: Floats  # [choices] how much each counts
    unused: Floats  # [choices]
    responsible: Floats  # [choices]
    rows: Floats  # [score rows]
    texts: Ints  # [texts of a part]
    place: Ints  # [all texts] where a text stands in ``texts``, -1 elsewhere
    known: Bytes  # [texts of a part]
    classes: Ints  # [texts of a part] those that are known answers, -1 behind them
    used: Bytes  # [target rows] whether a choice that is looked at has it
    table: Floats  # [target rows, texts of a part] what a row adds
    names: Ints  # [target rows, texts of a part] the texts that a row names, -1 behind them
    extra: Floats  # [texts of a part] what the example itself adds
    listed: (
        Ints  # [texts of a part] the candidates of one choice: those that are known, then others
    )
    score: Floats  # [texts of a part] of the candidates, in their order
    named: Bytes  # [texts of a part] whether a row of the choice names it


@compiled
def _scratch(a: LatentArrays, examples: Longs) -> Scratch:
    choices, rows, target_rows, most = 1, 1, 1, 1
    for e in examples:
        choices = max(choices, a.first[e + 1] - a.first[e])
        rows = max(rows, a.score_first[e + 1] - a.score_first[e])
        target_rows = max(target_rows, a.target_first[e + 1] - a.target_first[e])
        count = 0
        for r in range(a.target_first[e], a.target_first[e + 1]):
            row = a.target_rows[r]
            count += a.copy_ptr[row + 1] - a.copy_ptr[row]
        for q in range(a.part_first[e], a.part_first[e + 1]):
            at = a.kinds[e] * a.n_parts + a.parts[q]
            most = max(most, min(a.n_texts, count + a.known_ptr[at + 1] - a.known_ptr[at]))
    return Scratch(
        np.empty(choices), np.empty(choices), np.zeros(choices), np.empty(choices),
        np.empty(rows), np.empty(most, np.int32),
        np.full(a.n_texts, -1, np.int32), np.empty(most, np.uint8),
        np.empty(most + 1, np.int32), np.ones(target_rows, np.uint8), np.empty((target_rows, most)),
        np.empty((target_rows, most + 1), np.int32),
        np.empty(most), np.empty(most, np.int32), np.empty(most), np.zeros(most, np.uint8),
    )  # fmt: skip


@compiled
def _log_sum(values: Floats, n: int) -> float:
    best = -np.inf
    for k in range(n):
        best = max(best, values[k])
    total = 0.0
    for k in range(n):
        if values[k] - best > NOTHING:
            total += np.exp(values[k] - best)
    result: float = best + np.log(total)
    return result


@compiled
def _score_choices(a: LatentArrays, w: Floats, e: int, per_item: float, s: Scratch) -> int:
    """Write the log-probability of each choice; return how many there are."""
    base = a.score_first[e]
    for r in range(a.score_first[e + 1] - base):
        row = a.score_rows[base + r]
        total = 0.0
        for t in range(a.score_ptr[row], a.score_ptr[row + 1]):
            total += w[a.score_ids[t]]
        s.rows[r] = total
    count: int = a.first[e + 1] - a.first[e]
    for c in range(count):
        at = a.first[e] + c
        total = per_item * a.sizes[at]
        for p in range(a.score_places.shape[1]):
            r = a.score_places[at, p]
            if r >= 0:
                total += s.rows[r]
        s.prior[c] = total
    normal = _log_sum(s.prior, count)
    for c in range(count):
        s.prior[c] -= normal
    return count


@compiled
def _open_part(a: LatentArrays, v: Floats, e: int, q: int, s: Scratch) -> int:
    """Sum what each row adds to each text of a part; return how many texts there are."""
    part = a.parts[q]
    n = 0
    at = a.kinds[e] * a.n_parts + part
    for t in range(a.known_ptr[at], a.known_ptr[at + 1]):
        s.texts[n], s.known[n], s.place[a.known_texts[t]] = a.known_texts[t], 1, n
        n += 1
    rows = a.target_first[e + 1] - a.target_first[e]
    if part == 0:
        for r in range(rows):
            row = a.target_rows[a.target_first[e] + r]
            for t in range(a.copy_ptr[row], a.copy_ptr[row + 1]):
                x = a.copy_texts[t]
                if s.place[x] < 0:
                    s.texts[n], s.known[n], s.place[x] = x, 0, n
                    n += 1
    n_classes = 0
    for k in range(n):
        if s.texts[k] < a.n_classes:
            s.classes[n_classes] = k
            n_classes += 1
    s.classes[n_classes] = -1
    for r in range(rows):
        if not s.used[r]:
            continue
        row = a.target_rows[a.target_first[e] + r]
        contexts = row * a.n_parts + part
        s.table[r, :n] = 0.0
        for t in range(a.context_ptr[contexts], a.context_ptr[contexts + 1]):
            base = a.n_copies + np.int64(a.context_ids[t]) * a.n_classes
            for c in range(n_classes):
                k = s.classes[c]
                s.table[r, k] += v[base + s.texts[k]]
        count = 0
        if part == 0:
            for t in range(a.copy_ptr[row], a.copy_ptr[row + 1]):
                k = s.place[a.copy_texts[t]]
                if not s.named[k]:
                    s.names[r, count], s.named[k] = k, 1
                    count += 1
                if a.copy_ids[t] >= 0:
                    s.table[r, k] += v[a.copy_ids[t]]
        s.names[r, count] = -1
        for t in range(count):
            s.named[s.names[r, t]] = 0
    for k in range(n):
        s.extra[k] = 0.0
    if part == 0:
        for t in range(a.asked_ptr[e], a.asked_ptr[e + 1]):
            k = s.place[a.asked_texts[t]]
            if k >= 0:
                s.extra[k] += v[a.asked_ids[t]]
    return n


@compiled
def _close_part(s: Scratch, n: int) -> None:
    for k in range(n):
        s.place[s.texts[k]] = -1


@compiled
def _walk(
    places: Ints,  # [choices, Q] rows of each choice
    weights: Floats,  # [choices] how much each counts; those with nothing are passed over
    count: int,
    true: int,
    nowhere: float,
    learn: bool,
    names: Ints,
    known: Bytes,
    table: Floats,
    extra: Floats,
    named: Bytes,
    listed: Ints,
    score: Floats,
    out: Floats,  # [choices], added to: the log-probability of the true text
    grad: Floats,  # as table, added to where there is something to learn
    extra_grad: Floats,  # [texts of a part], added to
) -> float:
    """Score the candidate texts of each choice; return the gradient of texts that nothing names.

    One loop over plain arrays: it is where all the time goes.
    """
    n_known = 0
    while n_known < len(known) and known[n_known]:
        n_known += 1
    nowhere_grad = 0.0
    for c in range(count):
        if weights[c] <= 0.0:
            continue
        n = n_known
        for k in range(n_known):
            listed[k] = k
        for p in range(places.shape[1]):
            r = places[c, p]
            t = 0
            while r >= 0 and names[r, t] >= 0:
                k = names[r, t]
                if not named[k]:
                    named[k] = 1
                    if k >= n_known:
                        listed[n] = k
                        n += 1
                t += 1
        for i in range(n):
            k = listed[i]
            score[i] = extra[k] if named[k] else extra[k] + nowhere
        for p in range(places.shape[1]):
            r = places[c, p]
            if r >= 0:
                for i in range(n):
                    score[i] += table[r, listed[i]]
        at, best = -1, -np.inf
        for i in range(n):
            best = max(best, score[i])
            if listed[i] == true:
                at = i
        if at < 0:
            out[c] += UNREACHED
        else:
            total = 0.0
            own = score[at]
            for i in range(n):
                score[i] = np.exp(score[i] - best)
                total += score[i]
            out[c] += own - best - np.log(total)
            if learn:
                for i in range(n):
                    by = -weights[c] * score[i] / total
                    if i == at:
                        by += weights[c]
                    score[i] = by
                    extra_grad[listed[i]] += by
                    if not named[listed[i]]:
                        nowhere_grad += by
                for p in range(places.shape[1]):
                    r = places[c, p]
                    if r >= 0:
                        for i in range(n):
                            grad[r, listed[i]] += score[i]
        for p in range(places.shape[1]):
            r = places[c, p]
            t = 0
            while r >= 0 and names[r, t] >= 0:
                named[names[r, t]] = 0
                t += 1
    return nowhere_grad


@compiled
def _true_place(a: LatentArrays, q: int, s: Scratch) -> int:
    """Where the true text stands among those of an open part, -1 if it does not."""
    return s.place[a.true[q]] if a.true[q] >= 0 else -1


@compiled
def _nowhere(a: LatentArrays, v: Floats, part: int) -> float:
    return v[a.nowhere] if part == 0 and a.nowhere >= 0 else 0.0


@compiled
def _add_answers(a: LatentArrays, v: Floats, e: int, out: Floats, floor: float, s: Scratch) -> int:
    """Add to each choice the log-probability of the true answer; those below ``floor`` are given up.

    The last part is left open; returned is how many texts it has.
    """
    count = a.first[e + 1] - a.first[e]
    for c in range(count):
        s.weights[c] = 1.0 if s.prior[c] >= floor else 0.0
        if s.prior[c] < floor:
            out[c] = -np.inf
    n = 0
    for q in range(a.part_first[e], a.part_first[e + 1]):
        if q > a.part_first[e]:
            _close_part(s, n)
        n = _open_part(a, v, e, q, s)
        _walk(
            a.target_places[a.first[e] : a.first[e + 1]], s.weights, count, _true_place(a, q, s),
            _nowhere(a, v, a.parts[q]), False, s.names, s.known[:n], s.table, s.extra, s.named,
            s.listed, s.score, out, s.table, s.extra,
        )  # fmt: skip
    return n


@compiled
def _use(a: LatentArrays, e: int, count: int, floor: float, s: Scratch) -> None:
    """Mark the target rows of the choices that are looked at."""
    s.used[: a.target_first[e + 1] - a.target_first[e]] = 0
    for c in range(count):
        if s.prior[c] >= floor or c == a.given[e]:
            for p in range(a.target_places.shape[1]):
                r = a.target_places[a.first[e] + c, p]
                if r >= 0:
                    s.used[r] = 1


@compiled
def _respond(a: LatentArrays, v: Floats, e: int, count: int, beta: float, s: Scratch) -> int:
    """How much each choice answers for the true answer; flattened by ``beta`` below 1.

    Returned is how many texts the last part has, if it was opened, or -1.
    """
    r = s.responsible
    floor = np.max(s.prior[:count]) - FAR_BEHIND if beta > 0.0 else -np.inf
    _use(a, e, count, floor, s)
    if a.given[e] >= 0:
        r[:count] = 0.0
        r[a.given[e]] = 1.0
        return -1
    if beta == 0.0:
        r[:count] = 1.0 / count
        return -1
    r[:count] = s.prior[:count]
    n = _add_answers(a, v, e, r, floor, s)
    r[:count] *= beta
    normal = _log_sum(r, count)
    for c in range(count):
        r[c] = np.exp(r[c] - normal) if r[c] - normal > NOTHING else 0.0
    return n


@compiled
def learn_pass(
    a: LatentArrays, order: Longs, beta: float, per_item: float, rate: float, decay: float,
    w: Floats, w_squares: Floats, v: Floats, v_squares: Floats,
) -> None:  # fmt: skip
    """One pass over the examples: ``w`` are the weights of choices, ``v`` those of answers."""
    s = _scratch(a, order)
    change = np.zeros(max(len(s.rows), 1))
    table = np.zeros(s.table.shape)
    w_grad, v_grad = np.zeros(len(w)), np.zeros(len(v))
    for e in order:
        count = _score_choices(a, w, e, per_item, s)
        n_open = _respond(a, v, e, count, beta, s)
        # While all choices count alike there is nothing to learn about them.
        rows = a.score_first[e + 1] - a.score_first[e] if beta > 0.0 else 0
        change[:rows] = 0.0
        for c in range(count if beta > 0.0 else 0):
            if s.prior[c] <= NOTHING and s.responsible[c] <= 0.0:
                continue
            by = s.responsible[c] - np.exp(s.prior[c])
            for p in range(a.score_places.shape[1]):
                r = a.score_places[a.first[e] + c, p]
                if r >= 0:
                    change[r] += by
        for q in range(a.part_first[e + 1] - 1, a.part_first[e] - 1, -1):
            if n_open < 0:
                n_open = _open_part(a, v, e, q, s)
            _learn_part(a, e, q, n_open, count, rate, decay, v, v_squares, v_grad, table, s)
            n_open = -1
        for r in range(rows):
            if abs(change[r]) > TINY:
                row = a.score_rows[a.score_first[e] + r]
                for t in range(a.score_ptr[row], a.score_ptr[row + 1]):
                    w_grad[a.score_ids[t]] += change[r]
        for r in range(rows):
            if abs(change[r]) <= TINY:
                continue
            row = a.score_rows[a.score_first[e] + r]
            for t in range(a.score_ptr[row], a.score_ptr[row + 1]):
                _step(w, w_squares, w_grad, a.score_ids[t], rate, decay)


@compiled
def _learn_part(
    a: LatentArrays, e: int, q: int, n: int, count: int, rate: float, decay: float,
    v: Floats, v_squares: Floats, v_grad: Floats, table: Floats, s: Scratch,
) -> None:  # fmt: skip
    """Learn a part that is open, with each choice as much as it is responsible; then it is closed."""
    part = a.parts[q]
    rows = a.target_first[e + 1] - a.target_first[e]
    table[:rows, :n] = 0.0
    extra = np.zeros(n)
    for c in range(count):
        s.weights[c] = s.responsible[c] if s.responsible[c] > NEGLIGIBLE else 0.0
    nowhere = _walk(
        a.target_places[a.first[e] : a.first[e + 1]], s.weights, count, _true_place(a, q, s),
        _nowhere(a, v, part), True, s.names, s.known[:n], s.table, s.extra, s.named, s.listed,
        s.score, s.unused, table, extra,
    )  # fmt: skip
    for again in range(2):  # first the gradient is collected, then every weight takes its step
        for r in range(rows):
            if not s.used[r]:
                continue
            row = a.target_rows[a.target_first[e] + r]
            contexts = row * a.n_parts + part
            for t in range(a.context_ptr[contexts], a.context_ptr[contexts + 1]):
                base = a.n_copies + np.int64(a.context_ids[t]) * a.n_classes
                c = 0
                while s.classes[c] >= 0:
                    k = s.classes[c]
                    if again:
                        _step(v, v_squares, v_grad, base + s.texts[k], rate, decay)
                    else:
                        v_grad[base + s.texts[k]] += table[r, k]
                    c += 1
            if part == 0:
                for t in range(a.copy_ptr[row], a.copy_ptr[row + 1]):
                    if a.copy_ids[t] >= 0:
                        if again:
                            _step(v, v_squares, v_grad, a.copy_ids[t], rate, decay)
                        else:
                            v_grad[a.copy_ids[t]] += table[r, s.place[a.copy_texts[t]]]
        if part == 0:
            for t in range(a.asked_ptr[e], a.asked_ptr[e + 1]):
                k = s.place[a.asked_texts[t]]
                if k >= 0:
                    if again:
                        _step(v, v_squares, v_grad, a.asked_ids[t], rate, decay)
                    else:
                        v_grad[a.asked_ids[t]] += extra[k]
            if a.nowhere >= 0:
                if again:
                    _step(v, v_squares, v_grad, a.nowhere, rate, decay)
                else:
                    v_grad[a.nowhere] += nowhere
    _close_part(s, n)


@compiled
def _step(w: Floats, squares: Floats, grad: Floats, f: int, rate: float, decay: float) -> None:
    """A step of Adagrad upwards for one weight; its gradient is 0 afterwards, so it steps once."""
    if grad[f] == 0.0:
        return
    g = grad[f] - decay * w[f]
    squares[f] += g * g
    w[f] += rate * g / (np.sqrt(squares[f]) + 1e-8)
    grad[f] = 0.0


@compiled
def explain_examples(
    a: LatentArrays, examples: Longs, per_item: float, w: Floats, v: Floats, likelihood: Floats,
    chosen: Ints,
) -> None:  # fmt: skip
    """Log-likelihood of each true answer, and the choice that explains it best."""
    s = _scratch(a, examples)
    for at in range(len(examples)):
        e = examples[at]
        count = _score_choices(a, w, e, per_item, s)
        s.responsible[:count] = s.prior[:count]
        n = _add_answers(a, v, e, s.responsible, -np.inf, s)
        _close_part(s, n)
        chosen[at] = np.argmax(s.responsible[:count]) if a.given[e] < 0 else a.given[e]
        likelihood[at] = _log_sum(s.responsible, count)


@compiled
def best_choices(
    a: LatentArrays, examples: Longs, per_item: float, w: Floats, chosen: Ints
) -> None:
    """The choice of each example that is best without looking at its answer."""
    s = _scratch(a, examples)
    for at in range(len(examples)):
        count = _score_choices(a, w, examples[at], per_item, s)
        chosen[at] = np.argmax(s.prior[:count])


@compiled
def _best_text(
    places: Ints,
    names: Ints,
    known: Bytes,
    table: Floats,
    extra: Floats,
    nowhere: float,
    score: Floats,
) -> int:
    """The most probable of the candidate texts of one choice, the first of equals; -1 if there is none."""
    n = len(known)
    for k in range(n):
        score[k] = extra[k] + nowhere if known[k] else -np.inf
    for r in places:
        t = 0
        while r >= 0 and names[r, t] >= 0:
            score[names[r, t]] = extra[names[r, t]]
            t += 1
    for r in places:
        if r >= 0:
            for k in range(n):
                score[k] += table[r, k]
    best, found = -np.inf, -1
    for k in range(n):
        if score[k] > best:
            best, found = score[k], k
    return found


@compiled
def target_examples(
    a: LatentArrays, examples: Longs, chosen: Ints, v: Floats, right: Bools
) -> None:
    """Whether the best texts for a choice are the true answer."""
    s = _scratch(a, examples)
    for at in range(len(examples)):
        e = examples[at]
        right[at] = True
        for q in range(a.part_first[e], a.part_first[e + 1]):
            n = _open_part(a, v, e, q, s)
            found = _best_text(
                a.target_places[a.first[e] + chosen[at]], s.names, s.known[:n], s.table, s.extra,
                _nowhere(a, v, a.parts[q]), s.score,
            )  # fmt: skip
            right[at] = right[at] and found >= 0 and found == _true_place(a, q, s)
            _close_part(s, n)
