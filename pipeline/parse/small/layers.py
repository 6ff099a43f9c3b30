"""The layers that the small models share, over packed rows.

Sequences of a batch are sorted, the longest first, and laid out step by step: the first elements of all, then
the second ones, and so on. So each step of a recurrent network is one slice, without padding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.pipeline.parse.small.weights import Array

Indices = np.ndarray[Any, np.dtype[np.int64]]


class Packed:
    """Where the elements of sequences of these lengths stand.

    Attributes
    ----------
    counts : sequences that have an element at each step
    place : row of each element, the elements in the order of the sequences as they were given
    turned : row of the element that has the place of each row when every sequence is read backwards
    """

    def __init__(self, lengths: Sequence[int]) -> None:
        sizes = np.asarray(lengths, np.int64)
        order = np.argsort(-sizes, kind="stable")
        falling = sizes[order]
        steps = int(falling[0]) if len(falling) else 0
        self.counts: list[int] = [int(n) for n in (falling > np.arange(steps)[:, None]).sum(1)]
        begin = np.concatenate([[0], np.cumsum(self.counts)])
        step = np.repeat(np.arange(steps), self.counts)
        rank = np.arange(begin[-1]) - begin[step]
        self.turned: Indices = begin[falling[rank] - 1 - step] + rank
        # Of a sequence, its place among the sorted ones; of its element t, begin[t] plus that.
        among = np.empty(len(sizes), np.int64)
        among[order] = np.arange(len(sizes))
        owner = np.repeat(np.arange(len(sizes)), sizes)
        inside = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self.place: Indices = begin[inside] + among[owner]
        self.order = order


class Linear:
    """A linear layer."""

    def __init__(self, weights: Mapping[str, Any], name: str) -> None:
        self.weight = np.ascontiguousarray(weights[f"{name}.weight"].astype(np.float32).T)
        bias = weights.get(f"{name}.bias")
        self.bias = None if bias is None else bias.astype(np.float32)

    def __call__(self, rows: Array) -> Array:
        """Return the layer's values for each row."""
        values: Array = rows @ self.weight
        if self.bias is not None:
            values += self.bias
        return values


class Lstm:
    """A recurrent layer in one direction or both.

    The gates use sigmoid(x) = (1 + tanh(x / 2)) / 2, with the half in the weights: one call of tanh for all.
    """

    def __init__(self, weights: Mapping[str, Any], name: str, layer: int = 0) -> None:
        endings = [f"_l{layer}", f"_l{layer}_reverse"]
        parts = [_gates(weights, name, e) for e in endings if f"{name}.weight_ih{e}" in weights]
        self.inputs = [each[0] for each in parts]
        self.bias = np.stack([each[1] for each in parts])[:, None]
        self.recurrent = np.stack([each[2] for each in parts])

    def __call__(
        self,
        rows: Array,
        packed: Packed,
        start: tuple[Array, Array] | None,
        which: Indices | None = None,
    ) -> Array:
        """Return the states.

        ``start`` are the first states of each direction, None for zeros; ``which`` names the row of ``rows``
        that enters at each place, None for a row a place.
        """
        states, _ = self.run(rows, packed, start, which)
        both = [states[0], *(backward[packed.turned] for backward in states[1:])]
        return np.concatenate(both, axis=1)

    def run(
        self,
        rows: Array,
        packed: Packed,
        start: tuple[Array, Array] | None,
        which: Indices | None = None,
    ) -> tuple[Array, Array]:
        """Return the states of each direction as it reads, and the last cells of the longest sequences."""
        entering = np.empty(
            (len(self.inputs), len(packed.place), self.recurrent.shape[2]), np.float32
        )
        for number, weight in enumerate(self.inputs):
            turned = packed.turned if number else None
            if which is None:
                np.matmul(rows if turned is None else rows[turned], weight, out=entering[number])
            else:
                order = which if turned is None else which[turned]
                np.take(rows @ weight, order, axis=0, out=entering[number], mode="clip")
        return recur(entering, self.recurrent, self.bias, start, packed.counts)


