"""Parts of speech: Stanza's tagger whose columns share one hidden layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.pipeline.parse.small.layers import Highway, Linear, Packed, Spelling
from babi_cascade.pipeline.parse.small.words import Numbers


class Tagger:
    """Gives every word its universal and its Penn tag."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        weights, vocabulary = model["model"], model["vocab"]
        self.words, self.letters = Numbers(vocabulary["word"]), Numbers(vocabulary["char"])
        self.upos, self.xpos = vocabulary["upos"]["_id2unit"], vocabulary["xpos"]["_id2unit"]
        self.vectors = weights["word_emb.weight"]
        self.spelling = Spelling(weights)
        self.states = Highway(weights, "taggerlstm")
        self.hidden = Linear(weights, "upos_hid")
        self.heads = Linear(weights, "upos_clf"), Linear(weights, "tag_clf.xpos")

    @staticmethod
    def knows(config: Mapping[str, Any], vocabulary: Mapping[str, Any]) -> bool:
        """Whether a model is of the shape that is computed here."""
        return (
            config["share_hid"]
            and config["char"]
            and config["char_num_layers"] == 1
            and vocabulary["_key2class"]["xpos"] == "WordVocab"
            and list(vocabulary["feats"]["_id2unit"]) == ["_"]
            and not any(
                config.get(more)
                for more in ("pretrain", "charlm", "bert_model", "char_bidirectional", "use_peft")
            )
        )

    def tags(self, sentences: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """Return both tags of every word; the words are simplified ones."""
        flat = [word for words in sentences for word in words]
        packed = Packed([len(words) for words in sentences])
        distinct = list(dict.fromkeys(flat))
        numbers = {word: number for number, word in enumerate(distinct)}
        which = np.empty(len(flat), np.int64)
        which[packed.place] = [numbers[word] for word in flat]
        known = np.concatenate(
            [
                self.vectors[self.words(distinct)].astype(np.float32),
                self.spelling([self.letters(word) for word in distinct]),
            ],
            axis=1,
        )
        hidden = np.maximum(self.hidden(self.states(known, packed, which)), 0)
        upos, xpos = (head(hidden).argmax(axis=1)[packed.place].tolist() for head in self.heads)
        pairs = iter(zip(upos, xpos, strict=True))
        return [
            [
                (self.upos[u], "_" if self.xpos[x] == "<EMPTY>" else self.xpos[x])
                for u, x in (next(pairs) for _ in words)
            ]
            for words in sentences
        ]
