"""MUC, B³ and CEAF-e, and their mean, the CoNLL F1: how far two partitions of mentions agree.

The definitions are those of the CoNLL reference scorer (Pradhan et al. 2014) for mentions that a system
found itself: a mention of one side that the other side lacks counts against recall or precision, and
nothing is added to either partition. Counts are summed over documents before ratios are taken.

- MUC (Vilain et al. 1995): links. Recall is Σ(|K| − parts of K under R) / Σ(|K| − 1).
- B³ (Bagga and Baldwin 1998): mentions. Recall is the mean over key mentions of |K ∩ R| / |K|.
- CEAF-e (Luo 2005): entities. The one-to-one alignment of entities with the greatest sum of
  φ4 = 2|K ∩ R| / (|K| + |R|), divided by the number of entities of each side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linear_sum_assignment

Partition = Sequence[frozenset[Hashable]]


@dataclass(frozen=True, slots=True)
class RecallPrecision:
    """Recall and precision as sums that can be added over documents."""

    recall_part: float = 0.0
    recall_whole: float = 0.0
    precision_part: float = 0.0
    precision_whole: float = 0.0

    def __add__(self, other: RecallPrecision) -> RecallPrecision:
        return RecallPrecision(
            self.recall_part + other.recall_part,
            self.recall_whole + other.recall_whole,
            self.precision_part + other.precision_part,
            self.precision_whole + other.precision_whole,
        )

    @property
    def recall(self) -> float:
        """Of what the key holds, the share that was found."""
        return self.recall_part / self.recall_whole if self.recall_whole else 0.0

    @property
    def precision(self) -> float:
        """Of what was found, the share that the key holds."""
        return self.precision_part / self.precision_whole if self.precision_whole else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of recall and precision."""
        both = self.recall + self.precision
        return 2 * self.recall * self.precision / both if both else 0.0


@dataclass(frozen=True, slots=True)
class CorefScores:
    """The three measures of one or more documents, and the mentions found exactly."""

    muc: RecallPrecision = RecallPrecision()
    b_cubed: RecallPrecision = RecallPrecision()
    ceaf_e: RecallPrecision = RecallPrecision()
    mentions: RecallPrecision = RecallPrecision()

    def __add__(self, other: CorefScores) -> CorefScores:
        return CorefScores(
            self.muc + other.muc,
            self.b_cubed + other.b_cubed,
            self.ceaf_e + other.ceaf_e,
            self.mentions + other.mentions,
        )

    @property
    def conll(self) -> float:
        """The CoNLL F1: the mean of the three F1."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf_e.f1) / 3

    def to_json(self) -> Mapping[str, Mapping[str, float] | float]:
        """Return the figures as shares of one."""
        named = {
            "muc": self.muc,
            "b_cubed": self.b_cubed,
            "ceaf_e": self.ceaf_e,
            "mentions": self.mentions,
        }
        return {
            "conll_f1": self.conll,
            **{
                name: {"recall": s.recall, "precision": s.precision, "f1": s.f1}
                for name, s in named.items()
            },
        }


def score(key: Iterable[Iterable[Hashable]], response: Iterable[Iterable[Hashable]]) -> CorefScores:
    """Compare the entities of one document with those of the key."""
    keys = [frozenset(entity) for entity in key]
    responses = [frozenset(entity) for entity in response]
    return CorefScores(
        muc(keys, responses),
        b_cubed(keys, responses),
        ceaf_e(keys, responses),
        _mentions(keys, responses),
    )


def muc(key: Partition, response: Partition) -> RecallPrecision:
    """Count the links that each side would have to add to become the other."""
    return _both_ways(key, response, _links)


def b_cubed(key: Partition, response: Partition) -> RecallPrecision:
    """Average over mentions how much of each one's entity is shared."""
    return _both_ways(key, response, _shares)


def ceaf_e(key: Partition, response: Partition) -> RecallPrecision:
    """Align the entities of both sides one to one, as well as can be."""
    column = {mention: j for j, entity in enumerate(response) for mention in entity}
    shared = np.zeros((len(key), len(response)))
    for row, entity in enumerate(key):
        for mention in entity:
            if mention in column:
                shared[row, column[mention]] += 1
    sizes = np.add.outer([len(entity) for entity in key], [len(entity) for entity in response])
    phi4 = 2 * shared / np.maximum(sizes, 1)
    similarity = float(phi4[linear_sum_assignment(phi4, maximize=True)].sum())
    return RecallPrecision(similarity, len(key), similarity, len(response))


def _both_ways(
    key: Partition,
    response: Partition,
    measure: Callable[[Partition, dict[Hashable, frozenset[Hashable]]], tuple[float, float]],
) -> RecallPrecision:
    return RecallPrecision(*measure(key, _index(response)), *measure(response, _index(key)))


def _index(partition: Partition) -> dict[Hashable, frozenset[Hashable]]:
    return {mention: entity for entity in partition for mention in entity}


def _links(partition: Partition, other: dict[Hashable, frozenset[Hashable]]) -> tuple[float, float]:
    kept = whole = 0
    for entity in partition:
        groups = {id(other[m]) for m in entity if m in other}
        parts = len(groups) + sum(m not in other for m in entity)
        kept += len(entity) - parts
        whole += len(entity) - 1
    return kept, whole


def _shares(
    partition: Partition, other: dict[Hashable, frozenset[Hashable]]
) -> tuple[float, float]:
    total, count = Fraction(0), 0
    for entity in partition:
        count += len(entity)
        sizes: dict[int, int] = {}
        for mention in entity:
            if mention in other:
                group = id(other[mention])
                sizes[group] = sizes.get(group, 0) + 1
        total += Fraction(sum(size * size for size in sizes.values()), len(entity) or 1)
    return float(total), count


def _mentions(key: Partition, response: Partition) -> RecallPrecision:
    wanted, found = set(_index(key)), set(_index(response))
    right = len(wanted & found)
    return RecallPrecision(right, len(wanted), right, len(found))
