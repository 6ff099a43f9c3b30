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

Partition = Sequence[frozenset[Hashable]]


@dataclass(frozen=True, slots=True)
class Score:
    """Recall and precision as sums that can be added over documents."""

    recall_part: float = 0.0
    recall_whole: float = 0.0
    precision_part: float = 0.0
    precision_whole: float = 0.0

    def __add__(self, other: Score) -> Score:
        return Score(
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

    muc: Score = Score()
    b_cubed: Score = Score()
    ceaf_e: Score = Score()
    mentions: Score = Score()

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


def muc(key: Partition, response: Partition) -> Score:
    """Count the links that each side would have to add to become the other."""
    return _both_ways(key, response, _links)


def b_cubed(key: Partition, response: Partition) -> Score:
    """Average over mentions how much of each one's entity is shared."""
    return _both_ways(key, response, _shares)


def ceaf_e(key: Partition, response: Partition) -> Score:
    """Align the entities of both sides one to one, as well as can be."""
    similarity = float(sum(_alignments(key, response), Fraction(0)))
    return Score(similarity, len(key), similarity, len(response))


def best_assignment(weights: Sequence[Sequence[Fraction]]) -> Fraction:
    """Return the greatest sum of weights that takes at most one of each row and column.

    The Hungarian method with potentials (shortest augmenting paths), on exact fractions: O(rows² ·
    columns), and no ties are lost to rounding. The wide side must be the columns.
    """
    rows, columns = len(weights), len(weights[0])
    row_potential = [Fraction(0)] * (rows + 1)
    column_potential = [Fraction(0)] * (columns + 1)
    row_of = [0] * (
        columns + 1
    )  # the row (from 1) that a column is given to; column 0 is the start
    for row in range(1, rows + 1):
        row_of[0], column = row, 0
        slack: list[Fraction | None] = [None] * (columns + 1)
        came_from = [0] * (columns + 1)
        done = [False] * (columns + 1)
        while row_of[column]:
            done[column] = True
            current, step, following = row_of[column], None, 0
            for j in range(1, columns + 1):
                if done[j]:
                    continue
                # Costs are negated weights: the method minimises.
                reduced = (
                    -weights[current - 1][j - 1] - row_potential[current] - column_potential[j]
                )
                known = slack[j]
                if known is None or reduced < known:
                    slack[j], came_from[j], known = reduced, column, reduced
                if step is None or known < step:
                    step, following = known, j
            assert step is not None  # there are at least as many columns as rows
            for j in range(columns + 1):
                remaining = slack[j]
                if done[j]:
                    row_potential[row_of[j]] += step
                    column_potential[j] -= step
                elif remaining is not None:
                    slack[j] = remaining - step
            column = following
        while column:
            row_of[column], column = row_of[came_from[column]], came_from[column]
    return sum(
        (weights[row_of[j] - 1][j - 1] for j in range(1, columns + 1) if row_of[j]), Fraction(0)
    )


def _both_ways(
    key: Partition,
    response: Partition,
    measure: Callable[[Partition, dict[Hashable, frozenset[Hashable]]], tuple[float, float]],
) -> Score:
    return Score(*measure(key, _index(response)), *measure(response, _index(key)))


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


def _mentions(key: Partition, response: Partition) -> Score:
    wanted, found = set(_index(key)), set(_index(response))
    right = len(wanted & found)
    return Score(right, len(wanted), right, len(found))


def _alignments(key: Partition, response: Partition) -> Iterable[Fraction]:
    """Yield the best alignment of each group of entities that touch one another.

    Entities without a common mention have similarity 0, so the groups can be solved apart: that
    turns one large problem into many tiny ones.
    """
    holder = {mention: j for j, entity in enumerate(response) for mention in entity}
    touched: dict[int, set[int]] = {
        i: {holder[m] for m in entity if m in holder} for i, entity in enumerate(key)
    }
    touching: dict[int, set[int]] = {}
    for i, others in touched.items():
        for j in others:
            touching.setdefault(j, set()).add(i)
    seen: set[int] = set()
    for first in touched:
        if first in seen:
            continue
        rows: list[int] = []
        columns: set[int] = set()
        queue = [first]
        seen.add(first)
        while queue:
            i = queue.pop()
            rows.append(i)
            for j in touched[i] - columns:
                columns.add(j)
                fresh = touching[j] - seen
                seen |= fresh
                queue.extend(fresh)
        if columns:
            weights = [[_phi4(key[i], response[j]) for j in sorted(columns)] for i in sorted(rows)]
            if len(weights) > len(weights[0]):
                weights = [list(column) for column in zip(*weights, strict=True)]
            yield best_assignment(weights)


def _phi4(one: frozenset[Hashable], other: frozenset[Hashable]) -> Fraction:
    return Fraction(2 * len(one & other), len(one) + len(other))
