"""Every variant against a slow transcription of appendix A, and its gradients against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from babi_cascade.comparison.memnn.arrays import (
    FIRST,
    NONE,
    STOP,
    Batch,
    TextFeatures,
    position_bins,
)
from babi_cascade.comparison.memnn.encoder import FORMS
from babi_cascade.comparison.memnn.output import CANDIDATE, MEMORY, QUESTION, OutputModule
from babi_cascade.comparison.memnn.response import END, ResponseModule
from babi_cascade.comparison.memnn.response import NEWEST as R_NEWEST
from babi_cascade.comparison.memnn.response import SAID as R_SAID
from babi_cascade.comparison.memnn.response import WORD as R_WORD
from tests.comparison import slow

SIZE, ANSWERS, DIMENSION, POSITIONS, MARGIN = 9, 6, 4, 3, 0.3
VARIANTS = [(form, adaptive) for form in FORMS for adaptive in (False, True)]
"""N-grams change what a feature is, not what is done with it: their test is the vocabulary's."""


def random_batch(seed: int) -> Batch:
    """Three questions with four, three and one memories among six sentences."""
    rng = np.random.default_rng(seed)
    features = rng.integers(FIRST, SIZE, size=(8, 3))
    features[2:, 2] *= rng.integers(0, 2, size=6)  # some sentences have two words only
    features[0] = 0
    features[STOP] = (STOP, 0, 0)
    bins = rng.integers(0, POSITIONS, size=features.shape)
    bins[STOP] = POSITIONS - 1
    memories = rng.integers(FIRST, 8, size=(3, 4))
    counts = np.array([4, 3, 1])
    known = np.arange(4) < counts[:, None]
    return Batch(
        torch.from_numpy(features),
        torch.from_numpy(bins),
        torch.from_numpy(rng.integers(FIRST, 8, size=3)),
        torch.from_numpy(np.where(known, memories, 0)),
        torch.from_numpy(known),
        torch.tensor([[2, 0, 1], [1, 2, NONE], [0, NONE, NONE]]),
        torch.tensor([[1, 4, 4], [3, NONE, NONE], [2, 5, NONE]]),
    )


def output_module(form: str, adaptive: bool, seed: int = 0) -> OutputModule:
    return OutputModule(
        SIZE, dimension=DIMENSION, form=form, positions=POSITIONS, hops=4 if adaptive else 2,
        adaptive=adaptive, margin=MARGIN, scale=0.7, generator=torch.Generator().manual_seed(seed),
    ).double()  # fmt: skip


def response_module(form: str, adaptive: bool, seed: int = 0) -> ResponseModule:
    return ResponseModule(
        SIZE, ANSWERS, dimension=DIMENSION, form=form, positions=POSITIONS,
        longest=3 if adaptive else 1, margin=MARGIN, scale=0.7,
        generator=torch.Generator().manual_seed(seed),
    ).double()  # fmt: skip


def sentence(batch: Batch, row: int) -> slow.Sentence:
    pairs = zip(batch.features[row].tolist(), batch.bins[row].tolist(), strict=True)
    return [(feature, place) for feature, place in pairs if feature]


class SlowHop:
    """One hop of one question, computed with loops."""

    def __init__(self, module: OutputModule, batch: Batch, row: int, found: list[int]) -> None:
        encoder = module.encoder
        rows = batch.memories[row][batch.known[row]].tolist()
        parts = [(QUESTION, sentence(batch, int(batch.asked[row])))]
        parts += [(MEMORY, sentence(batch, rows[place])) for place in found]
        self.query = slow.embedded(encoder, parts)
        self.candidates = [slow.embedded(encoder, [(CANDIDATE, sentence(batch, r))]) for r in rows]
        self.stop = float(self.query @ slow.embedded(encoder, [(CANDIDATE, sentence(batch, STOP))]))
        self.times = module.times.detach().numpy()
        self.last = found[-1] if found else np.inf

    def score(self, place: int) -> float:
        return float(self.query @ self.candidates[place])

    def winner(self, free: list[int]) -> int:
        return slow.winner(self.query, self.candidates, self.times, self.last, free)

    def preferred(self, own: int, other: int) -> float:
        return slow.preferred(self.query, self.candidates, self.times, self.last, own, other)


