"""Choosing one of the candidates that each example brings along; the loss is 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.one_of_several import OneOfSeveral


@dataclass(frozen=True, slots=True)
class CandidateExamples:
    """Examples whose candidates are lists of features; a feature listed twice counts twice."""

    first: Longs  # [E + 1] candidates of example e are first[e] … first[e + 1] - 1
    feature_ptr: Longs  # [candidates + 1] CSR
    feature_ids: Ints
    n_features: int
    labels: Ints  # [E] number of the true candidate among its own; -1 where it is not known


class CandidateProblem(OneOfSeveral):
    """The structured problem over :class:`CandidateExamples`."""

    thing = "candidate"

    def __init__(self, examples: CandidateExamples) -> None:
        _check(examples)
        self.examples = examples
        self.n_examples = len(examples.labels)
        self.size_joint_feature = examples.n_features
        self._first = np.ascontiguousarray(examples.first, np.int64)
        self._ptr = np.ascontiguousarray(examples.feature_ptr, np.int64)
        self._ids = np.ascontiguousarray(examples.feature_ids, np.int32)
        self._labels = np.ascontiguousarray(examples.labels, np.int32)

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Best candidate of each example; the first of equals."""
        from babi_cascade.svm.candidate_kernels import search_candidates

        self.check_arguments(examples, w)
        for given in (gold, exclude):
            if given is not None and np.shape(given) != (len(examples), 1):
                raise SvmError(f"expected one label for each example, found shape {given.shape}")
        labels = np.empty((len(examples), 1), np.int32)
        scores = np.empty(len(examples))
        none = np.empty((0, 1), np.int32)
        search_candidates(
            self._first,
            self._ptr,
            self._ids,
            np.ascontiguousarray(w, np.float64),
            np.ascontiguousarray(examples, np.int64),
            none if gold is None else np.ascontiguousarray(gold, np.int32),
            none if exclude is None else np.ascontiguousarray(exclude, np.int32),
            labels,
            scores,
        )
        return labels, scores

    def features_batch(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids."""
        from babi_cascade.svm.candidate_kernels import candidate_features

        self.check_arguments(examples)
        chosen = np.asarray(labels, np.int64)[:, 0]
        rows = self._first[examples] + chosen
        if np.any(chosen < 0) or np.any(rows >= self._first[np.asarray(examples) + 1]):
            raise SvmError("a label names a candidate that its example does not have")
        return candidate_features(self._ptr, self._ids, rows)

    def subset(self, indices: npt.ArrayLike) -> CandidateProblem:
        """Only these examples; the weights mean the same."""
        from babi_cascade.svm.candidate_kernels import candidate_features

        chosen = np.asarray(indices, np.int64)
        e = self.examples
        counts = np.diff(e.first)[chosen]
        first = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        rows = np.repeat(e.first[chosen] - first[:-1], counts) + np.arange(first[-1])
        ptr, ids = candidate_features(self._ptr, self._ids, rows.astype(np.int64))
        return CandidateProblem(
            replace(e, first=first, feature_ptr=ptr, feature_ids=ids, labels=e.labels[chosen])
        )


def _check(e: CandidateExamples) -> None:
    for rule, holds in _rules(e):  # one after the other: a later rule may rely on an earlier one
        if not holds:
            raise SvmError(f"candidate examples: {rule}")


def _rules(e: CandidateExamples) -> Iterator[tuple[str, bool]]:
    yield (
        "first must match the labels",
        len(e.first) == len(e.labels) + 1 and int(e.first[0]) == 0,
    )
    counts = np.diff(e.first)
    yield "every example needs a candidate", bool(np.all(counts > 0))
    yield (
        "feature_ptr must match the candidates",
        len(e.feature_ptr) == int(e.first[-1]) + 1
        and int(e.feature_ptr[0]) == 0
        and int(e.feature_ptr[-1]) == len(e.feature_ids)
        and bool(np.all(np.diff(e.feature_ptr) >= 0)),
    )
    yield (
        "features must be numbered",
        not len(e.feature_ids)
        or bool(e.feature_ids.min() >= 0 and e.feature_ids.max() < e.n_features),
    )
    yield (
        "labels must be candidates",
        bool(np.all(e.labels >= -1) and np.all(e.labels < counts)),
    )
