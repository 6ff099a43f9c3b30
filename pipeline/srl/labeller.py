"""The trained role labeller: which words are predicates, what their arguments are, in which roles.

Three linear models over dependency features: which words are predicates, which words near a predicate
are its arguments, and which PropBank role each argument has. A predicate has each numbered role only
once (PropBank's own constraint), so of two claimants the surer one keeps it.
Trained by ``scripts/train_srl.py`` with scikit-learn; prediction needs numpy only.
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
    argument_features,
    checksum,
    predicate_candidates,
    predicate_features,
)
from babi_cascade.pipeline.srl.model_file import Floats, LabellerError, LinearModel, load_models
from babi_cascade.pipeline.srl.model_header import fingerprint_of, shipped_model
from babi_cascade.pipeline.trees import Token, Tree

PARTS = ("predicates", "arguments", "roles")
NUMBERED = re.compile(r"ARG[0-9A]")
BATCH = 64  # trees scored with one product; bounds the memory of a long list


@dataclass(frozen=True)
class Labeller:
    """A loaded role labeller; `header` says what it was trained on and how it scored."""

    predicates: LinearModel
    arguments: LinearModel
    roles: LinearModel
    header: dict[str, Any]

    @classmethod
    def load(cls, path: Path | None = None) -> Labeller:
        """Load a model file, the shipped one if none is named; refuse a damaged one."""
        place = path or shipped_model()
        models, header = load_models(place)
        if set(PARTS) != models.keys():
            raise LabellerError(f"{place}: found parts {sorted(models)}, expected {sorted(PARTS)}")
        return cls(models["predicates"], models["arguments"], models["roles"], header)

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
        """Label many trees; `predicates` (ids, one collection a tree) replaces the first model."""
        every = list(trees)
        labelled: list[dict[int, dict[int, str]]] = []
        for start in range(0, len(every), BATCH):
            batch = every[start : start + BATCH]
            if predicates is None:
                given = self._predicates(batch)
            else:
                given = [
                    [tree[i] for i in ids]
                    for tree, ids in zip(batch, predicates[start : start + BATCH], strict=True)
                ]
            labelled.extend(self._arguments(batch, given))
        return labelled

    def _predicates(self, trees: list[Tree]) -> list[list[Token]]:
        places = [(i, t) for i, tree in enumerate(trees) for t in predicate_candidates(tree)]
        features = [[checksum(f) for f in predicate_features(trees[i], t)] for i, t in places]
        positive = self.predicates.scores(features)[:, 0] > 0
        found: list[list[Token]] = [[] for _ in trees]
        for (i, token), yes in zip(places, positive, strict=True):
            if yes:
                found[i].append(token)
        return found

    def _arguments(
        self, trees: list[Tree], predicates: list[list[Token]]
    ) -> list[dict[int, dict[int, str]]]:
        features: list[list[int]] = []
        places: list[tuple[int, int, Token]] = []
        labelled: list[dict[int, dict[int, str]]] = []
        for i, (tree, tokens) in enumerate(zip(trees, predicates, strict=True)):
            labelled.append({predicate.id: {} for predicate in tokens})
            for predicate in tokens:
                view = PredicateView(tree, predicate)
                for token in argument_candidates(tree, predicate):
                    places.append((i, predicate.id, token))
                    features.append([checksum(f) for f in argument_features(view, token)])
        chosen = np.flatnonzero(self.arguments.scores(features)[:, 0] > 0)
        scores = self.roles.scores([features[k] for k in chosen])
        arguments: dict[tuple[int, int], list[int]] = {}
        for row, k in enumerate(chosen):
            i, predicate_id, _ = places[k]
            arguments.setdefault((i, predicate_id), []).append(row)
        for (i, predicate_id), rows in arguments.items():
            heads = [places[chosen[row]][2].id for row in rows]
            labelled[i][predicate_id] = self._assigned(heads, scores[rows])
        return labelled

    def _assigned(self, heads: list[int], scores: Floats) -> dict[int, str]:
        """Give each argument its best role, each numbered role to one argument at most.

        Greedy from the surest decision on (by normalised score): the claimant that loses a role takes
        its next best one.
        """
        classes = self.roles.classes
        surest = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        assigned: dict[int, str] = {}
        taken: set[str] = set()
        for flat in np.argsort(-surest, axis=None, kind="stable"):
            row, column = divmod(int(flat), len(classes))
            role = classes[column]
            if heads[row] in assigned or role in taken:
                continue
            assigned[heads[row]] = role
            if NUMBERED.fullmatch(role):
                taken.add(role)
        return dict(sorted(assigned.items()))