def recur(
    entering: Array,
    recurrent: Array,
    bias: Array,
    start: tuple[Array, Array] | None,
    counts: Sequence[int],
) -> tuple[Array, Array]:
    """Return the states [direction, row, width] of an LSTM and its last cells."""
    directions, rows, four = entering.shape
    width, first = four // 4, counts[0] if counts else 0
    states = np.empty((directions, rows, width), np.float32)
    hidden, cell = start or (np.zeros((directions, 1, width), np.float32),) * 2
    cell = np.broadcast_to(cell, (directions, first, width))
    begin = 0
    for count in counts:
        # At the first step all sequences have the same state, or each its own.
        gates = np.matmul(hidden[:, :count], recurrent)
        if gates.shape[1] == count:
            gates += entering[:, begin : begin + count]
        else:
            gates = gates + entering[:, begin : begin + count]
        gates += bias
        np.tanh(gates, out=gates)
        # In the order of `_gates`: input, forget and output gate, then the candidate.
        gates[..., : 3 * width] *= 0.5
        gates[..., : 3 * width] += 0.5
        cell = cell[:, :count] * gates[..., width : 2 * width]
        cell += gates[..., :width] * gates[..., 3 * width :]
        hidden = np.tanh(cell, out=states[:, begin : begin + count])
        hidden *= gates[..., 2 * width : 3 * width]
        begin += count
    return states, cell


class Highway:
    """Stanza's stack of LSTM layers in both directions, each with a gated way around it."""

    def __init__(self, weights: Mapping[str, Any], name: str) -> None:
        layers = sum(key.startswith(f"{name}.gate.") and key.endswith("weight") for key in weights)
        first = [weights[f"{name}_{state}_init"].astype(np.float32) for state in "hc"]
        self.layers = [
            (
                Lstm(weights, f"{name}.lstm.{number}.lstm"),
                Linear(weights, f"{name}.gate.{number}"),
                Linear(weights, f"{name}.highway.{number}"),
                (first[0][2 * number : 2 * number + 2], first[1][2 * number : 2 * number + 2]),
            )
            for number in range(layers)
        ]

    def __call__(self, rows: Array, packed: Packed, which: Indices) -> Array:
        """Return the states of the last layer; the same words enter as the same row of ``rows``."""
        entering: Indices | None = which
        for lstm, gate, highway, start in self.layers:
            around = np.tanh(highway(rows))
            around *= sigmoid(gate(rows))
            rows = lstm(rows, packed, start, entering)
            rows += around if entering is None else around[entering]
            entering = None
        return rows


class Spelling:
    """The vectors of words from their letters; a word that occurs often is read once."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self.letters = weights["charmodel.char_emb.weight"].astype(np.float32)
        self.lstm = Lstm(weights, "charmodel.charlstm.lstm")
        self.attention = weights["charmodel.char_attn.weight"].astype(np.float32)[0]
        self.start = (
            weights["charmodel.charlstm_h_init"].astype(np.float32),
            weights["charmodel.charlstm_c_init"].astype(np.float32),
        )
        self.out = Linear(weights, "trans_char")

    def __call__(self, words: Sequence[Sequence[int]]) -> Array:
        """Return a row for each word, given as the numbers of its letters."""
        packed = Packed([len(word) for word in words])
        rows = np.empty((len(packed.place), self.letters.shape[1]), np.float32)
        rows[packed.place] = self.letters[np.concatenate([np.asarray(word) for word in words])]
        states = self.lstm(rows, packed, self.start)
        states *= sigmoid(states @ self.attention)[:, None]
        total = np.zeros((len(words), states.shape[1]), np.float32)
        begin = 0
        for count in packed.counts:
            total[:count] += states[begin : begin + count]
            begin += count
        vectors = np.empty_like(total)
        vectors[packed.order] = total
        return self.out(vectors)


def sigmoid(values: Array) -> Array:
    """Return 1 / (1 + exp(-x)); ``values`` are overwritten."""
    values *= 0.5
    np.tanh(values, out=values)
    values += 1
    values *= 0.5
    return values


def log_softmax(scores: Array, axis: int) -> Array:
    """Return logarithms of probabilities along an axis."""
    shifted: Array = scores - scores.max(axis=axis, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=axis, keepdims=True))
    return shifted


def _gates(weights: Mapping[str, Any], name: str, end: str) -> tuple[Array, Array, Array]:
    """Input weights, bias and recurrent weights; gates in the order input, forget, output, candidate."""

    def sorted_gates(values: Any) -> Array:
        first, forget, candidate, output = np.split(values.astype(np.float32), 4)
        halves = np.concatenate([first, forget, output]) * np.float32(0.5)
        return np.concatenate([halves, candidate])

    entering, recurrent, bias, more = (
        sorted_gates(weights[f"{name}.{kind}{end}"])
        for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    return np.ascontiguousarray(entering.T), bias + more, np.ascontiguousarray(recurrent.T)
