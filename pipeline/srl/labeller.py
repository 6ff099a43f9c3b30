"""The trained role labeller: which words are predicates, what their arguments are, in which roles.

A small network reads the words with their places in the tree, finds the predicates and gives each word near
a predicate a PropBank role or none. Of two claimants to a numbered role the surer one keeps it, the other one
needs to be sure: PropBank gives each role to one phrase, but "me know" in "let me know" is two in the tree.
Trained by ``scripts/train_srl.py``; prediction needs numpy only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from babi_cascade.pipeline.srl.features import (
    PredicateView,
    argument_candidates,
    checksum,
    pair_features,
    predicate_candidates,
    word_features,
)
from babi_cascade.pipeline.srl.model_file import load_network
from babi_cascade.pipeline.srl.model_header import fingerprint_of, shipped_model
from babi_cascade.pipeline.srl.network import Floats, Network
from babi_cascade.pipeline.trees import Tree

NUMBERED = re.compile(r"ARG[0-9A]")
LIGHT = "ARGM-PRR"  # the predicate of a light verb, "look" in "take a look": what can be no predicate is none
TWICE = 0.7  # what a role that is taken must be worth to a second word, of all that it may be
BATCH = 64  # trees read together; bounds the memory of a long list


@dataclass(frozen=True)
class Labeller:
    """A loaded role labeller; `header` says what it was trained on and how it scored."""

    network: Network
    header: dict[str, Any]

    @classmethod
    def load(cls, path: Path | None = None) -> Labeller:
        """Load a model file, the shipped one if none is named; refuse a damaged one."""
        return cls(*load_network(path or shipped_model()))

    @cached_property
    def fingerprint(self) -> str:
        """A short name of exactly these weights, for caches and signatures."""
        return fingerprint_of(self.header)

    def label(self, tree: Tree) -> dict[int, dict[int, str]]:
        """Return for one tree the id of each predicate → (id of argument head → role)."""
        return self.label_all([tree])[0]

    def label_all(
        self, trees: Iterable[Tree], predicates: Sequence[Iterable[int]] | None = None
    ) -> list[dict[int, dict[int, str]]]:
        """Label many trees; `predicates` (ids, one collection a tree) replaces the network's own."""
        every = list(trees)
        labelled: list[dict[int, dict[int, str]]] = [{} for _ in every]
        # Sentences of about the same length are read together.
        order = sorted(
            (i for i, tree in enumerate(every) if len(tree)), key=lambda i: len(every[i])
        )
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            given = None if predicates is None else [predicates[i] for i in places]
            found = self._labelled([every[i] for i in places], given)
            for i, roles in zip(places, found, strict=True):
                labelled[i] = roles
        return labelled

    def _labelled(
        self, trees: Sequence[Tree], given: Sequence[Iterable[int]] | None
    ) -> list[dict[int, dict[int, str]]]:
        words = [[checksum(f) for f in word_features(tree, t)] for tree in trees for t in tree]
        starts = np.cumsum([0] + [len(tree) for tree in trees])
        states = self.network.states(words, [len(tree) for tree in trees])
        if given is None:
            positive = self.network.predicates(states) > 0
            given = [
                [
                    t.id
                    for t in predicate_candidates(tree, self.network.nominal)
                    if positive[start + t.id - 1]
                ]
                for tree, start in zip(trees, starts[:-1], strict=True)
            ]
        labelled: list[dict[int, dict[int, str]]] = [{p: {} for p in ids} for ids in given]
        places: list[tuple[int, int, list[int]]] = []
        pairs: list[list[int]] = []
        for i, (tree, ids) in enumerate(zip(trees, given, strict=True)):
            for predicate in ids:
                view = PredicateView(tree, tree[predicate])
                candidates = argument_candidates(tree, tree[predicate])
                pairs += [[checksum(f) for f in pair_features(view, t)] for t in candidates]
                places.append((i, predicate, [t.id for t in candidates]))
        if not pairs:
            return labelled
        scores = self.network.arguments(
            states,
            np.array([starts[i] + predicate - 1 for i, predicate, ids in places for _ in ids]),
            np.array([starts[i] + word - 1 for i, _, ids in places for word in ids]),
            pairs,
        )
        if LIGHT in self.network.roles:
            column = self.network.roles.index(LIGHT)
            words_of = (trees[i][word] for i, _, ids in places for word in ids)
            for row, word in enumerate(words_of):
                if checksum(word.lemma.lower()) not in self.network.nominal:
                    scores[row, column] = -np.inf
        row = 0
        for i, predicate, ids in places:
            labelled[i][predicate] = assigned(ids, scores[row : row + len(ids)], self.network.roles)
            row += len(ids)
        return labelled


def assigned(words: Sequence[int], scores: Floats, roles: Sequence[str]) -> dict[int, str]:
    """Give each candidate its best role or none (the first), a numbered role twice only to the sure.

    Greedy from the surest decision on: the claimant that loses a role takes its next best one.
    """
    found: dict[int, str] = {}
    taken: set[int] = set()
    # Most candidates are nothing: only those with a role in sight are looked at.
    best = scores.argmax(axis=1)
    rows = np.flatnonzero(best)
    decided: set[int] = set()
    for flat in np.argsort(-scores[rows], axis=None, kind="stable"):
        which, column = divmod(int(flat), len(roles))
        if which in decided or (column in taken and scores[rows[which], column] < np.log(TWICE)):
            continue
        decided.add(which)
        if column:
            found[words[rows[which]]] = roles[column]
            if NUMBERED.fullmatch(roles[column]):
                taken.add(column)
    return dict(sorted(found.items()))
