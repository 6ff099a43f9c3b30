"""Choosing an ordered tuple of up to three facts for a question.

The score of a tuple is a sum over six pairs of sentences, (x,f1) (x,f2) (x,f3) (f1,f2) (f2,f3)
(f1,f3); pairs with an empty slot score nothing, an empty slot has a weight of its own. Every chosen
fact must share content with the question or with another chosen fact; no fact at all is chosen
only where there is none to choose. The gold tuple competes during training even if this rule
forbids it; a plain search never looks at gold.

The loss is the share of the three slots that differ from gold. It is a sum over slots, so the
most violating tuple is found by the same search with other scores of single facts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from babi_cascade.svm.arrays import Floats, Ints, Longs
from babi_cascade.svm.errors import SvmError
from babi_cascade.svm.problem import Problem
from babi_cascade.svm.tuple_arrays import N_PAIRS, TupleArrays

SLOTS = 3


@dataclass(frozen=True, slots=True)
class TupleExamples:
    """Examples of a tuple problem as integer arrays.

    Sentences are numbered; questions and facts alike. Those with the same attributes and content
    should share a number: pair scores are computed once for each number in a story.
    """

    attribute_ptr: Longs  # [U + 1] CSR of the sorted attributes of each sentence
    attribute_ids: Ints
    group_offsets: Ints  # [G + 1] group g owns attributes group_offsets[g] … group_offsets[g+1] - 1
    content_ptr: Longs  # [U + 1] CSR of sorted content ids; sentences share if these intersect
    content_ids: Ints
    difference_ptr: Longs  # [2R + 4] CSR: features of a difference d of positions in row d + R + 1,
    difference_ids: Ints  # d clipped to ± (R + 1)
    n_difference_features: int
    story_facts: Ints  # facts of example e: story_facts[fact_start[e] : fact_start[e] + n_facts[e]]
    fact_start: Longs  # [E] examples of one story share it, and should be neighbours
    n_facts: Ints  # [E] positions are 0 … n_facts - 1; the question stands at n_facts
    question: Ints  # [E]
    labels: Ints  # [E, 3] gold positions in order, -1 for the empty fact, only at the end
    max_facts: int = SLOTS


class TupleProblem(Problem):
    """The structured problem over :class:`TupleExamples`.

    Weights: six blocks of ``block`` weights, one a pair of slots, then three for empty slots. In a
    block, attributes p and q of group g (of d attributes, from ``offset``) have the feature
    ``base_g + (p - offset) * d + (q - offset)``; after the groups come the differences of positions.
    """

    label_length = SLOTS

    def __init__(self, examples: TupleExamples) -> None:
        self.examples = examples
        self._arrays = _tuple_arrays(examples)
        self.n_examples = len(examples.question)
        self.block = self._arrays.block
        self.size_joint_feature = N_PAIRS * self.block + SLOTS
        if self.size_joint_feature >= 2**31:
            raise SvmError(
                f"{self.size_joint_feature} weights are too many; leave out rare attributes"
            )

    @property
    def arrays(self) -> TupleArrays:
        """What the kernels read."""
        return self._arrays

    def search_batch(
        self,
        examples: Longs,
        w: Floats,
        *,
        gold: Ints | None = None,
        exclude: Ints | None = None,
    ) -> tuple[Ints, Floats]:
        """Exact search; see :mod:`svm.cube_kernels` for how, and for the rule of ties."""
        from babi_cascade.svm.tuple_kernels import search_batch

        self.check_arguments(examples, w)
        labels = np.empty((len(examples), SLOTS), np.int32)
        scores = np.empty(len(examples))
        none = np.empty((0, SLOTS), np.int32)
        search_batch(
            self._arrays,
            np.ascontiguousarray(w, np.float64),
            examples,
            none if gold is None else gold,
            none if exclude is None else exclude,
            labels,
            scores,
        )
        return labels, scores

    def features_batch(self, examples: Longs, labels: Ints) -> tuple[Longs, Ints]:
        """CSR of feature ids."""
        from babi_cascade.svm.feature_kernels import tuple_features

        self.check_arguments(examples)
        if np.any(labels >= self.examples.n_facts[examples, None]):
            raise SvmError("a label names a fact that its story does not have")
        return tuple_features(self._arrays, examples, np.ascontiguousarray(labels, np.int32))

    def losses_batch(self, examples: Longs, labels: Ints) -> Floats:
        """The share of slots that differ from gold."""
        gold = self.examples.labels[examples]
        return np.asarray(np.sum(gold != labels, axis=1) / SLOTS, np.float64)

    def gold_batch(self, examples: Longs) -> Ints:
        """Gold tuples."""
        return self.examples.labels[examples]

    def label_loss(self, gold: Ints, label: Ints) -> float:
        """The share of slots that differ."""
        return float(np.sum(gold != label)) / SLOTS

    def subset(self, indices: npt.ArrayLike) -> TupleProblem:
        """Only these examples; sentences, features and weights stay the same."""
        chosen = np.asarray(indices, np.int64)
        e = self.examples
        return TupleProblem(
            replace(
                e,
                fact_start=e.fact_start[chosen],
                n_facts=e.n_facts[chosen],
                question=e.question[chosen],
                labels=e.labels[chosen],
            )
        )


def _tuple_arrays(e: TupleExamples) -> TupleArrays:
    _check(e)
    widths = np.diff(e.group_offsets).astype(np.int64)
    bases = np.concatenate(([0], np.cumsum(widths**2)))
    group = np.repeat(np.arange(len(widths)), widths)
    offsets = e.group_offsets[group].astype(np.int64)
    row_start = bases[group] + (np.arange(len(group)) - offsets) * widths[group] - offsets
    bilinear = int(bases[-1])
    return TupleArrays(
        attribute_ptr=_long(e.attribute_ptr),
        attribute_ids=_int(e.attribute_ids),
        attribute_group=_int(group),
        row_start=_long(row_start),
        n_groups=len(widths),
        content_ptr=_long(e.content_ptr),
        content_ids=_int(e.content_ids),
        n_content=int(e.content_ids.max(initial=-1)) + 1,
        difference_ptr=_long(e.difference_ptr),
        difference_ids=_int(e.difference_ids),
        reach=(len(e.difference_ptr) - 4) // 2,
        story_facts=_int(e.story_facts),
        fact_start=_long(e.fact_start),
        n_facts=_int(e.n_facts),
        question=_int(e.question),
        max_facts=e.max_facts,
        bilinear=bilinear,
        block=bilinear + e.n_difference_features,
    )


def _check(e: TupleExamples) -> None:
    """Refuse arrays that would make a kernel read outside of them."""
    sentences = len(e.attribute_ptr) - 1
    last = e.fact_start + e.n_facts
    filled = e.labels >= 0
    rules = {
        "max_facts must be 1, 2 or 3": 1 <= e.max_facts <= SLOTS,
        "group_offsets must begin with 0": len(e.group_offsets) > 0 and e.group_offsets[0] == 0,
        "attributes must lie inside the groups": _inside(e.attribute_ids, e.group_offsets[-1]),
        "attribute_ptr must end where attribute_ids does": e.attribute_ptr[-1]
        == len(e.attribute_ids),
        "content_ptr must match the sentences": len(e.content_ptr) == sentences + 1
        and e.content_ptr[-1] == len(e.content_ids),
        "difference_ptr must have 2R + 4 entries": len(e.difference_ptr) >= 4
        and len(e.difference_ptr) % 2 == 0
        and e.difference_ptr[-1] == len(e.difference_ids),
        "difference features must be numbered": _inside(e.difference_ids, e.n_difference_features),
        "facts must be sentences": _inside(e.story_facts, sentences),
        "questions must be sentences": _inside(e.question, sentences),
        "facts of examples must lie inside story_facts": bool(
            np.all(e.fact_start >= 0) and np.all(last <= len(e.story_facts))
        ),
        "labels must be [examples, 3] positions of facts or -1": e.labels.shape
        == (len(e.question), SLOTS)
        and bool(np.all(e.labels < e.n_facts[:, None]) and np.all(e.labels >= -1)),
        "empty facts must come last in a label": bool(np.all(filled[:, :-1] >= filled[:, 1:])),
        "labels must not have more facts than max_facts": not filled[:, e.max_facts :].any(),
    }
    for rule, holds in rules.items():
        if not holds:
            raise SvmError(f"tuple examples: {rule}")


def _inside(ids: npt.NDArray[np.integer], size: int) -> bool:
    return not len(ids) or bool(ids.min() >= 0 and ids.max() < size)


def _long(values: npt.ArrayLike) -> Longs:
    return np.ascontiguousarray(values, np.int64)


def _int(values: npt.ArrayLike) -> Ints:
    return np.ascontiguousarray(values, np.int32)
