"""Attributes numbered by group, from training sentences only; sentences as rows of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.features.group import AttributeGroup
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

Ints = NDArray[np.int32]


class Vocabulary:
    """The attributes of some groups. Group g owns the ids from ``offsets[g]`` to ``offsets[g + 1]``.

    An attribute that was not met in training has no number: what it would say scores nothing.
    """

    def __init__(
        self, groups: Mapping[str, AttributeGroup], attributes: Mapping[str, Sequence[str]]
    ) -> None:
        self.groups = dict(groups)
        self.attributes = {name: tuple(attributes[name]) for name in groups}
        sizes = [len(self.attributes[name]) for name in groups]
        self.offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        self._numbers = [
            {attribute: int(start) + i for i, attribute in enumerate(self.attributes[name])}
            for name, start in zip(groups, self.offsets, strict=False)
        ]
        self._rows: dict[int, tuple[ReadSentence, Ints]] = {}

    @classmethod
    def learn(
        cls, groups: Mapping[str, AttributeGroup], sentences: Iterable[ReadSentence]
    ) -> Vocabulary:
        """Number the attributes of training sentences, in alphabetical order."""
        found: dict[str, set[str]] = {name: set() for name in groups}
        for sentence in sentences:
            for name, group in groups.items():
                found[name].update(group.attributes(sentence))
        return cls(groups, {name: sorted(found[name]) for name in groups})

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many attributes each group has."""
        return tuple(len(each) for each in self.attributes.values())

    def row(self, sentence: ReadSentence) -> Ints:
        """Return the known attributes of a sentence, ascending, all groups together."""
        known = self._rows.get(id(sentence))
        if known is None:
            ids = [
                numbers[attribute]
                for numbers, group in zip(self._numbers, self.groups.values(), strict=True)
                for attribute in group.attributes(sentence)
                if attribute in numbers
            ]
            # The sentence is kept beside its row, so that its id stays its own.
            known = self._rows[id(sentence)] = (sentence, np.array(sorted(ids), dtype=np.int32))
        return known[1]

    def forget(self, above: int = 0) -> None:
        """Let go of the rows made so far when there are more."""
        if len(self._rows) > above:
            self._rows.clear()

    def to_json(self) -> dict[str, Any]:
        """Return the attributes of every group."""
        return {name: list(attributes) for name, attributes in self.attributes.items()}


def distinct_sentences(questions: Iterable[ReadQuestion]) -> list[ReadSentence]:
    """Return questions and the facts before them, each distinct sentence once, in order."""
    found: dict[int, ReadSentence] = {}
    longest: dict[int, tuple[tuple[ReadSentence, ...], int]] = {}
    for asked in questions:
        found.setdefault(id(asked.question), asked.question)
        _, before = longest.get(id(asked.story), (asked.story, 0))
        longest[id(asked.story)] = (asked.story, max(before, asked.n_facts))
    for story, length in longest.values():
        for sentence in story[:length]:
            found.setdefault(id(sentence), sentence)
    return list(found.values())
