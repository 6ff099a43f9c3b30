"""Choosing one of the candidates that each example brings along; the loss is 0 or 1.

A candidate has features of its own, and it may be one of the known *classes*: then every context attribute of
its example has a weight for it. Ranking known answers is the case without features of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.ranking_arrays import RankingArrays


@dataclass(frozen=True, slots=True)
class RankingExamples:
    """Examples whose candidates are lists of features; a feature listed twice counts twice.

    Weights: ``n_own`` of the candidates' own features, then ``n_classes`` for each context attribute.
    """

    first: Longs  # [E] candidates of example e are first[e] … first[e] + counts[e] - 1
    counts: Ints  # [E]
    classes: Ints  # [candidates] which class a candidate is, -1 for none
    own_ptr: Longs  # [candidates + 1] CSR of the features of each candidate
    own_ids: Ints
    n_own: int
    context_first: Longs  # [E] context attributes of example e are those from here on
    context_count: Ints  # [E]
    context_ids: Ints
    n_contexts: int
    n_classes: int
    labels: Ints  # [E] number of the true candidate among its own; -1 where it is not known


class RankingProblem(Problem):
    """The structured problem over :class:`RankingExamples`."""

    label_length = 1

    def __init__(self, examples: RankingExamples) -> None:
        for rule, holds in _rules(examples):  # in order: a later rule may rely on an earlier one
            if not holds:
                raise SvmError(f"ranking examples: {rule}")
        e = self.examples = examples
        self.n_examples = len(e.labels)
        self.size_joint_feature = e.n_own + e.n_contexts * e.n_classes
        if self.size_joint_feature >= 2**31:
            raise SvmError("ranking examples: too many weights; leave out rare attributes")
        self._arrays = RankingArrays(
            np.ascontiguousarray(e.first, np.int64),
            np.ascontiguousarray(e.counts, np.int32),
            np.ascontiguousarray(e.classes, np.int32),
            np.ascontiguousarray(e.own_ptr, np.int64),
            np.ascontiguousarray(e.own_ids, np.int32),
            np.ascontiguousarray(e.context_first, np.int64),
            np.ascontiguousarray(e.context_count, np.int32),
            np.ascontiguousarray(e.context_ids, np.int32),
            e.n_own,
            e.n_classes,
        )
        self._labels = np.ascontiguousarray(e.labels, np.int32)

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Best candidate of each example; the first of equals."""
        from babi_cascade.svm.ranking_kernels import search_candidates

        self.check_arguments(examples, w)
        for given in (gold, exclude):
            if given is not None and np.shape(given) != (len(examples), 1):
                raise SvmError(f"expected one label for each example, found shape {given.shape}")
        labels = np.empty((len(examples), 1), np.int32)
        scores = np.empty(len(examples))
        none = np.empty((0, 1), np.int32)
        search_candidates(
            self._arrays,
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
        from babi_cascade.svm.ranking_kernels import candidate_features

        self.check_arguments(examples)
        chosen = np.ascontiguousarray(labels, np.int32)[:, 0]
        if np.any(chosen < 0) or np.any(chosen >= self._arrays.counts[examples]):
            raise SvmError("a label names a candidate that its example does not have")
        return candidate_features(self._arrays, np.ascontiguousarray(examples, np.int64), chosen)

    def losses_batch(self, examples: Longs, labels: Ints) -> Floats:
        """1 where the choice is wrong."""
        return np.asarray(self._labels[examples] != labels[:, 0], np.float64)

    def gold_batch(self, examples: Longs) -> Ints:
        """True choices."""
        return self._labels[examples, None]

    def check_gold(self) -> None:
        """Refuse to be learned from if some true choice is not known."""
        unknown = int(np.sum(self._labels < 0))
        if unknown:
            raise SvmError(f"{unknown} of {self.n_examples} examples have no true candidate")

    def label_loss(self, gold: Ints, label: Ints) -> float:
        """0 or 1."""
        return float(gold[0] != label[0])

    def subset(self, indices: npt.ArrayLike) -> RankingProblem:
        """Only these examples; the weights mean the same."""
        chosen = np.asarray(indices, np.int64)
        e = self.examples
        return RankingProblem(
            replace(
                e,
                first=e.first[chosen],
                counts=e.counts[chosen],
                context_first=e.context_first[chosen],
                context_count=e.context_count[chosen],
                labels=e.labels[chosen],
            )
        )


def _rules(e: RankingExamples) -> Iterator[tuple[str, bool]]:
    each = (e.first, e.counts, e.context_first, e.context_count)
    yield "starts and counts must match the labels", all(a.shape == e.labels.shape for a in each)
    yield "every example needs a candidate", bool(np.all(e.counts > 0))
    yield "candidates must have a class or -1", _inside(e.classes, e.n_classes, least=-1)
    candidates = len(e.classes)
    yield (
        "candidates of examples must be there",
        bool(np.all(e.first >= 0) and np.all(e.first + e.counts <= candidates)),
    )
    yield (
        "own_ptr must match the candidates",
        len(e.own_ptr) == candidates + 1
        and int(e.own_ptr[0]) == 0
        and int(e.own_ptr[-1]) == len(e.own_ids)
        and bool(np.all(np.diff(e.own_ptr) >= 0)),
    )
    yield "features must be numbered", _inside(e.own_ids, e.n_own)
    yield "context attributes must be numbered", _inside(e.context_ids, e.n_contexts)
    last = e.context_first + e.context_count
    yield (
        "contexts of examples must be there",
        bool(
            np.all(e.context_first >= 0)
            and np.all(e.context_count >= 0)
            and np.all(last <= len(e.context_ids))
        ),
    )
    yield "labels must be candidates", bool(np.all(e.labels >= -1) and np.all(e.labels < e.counts))


def _inside(ids: Ints, size: int, least: int = 0) -> bool:
    return not len(ids) or bool(ids.min() >= least and ids.max() < size)
