"""Scores of predicted roles, as in the CoNLL shared tasks on semantic dependencies.

A role counts as right when predicate, head of the argument and label agree. Sense numbers of predicates
are not predicted and not scored. Identification (the same without the label) and the share of right
labels among the arguments found are given apart, so that one sees which of the two steps errs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Roles = Mapping[int, Mapping[int, str]]
"""id of predicate → (id of argument head → role); a predicate without arguments is there, empty."""


@dataclass
class Counts:
    """How many were expected, given, and both."""

    gold: int = 0
    found: int = 0
    right: int = 0

    @property
    def precision(self) -> float:
        """The share of what was given that is right; 0 if nothing was given."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of what was expected that was given; 0 if nothing was expected."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / (self.gold + self.found) if self.gold + self.found else 0.0

    def __str__(self) -> str:
        return (
            f"P {100 * self.precision:5.2f}  R {100 * self.recall:5.2f}  F1 {100 * self.f1:5.2f}"
            f"  ({self.right} right of {self.gold} gold, {self.found} found)"
        )


@dataclass
class RoleScores:
    """Scores over many sentences: predicates, arguments without and with label, and each label."""

    predicates: Counts = field(default_factory=Counts)
    unlabelled: Counts = field(default_factory=Counts)
    labelled: Counts = field(default_factory=Counts)
    labels: dict[str, Counts] = field(default_factory=dict)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def classification(self) -> float:
        """The share of right labels among the arguments that were found."""
        return self.labelled.right / self.unlabelled.right if self.unlabelled.right else 0.0

    def add(self, gold: Roles, found: Roles) -> None:
        """Count one sentence."""
        _count(self.predicates, set(gold), set(found))
        expected = {(p, a): label for p, roles in gold.items() for a, label in roles.items()}
        given = {(p, a): label for p, roles in found.items() for a, label in roles.items()}
        _count(self.unlabelled, set(expected), set(given))
        _count(self.labelled, set(expected.items()), set(given.items()))
        for label in {*expected.values(), *given.values()}:
            self.labels.setdefault(label, Counts())
        for place in expected.keys() | given.keys():
            wanted, got = expected.get(place, ""), given.get(place, "")
            if wanted:
                self.labels[wanted].gold += 1
            if got:
                self.labels[got].found += 1
            if wanted == got:
                self.labels[wanted].right += 1
            else:
                self.confusions[wanted, got] += 1

    def lines(self, labels: int = 12) -> list[str]:
        """Return the scores as lines to print, with the most frequent labels."""
        frequent = sorted(self.labels.items(), key=lambda item: (-item[1].gold, item[0]))[:labels]
        return [
            f"predicates          {self.predicates}",
            f"arguments           {self.unlabelled}",
            f"arguments + labels  {self.labelled}",
            f"labels of arguments found: {100 * self.classification:.2f} % right",
            *(f"  {label:<17} {counts}" for label, counts in frequent),
        ]


def score_roles(pairs: Iterable[tuple[Roles, Roles]]) -> RoleScores:
    """Return the scores of (gold, found) pairs, one a sentence."""
    scores = RoleScores()
    for gold, found in pairs:
        scores.add(gold, found)
    return scores


def _count(counts: Counts, gold: set[object], found: set[object]) -> None:
    counts.gold += len(gold)
    counts.found += len(found)
    counts.right += len(gold & found)
