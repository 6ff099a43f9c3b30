"""Support selection of the extended preset as numbers: questions become examples of a selection problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.extended_group import Attribute, SelectionGroup, said_safely
from babi_cascade.features.length import LengthBias
from babi_cascade.features.outline import FrameOutliner
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.story_cases import Numbers, StoryCases, Told
from babi_cascade.features.vocabulary import distinct_sentences
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.arrays import Bytes, Ints, Longs
from babi_cascade.svm.selection import SLOTS, SelectionExamples

ORDINALS = ("first fact", "second fact", "third fact", "fact")
PAIRS_OF_SLOTS = (("first fact", "second fact"), ("second fact", "third fact"),
                  ("first fact", "third fact"), ("fact", "next fact"))  # fmt: skip
TUPLE, CHAIN = "tuple", "chain"


class SelectionEncoder:
    """Numbers the features of the extended support groups; all that it learns comes from training.

    Which questions want a chain is learned too: those of a kind whose support is longer than three facts
    somewhere in training. ``max_facts`` keeps the limit of the paper and rules chains out.
    """

    def __init__(
        self,
        groups: Mapping[str, SelectionGroup],
        max_facts: int | None = None,
    ) -> None:
        self.groups = dict(groups)
        self.max_facts = max_facts
        self.stories = StoryCases(FrameOutliner())
        self._told: dict[int, tuple[ReadQuestion, Told]] = {}

    def fit(self, questions: Sequence[ReadQuestion]) -> SelectionEncoder:
        """Learn the attributes, the kinds of questions, and how many facts there may be.

        Where nothing was labelled with roles, they are learned from the positions of words.
        """
        labelled = any(asked.question.frames or any(f.frames for f in asked.facts)
                       for asked in questions)  # fmt: skip
        self.stories = StoryCases(
            FrameOutliner().fit(distinct_sentences(questions))
            if labelled
            else PositionalOutliner().fit(questions)
        )
        self._told = {id(asked): (asked, self.stories.tell(asked)) for asked in questions}
        items: Numbers[Attribute] = Numbers()
        pairs: Numbers[Attribute] = Numbers()
        item_rows, pair_rows = CaseRows(), CaseRows()
        item_rows.extend(
            [
                items.of((name, *a))
                for name, group in self.groups.items()
                for a in group.of_item(case)
            ]
            for case in self.stories.items.things
        )
        pair_rows.extend(
            [
                pairs.of((name, *a))
                for name, group in self.groups.items()
                for a in group.of_pair(case)
            ]
            for case in self.stories.pairs.things
        )
        lengths = [len(asked.support or ()) for asked in questions]
        kinds = [self.stories.outline(asked.question) for asked in questions]
        modes = KindTable(TUPLE).learn(
            kinds,
            [CHAIN if self.max_facts is None and n > SLOTS else TUPLE for n in lengths],
            prefer=CHAIN,
        )
        most = min(self.max_facts or SLOTS, SLOTS)
        sizes: dict[str, list[bool]] = {}
        for n, kind in zip(lengths, kinds, strict=True):
            allowed = sizes.setdefault(kind.kind, [False] * (SLOTS + 1))
            allowed[min(n, most)] |= modes.of(kind) == TUPLE
        self._set(items.things, pairs.things, modes, sizes)
        self._item_rows, self._pair_rows = item_rows, pair_rows
        return self

    def _set(
        self,
        items: Sequence[Attribute],
        pairs: Sequence[Attribute],
        modes: KindTable,
        sizes: Mapping[str, Sequence[bool]],
    ) -> None:
        self.item_attributes_ = tuple(items)
        self.pair_attributes_ = tuple(pairs)
        self.modes_ = modes
        # In alphabetical order: the keys of a JSON object have no order of their own.
        self.sizes_ = {kind: tuple(allowed) for kind, allowed in sorted(sizes.items())}
        self.size_kinds_ = self.size_kinds(self.sizes_)
        self._item_numbers = self._by_group(self.item_attributes_)
        self._pair_numbers = self._by_group(self.pair_attributes_)
        self._size_number = {kind: i for i, kind in enumerate(self.size_kinds_)}
        self._item_rows, self._pair_rows = CaseRows(), CaseRows()

    def _by_group(self, attributes: Sequence[Attribute]) -> dict[str, dict[Attribute, int]]:
        """Number attributes; each group finds its own as it makes them."""
        numbers: dict[str, dict[Attribute, int]] = {name: {} for name in self.groups}
        for number, (name, *own) in enumerate(attributes):
            numbers[name][tuple(own)] = number
        return numbers

    def size_kinds(self, sizes: Iterable[str]) -> tuple[str, ...]:
        """Return the kinds of questions with weights for the number of facts, of those with ``sizes``."""
        counted = any(isinstance(group, LengthBias) for group in self.groups.values())
        return tuple(sizes) if counted else ()

    def encode(self, questions: Sequence[ReadQuestion]) -> SelectionExamples:
        """Return the examples; a question without known support has no facts as its label."""
        told = [self._tell(asked) for asked in questions]
        items, pairs = self._item_rows, self._pair_rows
        items.extend(map(self._item_row, self.stories.items.things[len(items) :]))
        pairs.extend(map(self._pair_row, self.stories.pairs.things[len(pairs) :]))
        n = np.array([len(each.items) for each in told], np.int32)
        outlines = [self.stories.outline(asked.question) for asked in questions]
        ordered = np.array([self.modes_.of(each) == TUPLE for each in outlines], np.uint8)
        labels = [self.label(asked) for asked in questions]
        room = max([SLOTS, *map(len, labels), *n[ordered == 0].tolist()])
        return SelectionExamples(
            item_ptr=items.ptr,
            item_ids=items.ids,
            n_item_attributes=len(self.item_attributes_),
            pair_ptr=pairs.ptr,
            pair_ids=pairs.ids,
            n_pair_attributes=len(self.pair_attributes_),
            items=_joined([each.items for each in told]),
            item_start=_starts(n.astype(np.int64)),
            n_items=n,
            pairs=_joined([each.pairs.ravel() for each in told]),
            pair_start=_starts(n.astype(np.int64) ** 2),
            ordered=ordered,
            size_kind=np.array(
                [self._size_number.get(each.kind, -1) for each in outlines], np.int32
            ),
            n_size_kinds=len(self.size_kinds_),
            sizes=self._allowed(),
            labels=np.array(
                [label + [-1] * (room - len(label)) for label in labels], np.int32
            ).reshape(-1, room),
        )

    def _allowed(self) -> Bytes:
        """Numbers of facts met in training: for every kind that is counted apart, and for any other."""
        every = np.array([*self.sizes_.values(), [False] * (SLOTS + 1)], np.uint8)
        own = [self.sizes_[kind] for kind in self.size_kinds_]
        return np.array([*own, every.max(axis=0)], np.uint8)

    def label(self, asked: ReadQuestion) -> list[int]:
        """Return the positions of the support: in its own order for a tuple, ascending for a chain.

        Of a support that is longer than the question's kind allows, the last facts are kept.
        """
        support = list(dict.fromkeys(asked.support or ()))
        if self.modes_.of(self.stories.outline(asked.question)) == CHAIN:
            return sorted(support)
        return support[-(self.max_facts or SLOTS) :][-SLOTS:]

    def forget(self, above: int = 0) -> None:
        """Let go of what was kept of sentences when it is more."""
        self._told.clear()
        before = self.stories.items
        self.stories.forget(above)
        if self.stories.items is not before:
            self._item_rows, self._pair_rows = CaseRows(), CaseRows()

    def _tell(self, asked: ReadQuestion) -> Told:
        # What training told is used once, right after it: n × n numbers a question are not kept.
        known = self._told.pop(id(asked), None)
        return known[1] if known is not None else self.stories.tell(asked)

    def _item_row(self, case: ItemCase) -> list[int]:
        return [
            number
            for name, group in self.groups.items()
            for a in group.of_item(case)
            if (number := self._item_numbers[name].get(a)) is not None
        ]

    def _pair_row(self, case: PairCase) -> list[int]:
        return [
            number
            for name, group in self.groups.items()
            for a in group.of_pair(case)
            if (number := self._pair_numbers[name].get(a)) is not None
        ]

    # -- in words ------------------------------------------------------------------------------------

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature of the selection problem and the feature in words."""
        n_items, n_pairs = len(self.item_attributes_), len(self.pair_attributes_)
        if feature < len(ORDINALS) * n_items:
            slot, number = divmod(feature, n_items)
            return self._say(self.item_attributes_[number], "question", ORDINALS[slot])
        feature -= len(ORDINALS) * n_items
        if feature < len(PAIRS_OF_SLOTS) * n_pairs:
            pair, number = divmod(feature, n_pairs)
            return self._say(self.pair_attributes_[number], *PAIRS_OF_SLOTS[pair])
        kind, size = divmod(feature - len(PAIRS_OF_SLOTS) * n_pairs, SLOTS + 1)
        name = next(name for name, g in self.groups.items() if isinstance(g, LengthBias))
        return self._say((name, self.size_kinds_[kind], str(size)), "", "")

    def _say(self, attribute: Attribute, first: str, second: str) -> tuple[str, str]:
        name, own = attribute[0], attribute[1:]
        return name, said_safely(lambda: self.groups[name].say(own, first, second), own)

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            "outliner": self.stories.outliner.to_json(),
            "items": [list(a) for a in self.item_attributes_],
            "pairs": [list(a) for a in self.pair_attributes_],
            "modes": self.modes_.to_json(),
            "sizes": {kind: list(allowed) for kind, allowed in self.sizes_.items()},
        }

    def restore(self, record: Mapping[str, Any]) -> SelectionEncoder:
        """Take over what ``to_json`` returned."""
        positional = record["outliner"]["kind"] == PositionalOutliner.kind
        self.stories = StoryCases(
            PositionalOutliner().restore(record["outliner"])
            if positional
            else FrameOutliner().restore(record["outliner"])
        )
        self._set(
            [tuple(a) for a in record["items"]],
            [tuple(a) for a in record["pairs"]],
            KindTable.from_json(record["modes"]),
            record["sizes"],
        )
        return self


class CaseRows:
    """Attributes of cases, one after the other: case c has ids[ptr[c] : ptr[c + 1]]."""

    def __init__(self) -> None:
        self.ptr: Longs = np.zeros(1, np.int64)
        self.ids: Ints = np.zeros(0, np.int32)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def extend(self, rows: Iterable[Sequence[int]]) -> None:
        """Add the rows of more cases."""
        ids: list[int] = []
        ends = []
        for row in rows:
            ids += row
            ends.append(len(ids))
        if ends:
            self.ptr = np.concatenate([self.ptr, np.array(ends, np.int64) + self.ptr[-1]])
            self.ids = np.concatenate([self.ids, np.array(ids, np.int32)])


def _joined(rows: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32)


def _starts(lengths: Longs) -> Longs:
    return np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)[: len(lengths)]
