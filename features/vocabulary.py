"""Texts of sentences numbered by group, from training sentences only; sentences as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from babi_cascade.features.group import Attribute, Group
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Ints, Longs


class Vocabulary:
    """The texts of some groups. Group g owns the ids from ``offsets[g]`` to ``offsets[g + 1]``.

    A text that was not met in training has no number: what it would say scores nothing. A pair of texts
    p and q of a group of d texts has the number ``base + p * d + q`` among all pairs.
    """

    def __init__(self, groups: Mapping[str, Group], texts: Iterable[tuple[str, str]] = ()) -> None:
        own: dict[str, list[str]] = {name: [] for name in groups}
        for name, text in texts:
            own[name].append(text)
        self.groups = dict(groups)
        self.texts = {name: tuple(each) for name, each in own.items()}
        self.sizes = tuple(len(each) for each in self.texts.values())
        self.offsets: Ints = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int32)
        self.n_pairs = sum(size * size for size in self.sizes)
        self._numbers = [
            {text: int(start) + i for i, text in enumerate(each)}
            for each, start in zip(self.texts.values(), self.offsets, strict=False)
        ]
        self._rows: dict[int, tuple[ReadSentence, Ints]] = {}

    @classmethod
    def learn(cls, groups: Mapping[str, Group], sentences: Iterable[ReadSentence]) -> Vocabulary:
        """Number the texts of training sentences, in alphabetical order."""
        found: dict[str, set[str]] = {name: set() for name in groups}
        for sentence in sentences:
            for name, group in groups.items():
                found[name].update(group.of_sentence(sentence))
        return cls(groups, ((name, text) for name in groups for text in sorted(found[name])))

    def entries(self) -> list[tuple[str, str]]:
        """Return every text with its group, as the constructor takes them."""
        return [(name, text) for name, own in self.texts.items() for text in own]

    def row(self, sentence: ReadSentence) -> Ints:
        """Return the known texts of a sentence, ascending, all groups together."""
        known = self._rows.get(id(sentence))
        if known is None:
            ids = [
                numbers[text]
                for numbers, group in zip(self._numbers, self.groups.values(), strict=True)
                for text in group.of_sentence(sentence)
                if text in numbers
            ]
            # The sentence is kept beside its row, so that its id stays its own.
            known = self._rows[id(sentence)] = (sentence, np.array(sorted(ids), dtype=np.int32))
        return known[1]

    def pairs(self, first: ReadSentence, second: ReadSentence) -> Longs:
        """Return the pairs of texts of two sentences, ascending."""
        a, b = self.row(first), self.row(second)
        cuts_a = np.searchsorted(a, self.offsets).tolist()
        cuts_b = np.searchsorted(b, self.offsets).tolist()
        base, found = 0, [np.zeros(0, dtype=np.int64)]
        for group, (start, end) in enumerate(pairwise(self.offsets.tolist())):
            size = end - start
            p = a[cuts_a[group] : cuts_a[group + 1]].astype(np.int64) - start
            q = b[cuts_b[group] : cuts_b[group + 1]].astype(np.int64) - start
            found.append((base + p[:, None] * size + q[None, :]).ravel())
            base += size * size
        return np.concatenate(found)

    def pair(self, number: int) -> tuple[str, Attribute]:
        """Return the group of a pair of texts, and the two."""
        for (name, own), size in zip(self.texts.items(), self.sizes, strict=True):
            if number < size * size:
                first, second = divmod(number, size)
                return name, (own[first], own[second])
            number -= size * size
        raise IndexError("there are not so many pairs of texts")

    def forget(self, above: int = 0) -> None:
        """Let go of the rows made so far when there are more."""
        if len(self._rows) > above:
            self._rows.clear()


def distinct_sentences(questions: Sequence[ReadQuestion]) -> list[ReadSentence]:
    """Return questions and the facts before them, each distinct sentence once, in order."""
    found: dict[int, ReadSentence] = {}
    for asked in questions:
        found.setdefault(id(asked.question), asked.question)
    for story in longest_stories(questions).values():
        for sentence in story:
            found.setdefault(id(sentence), sentence)
    return list(found.values())


def longest_stories(questions: Iterable[ReadQuestion]) -> dict[int, tuple[ReadSentence, ...]]:
    """Return by the id of each story the facts that come before any of its questions."""
    longest: dict[int, tuple[tuple[ReadSentence, ...], int]] = {}
    for asked in questions:
        _, before = longest.get(id(asked.story), (asked.story, 0))
        longest[id(asked.story)] = (asked.story, max(before, asked.n_facts))
    return {key: story[:length] for key, (story, length) in longest.items()}
