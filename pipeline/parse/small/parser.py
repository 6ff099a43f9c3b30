"""Scores of arcs and relations: Stanza's deep biaffine parser over words, lemmas and letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.pipeline.parse.decoder_kernels import best_tree, decode, simple_labels
from babi_cascade.pipeline.parse.small.layers import (
    Highway,
    Linear,
    Packed,
    Spelling,
    log_softmax,
)  # fmt: skip
from babi_cascade.pipeline.parse.small.weights import Array
from babi_cascade.pipeline.parse.small.words import ROOT, Numbers

SPECIAL = 4
"""Numbers of units that are no relations."""


SINGLE = {
    "nsubj": 1, "csubj": 1, "nsubj:pass": 1, "csubj:pass": 1,
    "nsubj:outer": 2, "csubj:outer": 2, "obj": 4,
}  # fmt: skip
"""Relations of which a head has one of a group, with the group's bit."""

TOGETHER = 100
"""Words of sentences of one length that are scored together."""

LAYERS = ("unlabeled.W1", "unlabeled.W2", "deprel.W1", "deprel.W2")
"""Of arcs and of relations, what a word is as a dependent and as a head."""


class DependencyParser:
    """Gives every word its head and its relation."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        weights, vocabulary = model["model"], model["vocab"]
        self.words, self.lemmas = Numbers(vocabulary["word"]), Numbers(vocabulary["lemma"])
        self.letters = Numbers(vocabulary["char"])
        self.word_vectors, self.lemma_vectors = (
            weights["word_emb.weight"],
            weights["lemma_emb.weight"],
        )
        self.spelling = Spelling(weights)
        self.states = Highway(weights, "parserlstm")
        layers = [Linear(weights, name) for name in LAYERS]
        self.weight = np.concatenate([layer.weight for layer in layers], axis=1)
        self.bias = np.concatenate([layer.bias for layer in layers])
        self.arc = _bilinear(weights, "unlabeled")
        self.label = _bilinear(weights, "deprel")
        self.arc_bias = weights["unlabeled.scorer.W_bilin.bias"].astype(np.float32)
        self.label_bias = weights["deprel.scorer.W_bilin.bias"].astype(np.float32)
        self.relations: Sequence[str] = vocabulary["deprel"]["_id2unit"][SPECIAL:]
        self.groups = np.array([SINGLE.get(name, 0) for name in self.relations], np.uint8)

    @staticmethod
    def knows(config: Mapping[str, Any]) -> bool:
        """Whether a model is of the shape that is computed here."""
        return (
            config.get("model_type", "graph") == "graph"
            and config["resolve_head_constraints"]
            and config["word_emb_dim"] > 0
            and config["char"]
            and config["char_num_layers"] == 1
            and not any(
                config.get(more)
                for more in (
                    "pretrain",
                    "charlm",
                    "bert_model",
                    "linearization",
                    "distance",
                    "use_arc_embedding",
                    "use_upos",
                    "use_xpos",
                    "use_ufeats",
                    "reversed",
                    "use_peft",
                )
            )
        )

    def arcs(
        self, sentences: Sequence[Sequence[str]], lemmas: Sequence[Sequence[str]]
    ) -> list[list[tuple[int, str]]]:
        """Return head and relation of every word; the words are simplified ones."""
        packed = Packed([len(words) + 1 for words in sentences])
        # Every sentence begins with the root, which is no word.
        flat = [
            pair
            for words, own in zip(sentences, lemmas, strict=True)
            for pair in (None, *zip(words, own, strict=True))
        ]
        distinct = list(dict.fromkeys(flat))
        numbers = {pair: number for number, pair in enumerate(distinct)}
        which = np.empty(len(flat), np.int64)
        which[packed.place] = [numbers[pair] for pair in flat]
        pairs = [pair for pair in distinct if pair is not None]
        words, letters = [word for word, _ in pairs], [self.letters(word) for word, _ in pairs]
        known = np.concatenate(
            [
                self.word_vectors[[ROOT, *self.words(words)]].astype(np.float32),
                self.lemma_vectors[[ROOT, *self.lemmas([lemma for _, lemma in pairs])]].astype(
                    np.float32
                ),
                self.spelling([[ROOT], *letters]),
            ],
            axis=1,
        )
        states = self.states(known, packed, which)[packed.place]
        return self._decoded(states, [len(words) + 1 for words in sentences])

    def _decoded(self, states: Array, sizes: Sequence[int]) -> list[list[tuple[int, str]]]:
        values = np.maximum(states @ self.weight + self.bias, 0)
        sides = [_with_one(each) for each in np.split(values, len(LAYERS), axis=1)]
        begins = np.cumsum(sizes) - sizes
        found: dict[int, list[tuple[int, str]]] = {}
        for size in sorted(set(sizes)):
            alike = [number for number, own in enumerate(sizes) if own == size]
            for first in range(0, len(alike), max(1, TOGETHER // size)):
                some = alike[first : first + max(1, TOGETHER // size)]
                rows = (begins[some][:, None] + np.arange(size)).ravel()
                arcs, labels = self._scores([side[rows] for side in sides], len(some))
                for number, own_arcs, own_labels in zip(some, arcs, labels, strict=True):
                    heads = best_tree(own_arcs)
                    chosen = simple_labels(own_labels, self.groups, heads)
                    if chosen[0] < 0:
                        heads, chosen = decode(own_arcs, _chances(own_labels), self.groups)
                    relations = [self.relations[label] for label in chosen[1:].tolist()]
                    found[number] = list(zip(heads[1:].tolist(), relations, strict=True))
        return [found[number] for number in range(len(sizes))]

    def _scores(self, sides: Sequence[Array], count: int) -> tuple[Array, Array]:
        """Logarithms of the probabilities of arcs, and scores of relations, for sentences of one length."""
        size, relations = len(sides[0]) // count, len(self.relations)
        arc_word, arc_head, label_word, label_head = sides
        arcs: Any = (arc_word @ self.arc).reshape(count, size, -1) @ _columns(arc_head, count)
        arcs += self.arc_bias
        arcs[:, np.arange(size), np.arange(size)] = -np.inf
        # One product for all words but the root: a row a word and relation, a column a head.
        below = label_word.reshape(count, size, -1)[:, 1:].reshape(count * (size - 1), -1)
        mixed = (below @ self.label).reshape(count, (size - 1) * relations, -1)
        labels: Any = (mixed @ _columns(label_head, count)).reshape(
            count, size - 1, relations, size
        )
        labels += self.label_bias[:, None]
        chances = log_softmax(arcs, 2)
        return chances, labels


def _chances(scores: Array) -> Array:
    """Logarithms of probabilities [word, head, label] with the root, from [word, label, head] without it."""
    chances = log_softmax(scores, 1).transpose(0, 2, 1)
    return np.concatenate([np.zeros_like(chances[:1]), chances])


def _bilinear(weights: Mapping[str, Any], name: str) -> Array:
    """The weights [word, head, label] as a matrix [word, label and head]."""
    cube = weights[f"{name}.scorer.W_bilin.weight"].astype(np.float32)
    return np.ascontiguousarray(cube.transpose(0, 2, 1)).reshape(len(cube), -1)


def _columns(rows: Array, count: int) -> Array:
    return rows.reshape(count, -1, rows.shape[1]).transpose(0, 2, 1)


def _with_one(rows: Array) -> Array:
    return np.concatenate([rows, np.ones((len(rows), 1), np.float32)], axis=1)
