"""The log-linear model with a hidden choice: what it says is what naming every choice says, and it learns."""

from __future__ import annotations

import random

import numpy as np
import pytest

from babi_cascade.cascade.latent_examples import LatentExamples
from babi_cascade.svm.choices import enumerate_choices
from babi_cascade.svm.latent import LatentChoice
from babi_cascade.svm.latent_arrays import LatentArrays
from babi_cascade.svm.latent_kernels import UNREACHED, learn_pass
from tests.cascade.test_extended import sequences, tuples


def arrays_of(make, n=25, most=3):
    rng = random.Random(3)
    examples = LatentExamples([make(rng) for _ in range(n)], [False] * n)
    return examples.arrays(dict.fromkeys(examples.members, most))[0]


@pytest.fixture(scope="module", params=[tuples, sequences], ids=["words", "sequences"])
def arrays(request) -> LatentArrays:
    return arrays_of(request.param)


def weights(a: LatentArrays, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=a.n_scores), rng.normal(size=a.n_copies + a.n_contexts * a.n_classes)


def log_sum(values):
    return np.log(np.sum(np.exp(values)))


def named_by_hand(a: LatentArrays, w, v, e: int, per_item: float):
    """log p(choice) and log p(answer | choice) of every choice, one feature after the other."""
    priors, answers = [], []
    for c in range(a.first[e], a.first[e + 1]):
        rows = [a.score_rows[a.score_first[e] + r] for r in a.score_places[c] if r >= 0]
        ids = [i for row in rows for i in a.score_ids[a.score_ptr[row] : a.score_ptr[row + 1]]]
        priors.append(per_item * a.sizes[c] + sum(w[i] for i in ids))
        told = [a.target_rows[a.target_first[e] + r] for r in a.target_places[c] if r >= 0]
        answers.append(
            sum(
                answered_by_hand(a, v, e, told, a.parts[q], a.true[q])
                for q in range(a.part_first[e], a.part_first[e + 1])
            )
        )
    return np.array(priors) - log_sum(priors), np.array(answers)


def answered_by_hand(a: LatentArrays, v, e: int, rows, part: int, true: int) -> float:
    at = a.kinds[e] * a.n_parts + part
    known = a.known_texts[a.known_ptr[at] : a.known_ptr[at + 1]].tolist()
    copies = [
        (int(a.copy_texts[t]), int(a.copy_ids[t]))
        for row in rows
        for t in range(a.copy_ptr[row], a.copy_ptr[row + 1])
    ]
    copies = copies if part == 0 else []
    named = {text for text, _ in copies}
    asked = range(a.asked_ptr[e], a.asked_ptr[e + 1]) if part == 0 else ()
    scores = {}
    for text in {*known, *named}:
        score = sum(v[i] for other, i in copies if other == text and i >= 0)
        score += sum(v[a.asked_ids[t]] for t in asked if a.asked_texts[t] == text)
        if part == 0 and text not in named:
            score += v[a.nowhere]
        for row in rows:
            place = row * a.n_parts + part
            contexts = a.context_ids[a.context_ptr[place] : a.context_ptr[place + 1]]
            if text < a.n_classes:
                score += sum(v[a.n_copies + i * a.n_classes + text] for i in contexts)
        scores[text] = score
    return scores[true] - log_sum(list(scores.values())) if true in scores else UNREACHED


def test_the_likelihood_is_the_sum_over_every_choice(arrays):
    model = LatentChoice(per_item=-0.5)
    model.choice_weights_, model.target_weights_ = weights(arrays)
    every = np.arange(len(arrays.kinds))
    found = model.explain(arrays, every)
    for e in every:
        prior, answer = named_by_hand(arrays, *weights(arrays), e, -0.5)
        assert found.likelihood[e] == pytest.approx(log_sum(prior + answer))
        assert found.choices[e] - arrays.first[e] == np.argmax(prior + answer)


def test_an_example_becomes_more_likely_by_learning_from_it(arrays):
    for e in range(5):
        w, v = weights(arrays, e)
        model = LatentChoice(per_item=-0.5)
        model.choice_weights_, model.target_weights_ = w, v
        one = np.array([e])
        before = model.explain(arrays, one).likelihood[0]
        learn_pass(
            arrays, one, 1.0, -0.5, 1e-4, 0.0, w, np.zeros_like(w), v, np.zeros_like(v)
        )  # fmt: skip
        assert model.explain(arrays, one).likelihood[0] > before


def test_hidden_choices_are_found_and_new_examples_answered():
    arrays = arrays_of(tuples, n=120, most=2)
    learned, new = np.arange(80), np.arange(80, 120)
    model = LatentChoice().fit(arrays, learned)
    assert model.right(arrays, new).mean() >= 0.95
    again = LatentChoice().fit(arrays, learned)
    assert again.choice_weights_.tobytes() == model.choice_weights_.tobytes()
    assert again.target_weights_.tobytes() == model.target_weights_.tobytes()


def test_a_choice_that_is_given_is_the_one():
    arrays = arrays_of(tuples, n=40, most=2)
    third = arrays._replace(given=np.full(40, 2, np.int32))
    model = LatentChoice(n_passes=12).fit(third, np.arange(40))
    found = model.explain(third, np.arange(40))
    assert (found.choices - third.first[:-1]).tolist() == [2] * 40


def enumerated(n, most, links, near=None, ok=None, room=500):
    """Choices among items that the example names where ``ok``, linked with each other where ``links``."""
    item_ok = np.array([i in (ok if ok is not None else range(n)) for i in range(n)], np.uint8)
    pair_ok = np.array([(i, j) in links for i in range(n) for j in range(n)], np.uint8)
    close = pair_ok if near is None else near
    out = np.empty((room, 3), np.int32)
    count = enumerate_choices(
        n, most, item_ok, item_ok, pair_ok, close, np.arange(n, dtype=np.int32),
        np.arange(n * n, dtype=np.int32), 16, out,
    )  # fmt: skip
    return [tuple(int(i) for i in row if i >= 0) for row in out[:count]]


def test_choices_hang_together():
    found = enumerated(5, 3, {(0, 3), (3, 1)}, ok=[0])
    # After the first, item 3 is linked with it, 1 comes right behind; of these 1 and 4, and 2, follow.
    assert set(found) == {
        (), (0,), (0, 1), (0, 3), (0, 1, 2), (0, 1, 3), (0, 3, 1), (0, 3, 4),
    }  # fmt: skip


def test_of_a_long_story_near_and_late_items_are_looked_at():
    n = 20
    near = np.zeros(n * n, np.uint8)
    near[[3 * n + 9, 9 * n + 4]] = 1
    links = {(i, j) for i in range(n) for j in range(n)}
    found = set(enumerated(n, 3, links, near, ok=[3]))
    assert found == {
        (), (3,), (3, 9), (3, 4), (3, 9, 4), (3, 4, 9), (3, 9, 10), (3, 4, 5),
    }  # fmt: skip


def test_choices_are_not_larger_than_asked_and_late_ones_find_room_first():
    assert set(enumerated(3, 1, set())) == {(), (0,), (1,), (2,)}
    assert len(enumerated(3, 2, set())) == 1 + 3 + 6
    assert enumerated(3, 1, set(), room=3) == [(), (2,), (1,)]
