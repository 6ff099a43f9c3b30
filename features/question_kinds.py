"""Decisions that depend on the kind of a question and are learned from training questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from babi_cascade.features.outline import Outline


class KindTable:
    """What was seen for each kind of question; an unknown kind takes what its question word is used for.

    Questions are looked up by what they ask for and their predicate, then by what they ask for alone, then
    by its first word ("which town" as "which").
    """

    def __init__(self, default: str) -> None:
        self.default = default
        self.kinds: dict[str, str] = {}
        self.words: dict[str, str] = {}

    def learn(
        self, questions: Sequence[Outline], values: Sequence[str], *, prefer: str | None = None
    ) -> KindTable:
        """Learn the most frequent value of each kind; ``prefer`` wins where it occurs at all."""
        kinds: dict[str, Counter[str]] = {}
        words: dict[str, Counter[str]] = {}
        for question, value in zip(questions, values, strict=True):
            kinds.setdefault(question.kind, Counter())[value] += 1
        self.kinds = {kind: _chosen(seen, prefer) for kind, seen in kinds.items()}
        for question in questions:
            for asked in asked_for(question.asked):
                words.setdefault(asked, Counter())[self.kinds[question.kind]] += 1
        self.words = {word: _chosen(seen, None) for word, seen in words.items()}
        return self

    def of(self, question: Outline) -> str:
        """Return the value for a question."""
        known = self.kinds.get(question.kind)
        guesses = (self.words[asked] for asked in asked_for(question.asked) if asked in self.words)
        return known if known is not None else next(guesses, self.default)

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {"default": self.default, "kinds": self.kinds, "words": self.words}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> KindTable:
        """Take over what ``to_json`` returned."""
        table = cls(record["default"])
        table.kinds = dict(record["kinds"])
        table.words = dict(record["words"])
        return table


def asked_for(asked: str) -> tuple[str, ...]:
    """Return what a question asks for, from the closest description to the widest: "which town", "which"."""
    return tuple(dict.fromkeys((asked, asked.partition(" ")[0])))


def _chosen(seen: Counter[str], prefer: str | None) -> str:
    if prefer is not None and prefer in seen:
        return prefer
    return seen.most_common(1)[0][0]