@pytest.mark.parametrize(("form", "adaptive"), VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_the_memories_found_are_those_of_the_loops(form: str, adaptive: bool, seed: int) -> None:
    batch, module = random_batch(seed), output_module(form, adaptive, seed)
    fast = module.find(batch)
    for row in range(3):
        found: list[int] = []
        total = 0.0
        for _ in range(module.hops):
            hop = SlowHop(module, batch, row, found)
            free = [i for i in range(len(hop.candidates)) if not adaptive or i not in found]
            if not free:
                break
            best = hop.winner(free)
            if adaptive and hop.stop >= hop.score(best):
                break
            found.append(best)
            total += hop.score(best)
        assert [place for place in fast.numbers[row].tolist() if place != NONE] == found
        assert fast.scores[row].item() == pytest.approx(total)


@pytest.mark.parametrize(("form", "adaptive"), VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_o_is_the_sum_of_all_hinges(form: str, adaptive: bool, seed: int) -> None:
    batch, module = random_batch(seed), output_module(form, adaptive, seed)
    expected = 0.0
    orders = []
    for row in range(3):
        gold = [place for place in batch.gold[row].tolist() if place != NONE]
        found: list[int] = []
        for _ in range(module.hops):
            hop = SlowHop(module, batch, row, found)
            everyone = range(len(hop.candidates))
            left = [place for place in gold if place not in found]
            if not left and adaptive:
                rivals = [i for i in everyone if i not in found]
                expected += sum(max(0.0, MARGIN - hop.stop + hop.score(i)) for i in rivals)
                break
            left = left or gold
            losses = {}
            for own in left:
                rivals = [i for i in everyone if i not in left and not (adaptive and i in found)]
                losses[own] = sum(max(0.0, MARGIN - hop.preferred(own, i)) for i in rivals)
                if adaptive:
                    losses[own] += max(0.0, MARGIN - hop.score(own) + hop.stop)
            best = min(left, key=losses.__getitem__)
            expected += losses[best]
            found.append(best)
        orders.append(found)
    assert module.loss(batch).item() == pytest.approx(expected)
    order = [[p for p in row if p != NONE] for row in module.order(batch).tolist()]
    assert order == orders


def slow_words(
    module: ResponseModule, batch: Batch, row: int, facts: list[int], said: list[int]
) -> list[float]:
    """s_R of every word, given the words before it."""
    last = POSITIONS - 1
    parts = [(QUESTION, sentence(batch, int(batch.asked[row])))]
    parts += [
        (
            R_NEWEST if place == max(facts) else MEMORY,
            sentence(batch, int(batch.memories[row, place])),
        )
        for place in facts
    ]
    parts += [(R_SAID, [(word, last)]) for word in said]
    query = slow.embedded(module.encoder, parts)
    words = [slow.embedded(module.encoder, [(R_WORD, [(w, last)])]) for w in range(ANSWERS)]
    return [float(query @ word) for word in words]


@pytest.mark.parametrize(("form", "adaptive"), VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_answers_and_their_loss_are_those_of_the_loops(
    form: str, adaptive: bool, seed: int
) -> None:
    batch, module = random_batch(seed), response_module(form, adaptive, seed)
    places_of = ([0, 2, 1], [1, 1], [])
    facts = torch.tensor([[0, 2, 1], [1, 1, NONE], [NONE, NONE, NONE]])
    fast = module.say(batch, facts)
    loss = 0.0
    for row, places in enumerate(places_of):
        said: list[int] = []
        for step in range(module.longest):
            scores = slow_words(module, batch, row, places, said)
            word = int(np.argmax([-np.inf, *scores[1:]] if step == 0 else scores))
            if word == END:
                break
            said.append(word)
        assert [word for word in fast.numbers[row].tolist() if word != NONE] == said
        answer = [word for word in batch.words[row].tolist() if word != NONE]
        wanted = [*answer, END][:3] if adaptive else answer[:1]
        for step, word in enumerate(wanted):
            scores = slow_words(module, batch, row, places, wanted[:step])
            loss += sum(max(0.0, MARGIN - scores[word] + s)
                        for w, s in enumerate(scores) if w != word)  # fmt: skip
    assert module.loss(batch, facts).item() == pytest.approx(loss)


@pytest.mark.parametrize(("form", "adaptive"), VARIANTS)
def test_gradients_are_those_of_finite_differences(form: str, adaptive: bool) -> None:
    batch = random_batch(5)
    output, response = output_module(form, adaptive, 5), response_module(form, adaptive, 5)
    facts = torch.tensor([[0, 2], [1, NONE], [0, NONE]])
    for module, loss in (
        (output, lambda: output.loss(batch)),
        (response, lambda: response.loss(batch, facts)),
    ):
        module.zero_grad()
        loss().backward()
        for name, weights in module.named_parameters():
            expected = torch.zeros_like(weights)
            with torch.no_grad():
                for place in np.ndindex(*weights.shape):
                    kept = weights[place].item()
                    weights[place] = kept + 1e-6
                    above = loss().item()
                    weights[place] = kept - 1e-6
                    below = loss().item()
                    weights[place] = kept
                    expected[place] = (above - below) / 2e-6
            found = weights.grad if weights.grad is not None else torch.zeros_like(weights)
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5, msg=name)


def test_features_are_words_or_runs_of_up_to_three_words() -> None:
    grams = TextFeatures.of_texts(["The cat sat down."], longest=3)
    assert set(grams.features) == {
        "the", "cat", "sat", "down", "the cat", "cat sat", "sat down", "the cat sat", "cat sat down",
    }  # fmt: skip
    assert TextFeatures.of_texts(["The cat sat."]).features == ["cat", "sat", "the"]
    numbers, bins = grams.read("The cat slept")
    assert numbers == [FIRST + grams.features.index(g) for g in ("the", "cat", "the cat")]
    assert bins == [0, 0, 0]


def test_bins_follow_the_formula_of_the_paper() -> None:
    for length in range(1, 12):
        for positions in range(1, 7):
            expected = [int(np.ceil(i * positions / length)) for i in range(1, length + 1)]
            assert [b + 1 for b in position_bins(length, positions)] == expected


def test_a_table_keeps_room_for_padding_and_the_stop_fact() -> None:
    vocabulary = TextFeatures.of_texts(["a b c"], positions=3)
    features, bins = vocabulary.table(["c a", "b"])
    assert features.tolist() == [[0, 0], [STOP, 0], [FIRST + 2, FIRST], [FIRST + 1, 0]]
    assert bins.tolist() == [[0, 0], [2, 0], [1, 2], [2, 0]]
