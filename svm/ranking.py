"""Choosing one of several classes: the ranking of answers. The loss is 0 or 1."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.one_of_several import OneOfSeveral


@dataclass(frozen=True, slots=True)
class RankingExamples:
    """Examples with indicator attributes and one true class each."""

    attribute_ptr: Longs  # [E + 1] CSR
    attribute_ids: Ints
    n_attributes: int
    n_classes: int
    labels: Ints  # [E]; -1 where it is not known, for prediction only


class RankingProblem(OneOfSeveral):
    """The structured problem over :class:`RankingExamples`; feature = attribute * classes + class."""

    thing = "class"

    def __init__(self, examples: RankingExamples) -> None:
        _check(examples)
        self.examples = examples
        self.n_examples = len(examples.labels)
        self.size_joint_feature = examples.n_attributes * examples.n_classes
        self._ptr = np.ascontiguousarray(examples.attribute_ptr, np.int64)
        self._ids = np.ascontiguousarray(examples.attribute_ids, np.int32)
        self._labels = np.ascontiguousarray(examples.labels, np.int32)

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Best class of each example; the smallest of equals."""
        from babi_cascade.svm.ranking_kernels import search_classes

        self.check_arguments(examples, w)
        labels = np.empty((len(examples), 1), np.int32)
        scores = np.empty(len(examples))
        none = np.empty((0, 1), np.int32)
        search_classes(
            self._ptr,
            self._ids,
            np.ascontiguousarray(w, np.float64).reshape(-1, self.examples.n_classes),
            examples,
            none if gold is None else gold,
            none if exclude is None else exclude,
            labels,
            scores,
        )
        return labels, scores

    def features_batch(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids."""
        from babi_cascade.svm.feature_kernels import ranking_features

        self.check_arguments(examples)
        if np.any(labels < 0) or np.any(labels >= self.examples.n_classes):
            raise SvmError(f"classes must be 0 … {self.examples.n_classes - 1}")
        classes = np.ascontiguousarray(labels, np.int32)
        return ranking_features(self._ptr, self._ids, self.examples.n_classes, examples, classes)

    def subset(self, indices: npt.ArrayLike) -> RankingProblem:
        """Only these examples; the weights mean the same."""
        chosen = np.asarray(indices, np.int64)
        e = self.examples
        lengths = np.diff(e.attribute_ptr)[chosen]
        rows = [e.attribute_ids[e.attribute_ptr[i] : e.attribute_ptr[i + 1]] for i in chosen]
        return RankingProblem(
            replace(
                e,
                attribute_ptr=np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
                attribute_ids=np.concatenate([np.empty(0, np.int32), *rows]).astype(np.int32),
                labels=e.labels[chosen],
            )
        )


def _check(e: RankingExamples) -> None:
    if len(e.attribute_ptr) != len(e.labels) + 1 or e.attribute_ptr[-1] != len(e.attribute_ids):
        raise SvmError("ranking examples: attribute_ptr must match labels and attribute_ids")
    if e.n_classes < 1 or np.any(e.labels >= e.n_classes) or np.any(e.labels < -1):
        raise SvmError(f"ranking examples: labels must be classes 0 … {e.n_classes - 1}")
    if (
        len(e.attribute_ids)
        and not 0 <= e.attribute_ids.min() <= e.attribute_ids.max() < e.n_attributes
    ):
        raise SvmError(f"ranking examples: attributes must be 0 … {e.n_attributes - 1}")
    if e.n_attributes * e.n_classes >= 2**31:
        raise SvmError("ranking examples: too many weights; leave out rare attributes")
