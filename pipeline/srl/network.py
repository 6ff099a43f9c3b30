"""The network of the role labeller, with numpy alone: what it computes, not how it was learned.

Each word is the sum of the vectors of its features; two layers of a bidirectional LSTM read the sentence
once; a predicate and a candidate are judged together by the states of both words and the vectors of the
features of the pair. `scripts/train_srl.py` has the same network in torch, and a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Checksums = Sequence[int]


@dataclass(frozen=True)
class Table:
    """A vector for each known feature; the last row is zero and stands for all others."""

    rows: dict[int, int]
    vectors: Floats

    def sums(self, instances: Sequence[Checksums]) -> Floats:
        """Return the sum of the vectors of each instance's features; each has at least one feature."""
        unknown = len(self.vectors) - 1
        found = np.fromiter(
            (self.rows.get(c, unknown) for checksums in instances for c in checksums), np.intp
        )
        starts = np.cumsum([0] + [len(i) for i in instances[:-1]])
        return np.add.reduceat(self.vectors[found], starts, axis=0)


@dataclass(frozen=True)
class Network:
    """Tables of features and named matrices; `roles` are the names of the last layer, the first for none.

    `nominal` are the checksums of the lemmas that can be a predicate without being a verb ("gift").
    """

    words: Table
    pairs: Table
    weights: Mapping[str, Floats]
    roles: tuple[str, ...]
    nominal: frozenset[int]

    def states(self, words: Sequence[Checksums], lengths: Sequence[int]) -> Floats:
        """Return a vector a word for sentences of these lengths, their words one after the other."""
        places = _Places(np.asarray(lengths))
        states = self.words.sums(words)
        layer = 0
        while f"lstm.weight_ih_l{layer}" in self.weights:
            halves = [
                self._direction(states, f"_l{layer}", places.forward),
                self._direction(states, f"_l{layer}_reverse", places.backward),
            ]
            states = np.concatenate(halves, axis=1)
            layer += 1
        return states

    def predicates(self, states: Floats) -> Floats:
        """Return for each word how much it looks like a predicate: more than nothing above 0."""
        hidden = np.maximum(self._linear(states, "predicate1"), 0)
        return self._linear(hidden, "predicate2")[:, 0]

    def arguments(
        self, states: Floats, predicates: Any, words: Any, pairs: Sequence[Checksums]
    ) -> Floats:
        """Return the logarithm of the probability of each role, for pairs of a predicate and a word."""
        both = self._linear(states, "predicate")[predicates] + self._linear(states, "word")[words]
        both += self._linear(self.pairs.sums(pairs), "pair")
        hidden = np.maximum(both, 0)
        hidden = np.maximum(self._linear(hidden, "hidden"), 0)
        scores = self._linear(hidden, "roles")
        scores -= scores.max(axis=1, keepdims=True)
        normalised: Floats = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return normalised

    def _linear(self, values: Floats, name: str) -> Floats:
        made: Floats = values @ self.weights[f"{name}.weight"].T
        bias = self.weights.get(f"{name}.bias")
        return made if bias is None else made + bias

    def _direction(self, values: Floats, name: str, steps: Sequence[NDArray[Any]]) -> Floats:
        """Run one LSTM; a step has the words, one a sentence, of the sentences that are so long."""
        inputs = values @ self.weights[f"lstm.weight_ih{name}"].T
        inputs += self.weights[f"lstm.bias_ih{name}"] + self.weights[f"lstm.bias_hh{name}"]
        recurrent = np.ascontiguousarray(self.weights[f"lstm.weight_hh{name}"].T)
        size = len(recurrent)
        made = np.empty((len(values), size), dtype=np.float32)
        hidden = cell = np.zeros((len(steps[0]), size), dtype=np.float32)
        for words in steps:
            gates = inputs[words] + hidden[: len(words)] @ recurrent
            opened = _sigmoid(gates[:, : 2 * size])
            proposed = np.tanh(gates[:, 2 * size : 3 * size])
            cell = opened[:, size:] * cell[: len(words)] + opened[:, :size] * proposed
            hidden = _sigmoid(gates[:, 3 * size :]) * np.tanh(cell)
            made[words] = hidden
        return made


class _Places:
    """Which words are read in each step, forwards and backwards: the longest sentences first."""

    def __init__(self, lengths: NDArray[Any]) -> None:
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        order = np.argsort(-lengths, kind="stable")
        starts, lengths = starts[order], lengths[order]
        active = [int((lengths > step).sum()) for step in range(int(lengths[0]))]
        self.forward = [starts[:n] + step for step, n in enumerate(active)]
        self.backward = [starts[:n] + lengths[:n] - 1 - step for step, n in enumerate(active)]


def _sigmoid(values: Floats) -> Floats:
    made: Floats = 0.5 * np.tanh(0.5 * values) + 0.5
    return made
