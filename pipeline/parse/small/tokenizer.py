"""Where words and sentences end: Stanza's tokenizer, a label for every letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from babi_cascade.pipeline.parse.small.layers import Linear, Lstm, Packed, sigmoid
from babi_cascade.pipeline.parse.small.weights import Array
from babi_cascade.pipeline.parse.small.words import Numbers

WINDOW = 1000
"""Letters of a text that are looked at together, and the longest word."""

TOGETHER = 8000
"""Letters of short texts that are labelled together."""

SENTENCE_END = 2
"""The label of the last letter of a sentence; 1 is that of a word, 0 of other letters."""

_SPACE = re.compile(r"[\s\u0080-\u009f]")
_FEATURES = ["space_before", "capitalized", "numeric", "end_of_para", "start_of_para"]
_ADDRESS = re.compile(r"@|://|www\.|\.(?:gov|org|edu|net|com?)", re.IGNORECASE)


class Word(NamedTuple):
    """A word and its place in the text."""

    text: str
    start: int
    end: int


def given(words: Sequence[str]) -> tuple[str, list[Word]]:
    """Return a text of words that are cut already, and the words in it."""
    found, place = [], 0
    for word in words:
        found.append(Word(word, place, place + len(word)))
        place += len(word) + 1
    return " ".join(words), found


class Tokenizer:
    """Cuts texts into words and sentences."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        weights = model["model"]
        self.numbers = Numbers(model["vocab"])
        self.letters = weights["embeddings.weight"].astype(np.float32)
        self.rnn, self.rnn2 = Lstm(weights, "rnn"), Lstm(weights, "rnn2")
        self.word, self.word2 = Linear(weights, "tok_clf"), Linear(weights, "tok_clf2")
        self.sentence, self.sentence2 = Linear(weights, "sent_clf"), Linear(weights, "sent_clf2")
        self.warmth = float(model["config"]["hier_invtemp"])

    @staticmethod
    def knows(config: Mapping[str, Any]) -> bool:
        """Whether a model is of the shape that is computed here."""
        return (
            config["hierarchical"]
            and config["feat_funcs"] == _FEATURES
            and config["rnn_layers"] == 1
            and not any(
                config.get(more)
                for more in (
                    "use_mwt",
                    "use_dictionary",
                    "conv_res",
                    "charlm",
                    "skip_newline",
                    "charlm_forward_file",
                )
            )
        )

    @staticmethod
    def takes(text: str) -> bool:
        """Whether a text is cut here: addresses of mails and pages are left to Stanza's expressions."""
        return _ADDRESS.search(text) is None

    def cut(self, texts: Sequence[str], *, split: bool) -> list[list[list[Word]]]:
        """Return the sentences of each text, one at most unless ``split``."""
        letters = [_letters(text) for text in texts]
        short = [i for i, places in enumerate(letters) if 0 < len(places) < WINDOW]
        rows = [self._rows(texts[i], letters[i], end=True) for i in short]
        labels = dict(zip(short, self._labels_in_parts(rows), strict=True))
        found = []
        for number, (text, places) in enumerate(zip(texts, letters, strict=True)):
            if len(places) >= WINDOW:
                labels[number] = self._labels_of_long(text, places)
            found.append(_sentences(text, places, labels.get(number, ()), split=split))
        return found

    def _rows(self, text: str, places: Sequence[int], *, end: bool) -> Array:
        """What is known of each letter, and of the padding that ends a text."""
        signs = [text[place] for place in places]
        if not (text.isascii() and text.isprintable()):
            signs = [_SPACE.sub(" ", sign) for sign in signs]
        rows = np.zeros((len(signs) + end, self.letters.shape[1] + len(_FEATURES)), np.float32)
        numbers = self.numbers(signs) + [0] * end
        width = self.letters.shape[1]
        rows[:, :width] = self.letters[numbers]
        rows[: len(signs), width : width + 3] = [
            (sign == " ", sign.isupper(), sign.isdecimal()) for sign in signs
        ]
        rows[len(signs) - 1, width + 3] = 1
        rows[0, width + 4] = 1
        return rows

    def _labels_in_parts(self, texts: Sequence[Array]) -> list[Any]:
        found, begin, size = list[Any](), 0, 0
        for end, rows in enumerate(texts, start=1):
            size += len(rows)
            if size >= TOGETHER or end == len(texts):
                found += self._labels(texts[begin:end])
                begin, size = end, 0
        return found

    def _labels(self, texts: Sequence[Array]) -> list[Any]:
        packed = Packed([len(rows) for rows in texts])
        rows = np.empty((len(packed.place), texts[0].shape[1]), np.float32)
        rows[packed.place] = np.concatenate(texts)
        states = self.rnn(rows, packed, None)
        word, sentence = self.word(states), self.sentence(states)
        states *= sigmoid(word * np.float32(self.warmth))
        states = self.rnn2(states, packed, None)
        word += self.word2(states)
        sentence += self.sentence2(states)
        # Of nothing, a word's end and a sentence's end, the most probable: sigmoids, multiplied.
        ends, last = sigmoid(word), sigmoid(sentence)
        labels = np.concatenate([1 - ends, ends * (1 - last), ends * last], axis=1).argmax(axis=1)
        sizes = np.cumsum([len(rows) for rows in texts])[:-1]
        return np.split(labels[packed.place], sizes)

    def _labels_of_long(self, text: str, places: Sequence[int]) -> Any:
        """Labels by windows; the next one begins behind the last sentence that ends in this one."""
        rows = self._rows(text, places, end=False)
        begin, labels = 0, []
        while begin < len(rows):
            (some,) = self._labels([rows[begin : begin + WINDOW]])
            ends = np.flatnonzero(some == SENTENCE_END)
            if len(ends) and begin < len(rows) - WINDOW:
                some = some[: ends[-1] + 1]
            labels.append(some)
            begin += len(some)
        return np.concatenate(labels)


def _letters(text: str) -> Sequence[int]:
    """Places of the letters of a text: of several white spaces one, at the end none."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return range(len(text.rstrip()))
    places, before = [], False
    for place in range(len(text.rstrip())):
        space = _SPACE.match(text[place]) is not None
        if not (space and before):
            places.append(place)
        before = space
    return places


def _sentences(text: str, places: Sequence[int], labels: Any, *, split: bool) -> list[list[Word]]:
    """Words end where a label says so, and where the text ends."""
    last = len(places) - 1
    sentences, words, begin = list[list[Word]](), list[Word](), 0
    for end in [*np.flatnonzero(labels[:last]).tolist(), last] if places else ():
        inside = places[begin : end + 1]
        begin = end + 1
        while inside and _SPACE.match(text[inside[0]]):
            inside = inside[1:]
        if inside:
            form = text[inside[0] : inside[-1] + 1]
            if len(form) != len(inside) or not form.isascii():
                form = _SPACE.sub(" ", "".join(text[place] for place in inside))
            if len(form) > WINDOW:
                form = "<UNK>"
            words.append(Word(form, inside[0], inside[-1] + 1))
        if words and (end == last or (split and labels[end] == SENTENCE_END)):
            sentences.append(words)
            words = []
    return sentences
