"""Lemmas: Stanza's dictionary, and for other words its network, which edits a word or spells its lemma."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.pipeline.parse.small.layers import (
    Linear,
    Lstm,
    Packed,
    log_softmax,
    recur,
    sigmoid,
)  # fmt: skip
from babi_cascade.pipeline.parse.small.weights import Array
from babi_cascade.pipeline.parse.small.words import UNKNOWN

START, END = 2, 3
SPELLED, SAME, LOWER = 0, 1, 2
ANY_TAG = "*"

Pair = tuple[str, str]


class Lemmatizer:
    """Gives words with universal tags their lemmas."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        weights, config = model["model"], model["config"]
        self.known: Mapping[str, Mapping[str, str]] = json.loads(gzip.decompress(model["dicts"]))
        self.letters: Mapping[str, int] = model["vocab"]["char"]["_unit2id"]
        self.signs: Sequence[str] = model["vocab"]["char"]["_id2unit"]
        self.tags: Mapping[str, int] = model["vocab"]["pos"]["_unit2id"]
        self.longest = int(config["max_dec_len"])
        self.vectors = weights["embedding.weight"].astype(np.float32)
        self.tag_vectors = weights["pos_embedding.weight"].astype(np.float32)
        self.encoder = Lstm(weights, "encoder")
        self.edits = Linear(weights, "edit_clf.0"), Linear(weights, "edit_clf.2")
        names = {"weight_ih": "weight_ih_l0", "weight_hh": "weight_hh_l0",
                 "bias_ih": "bias_ih_l0", "bias_hh": "bias_hh_l0"}  # fmt: skip
        cell = {f"cell.{new}": weights[f"decoder.lstm_cell.{old}"] for old, new in names.items()}
        self.decoder = Lstm(cell, "cell")
        self.attend = Linear(weights, "decoder.attention_layer.linear_in")
        self.join = Linear(weights, "decoder.attention_layer.linear_out")
        self.spell = Linear(weights, "dec2vocab")
        self.copy = Linear(weights, "copy_gate")

    @staticmethod
    def knows(model: Mapping[str, Any]) -> bool:
        """Whether a model is of the shape that is computed here."""
        config = model["config"]
        return (
            config["ensemble_dict"]
            and config["edit"]
            and config["copy"]
            and config["pos"]
            and config["attn_type"] == "soft"
            and config["num_layers"] == 1
            and config["beam_size"] == 1
            and model["dicts_version"] == 3
            and not model["contextual"]
            and not any(config.get(more) for more in ("dict_only", "charlm", "caseless"))
        )

    def lemmas(self, words: Iterable[Pair]) -> dict[Pair, str]:
        """Return the lemma of every different word with its tag."""
        found: dict[Pair, str] = {}
        others: dict[int, list[Pair]] = defaultdict(list)
        for pair in dict.fromkeys(words):
            lemma = self._in_dictionary(*pair)
            if lemma is None:
                others[len(pair[0])].append(pair)
            else:
                found[pair] = lemma
        for pairs in others.values():
            found.update(zip(pairs, self._by_network(pairs), strict=True))
        return {pair: lemma or "_" for pair, lemma in found.items()}

    def _in_dictionary(self, word: str, tag: str) -> str | None:
        lemma = self.known.get(tag, {}).get(word)
        return self.known.get(ANY_TAG, {}).get(word) if lemma is None else lemma

    def _by_network(self, pairs: Sequence[Pair]) -> list[str]:
        """Lemmas of words of one length: read them, then spell those that are not simply edited."""
        new = sorted({sign for word, _ in pairs for sign in word if sign not in self.letters})
        numbers = {sign: len(self.signs) + place for place, sign in enumerate(new)}
        ids = np.array(
            [[START, *(self.letters.get(c) or numbers[c] for c in word), END] for word, _ in pairs]
        )
        tags = [self.tags.get(tag, UNKNOWN) for _, tag in pairs]
        packed = Packed([ids.shape[1] + 1] * len(ids))
        shown = np.where(ids < len(self.vectors), ids, UNKNOWN)
        rows = np.concatenate([self.tag_vectors[tags][:, None], self.vectors[shown]], axis=1)
        steps = np.empty((len(packed.place), rows.shape[2]), np.float32)
        steps[packed.place] = rows.reshape(-1, rows.shape[2])
        context, hidden, cell = self._read(steps, packed, len(ids))
        edit = self.edits[1](np.maximum(self.edits[0](hidden), 0)).argmax(axis=1)
        lemmas = [
            word.lower() if kind == LOWER else word
            for (word, _), kind in zip(pairs, edit, strict=True)
        ]
        spelled = np.flatnonzero(edit == SPELLED)
        if len(spelled):
            signs = [*self.signs, *new]
            outputs = self._spelled(ids[spelled], context[spelled], hidden[spelled], cell[spelled])
            for place, output in zip(spelled, outputs, strict=True):
                lemma = "".join(signs[number] for number in output)
                if lemma and "<UNK>" not in lemma:
                    lemmas[place] = lemma
        return lemmas

    def _read(self, steps: Array, packed: Packed, count: int) -> tuple[Array, Array, Array]:
        """What the network knows of each letter, and of the words: hidden state and cell."""
        states, cells = self.encoder.run(steps, packed, None)
        both = np.concatenate([states[0], states[1][packed.turned]], axis=1)
        context = both[packed.place].reshape(count, -1, both.shape[1])
        # All words are of one length, so the last rows are the last states; the backward ones come first.
        hidden = np.concatenate([states[1][-count:], states[0][-count:]], axis=1)
        return context, hidden, np.concatenate([cells[1], cells[0]], axis=1)

    def _spelled(self, ids: Any, context: Array, hidden: Array, cell: Array) -> list[list[int]]:
        """Spell letter by letter: each is copied from the word or taken from the alphabet."""
        count, alphabet = len(ids), len(self.vectors)
        size = max(alphabet, int(ids.max()) + 1)
        outputs: list[list[int]] = [[] for _ in range(count)]
        chosen = np.full(count, START)
        open_words = np.ones(count, bool)
        rows = np.arange(count)
        for _ in range(self.longest):
            shown = np.where(chosen < alphabet, chosen, UNKNOWN)
            entering = (self.vectors[shown] @ self.decoder.inputs[0])[None]
            states, cells = recur(
                entering,
                self.decoder.recurrent,
                self.decoder.bias,
                (hidden[None], cell[None]),
                [count],
            )
            hidden, cell = states[0], cells[0]
            attention = (context @ self.attend(hidden)[:, :, None])[:, :, 0]
            log_attention = log_softmax(attention, 1)
            weighted = (np.exp(log_attention)[:, None] @ context)[:, 0]
            out = np.tanh(self.join(np.concatenate([weighted, hidden], axis=1)))
            probable = np.exp(log_softmax(self.spell(out), 1))
            # Signs that the alphabet lacks can be copied; otherwise they count as the unknown one.
            more = np.repeat(probable[:, UNKNOWN : UNKNOWN + 1], size - alphabet, axis=1)
            probable = np.concatenate([probable, more], axis=1)
            copied = sigmoid(self.copy(out))
            probable *= 1 - copied
            # The tag, which is read before the letters, cannot be copied.
            shares = np.exp(log_softmax(log_attention[:, 1:], 1)) * copied
            np.add.at(probable, (rows[:, None], ids), shares)
            chosen = probable.argmax(axis=1)
            open_words &= chosen != END
            if not open_words.any():
                break
            for row in np.flatnonzero(open_words):
                outputs[row].append(int(chosen[row]))
        return outputs
