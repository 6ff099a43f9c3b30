"""Support selection as numbers: questions and their facts become examples of a selection problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.group import Attribute, Rule, SupportGroup, rules_of, said_safely, using
from babi_cascade.features.links import Links
from babi_cascade.features.outline import FrameOutliner, Outline, Outliner
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.features.presets import RELATIONS, Roles
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.story_cases import CaseNumbers, Numbers, StoryCases
from babi_cascade.features.vocabulary import Vocabulary, distinct_sentences, longest_stories
from babi_cascade.features.world.states import Said
from babi_cascade.features.world.world import World
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Bytes, Ints, Longs
from babi_cascade.svm.selection import (
    SLOTS,
    Cases,
    Differences,
    Profiles,
    SelectionExamples,
    SelectionLayout,
    Sizes,
)

QUESTION = "question"
FACTS = ("first fact", "second fact", "third fact", "fact")
PAIRS_OF_FACTS = (("first fact", "second fact"), ("second fact", "third fact"),
                  ("first fact", "third fact"), ("fact", "next fact"))  # fmt: skip
TUPLE, CHAIN = "tuple", "chain"


class SupportEncoder:
    """Numbers the support features of chosen groups; all that it learns comes from training.

    Which questions want a chain is learned too, if a group allows chains: those of a kind whose support is
    longer than three facts somewhere in training. ``max_facts`` rules chains out. ``roles`` is what
    outlines tell arguments with; with ``state`` a `World` is learned too.
    """

    def __init__(
        self, groups: Mapping[str, SupportGroup], max_facts: int | None = None,
        roles: Roles = RELATIONS, state: bool = False,
    ) -> None:  # fmt: skip
        self.groups = dict(groups)
        self.max_facts = max_facts
        self.roles = roles
        self.rules = rules_of(groups)
        self.stories = StoryCases(FrameOutliner(roles))
        self.world = World(self._outline) if state else None
        self._of_items = using(groups, "of_item")
        self._of_pairs = using(groups, "of_pair")
        self.of_sentences = using(groups, "of_sentence")
        self.of_differences = using(groups, "of_difference")
        self._of_sizes = using(groups, "of_size")
        self._links = using(groups, "links")
        self.links_ = Links()
        self._numbered: dict[int, tuple[ReadQuestion, CaseNumbers]] = {}

    def fit(self, questions: Sequence[ReadQuestion]) -> SupportEncoder:
        """Learn the attributes, the kinds of questions, and how many facts there may be.

        Where nothing was labelled with roles, they are learned from the positions of words.
        """
        sentences = distinct_sentences(questions)
        labelled = any(sentence.frames for sentence in sentences)
        outliner: Outliner = (
            FrameOutliner(self.roles).fit(sentences)
            if labelled
            else PositionalOutliner().fit(questions)
        )
        self.stories = StoryCases(outliner)
        if self.world is not None:
            self.world.forget()
            self.world.fit(questions)
        items: Numbers[Attribute] = Numbers()
        pairs: Numbers[Attribute] = Numbers()
        item_rows, pair_rows = CaseRows(), CaseRows()
        if self.has_cases:
            self._numbered = {id(a): (a, self._number(a)) for a in questions}
            item_rows.extend(
                [
                    items.of((n, *a))
                    for n, group in self._of_items.items()
                    for a in group.of_item(case)
                ]
                for case in self.stories.items.things
            )
            pair_rows.extend(
                [
                    pairs.of((n, *a))
                    for n, group in self._of_pairs.items()
                    for a in group.of_pair(case)
                ]
                for case in self.stories.pairs.things
            )
        outlines = [self.stories.outline(asked.question) for asked in questions]
        lengths = [len(asked.support or ()) for asked in questions]
        self.links_ = Links().learn(
            (o, [self.stories.outline(asked.story[i]) for i in asked.support or ()])
            for o, asked in zip(outlines, questions, strict=True)
        )
        modes, sizes = self._learn_sizes(outlines, lengths)
        longest = max((asked.n_facts for asked in questions), default=0)
        vocabulary = Vocabulary.learn(self.of_sentences, sentences)
        self._set(items.things, pairs.things, vocabulary, self._reach(longest), modes, sizes)
        self._item_rows, self._pair_rows = item_rows, pair_rows
        return self

    def _learn_sizes(
        self, outlines: Sequence[Outline], lengths: Sequence[int]
    ) -> tuple[KindTable, dict[str, list[bool]]]:
        """Return which kinds of questions want chains, and which numbers of facts the others had."""
        chains = Rule.CHAINS in self.rules and self.max_facts is None
        modes = KindTable(TUPLE).learn(
            outlines, [CHAIN if chains and n > SLOTS else TUPLE for n in lengths], prefer=CHAIN
        )
        sizes: dict[str, list[bool]] = {}
        for n, outline in zip(lengths, outlines, strict=True):
            allowed = sizes.setdefault(outline.kind, [False] * (SLOTS + 1))
            allowed[min(n, self.most)] |= modes.of(outline) == TUPLE
        return modes, sizes

    def _reach(self, longest: int) -> int:
        """Return the largest distance that some group tells from the one before it."""
        groups = self.of_differences.values()
        reach = longest if groups else 0
        while reach > 1 and all(
            group.of_difference(sign * reach) == group.of_difference(sign * (reach - 1))
            for group in groups
            for sign in (-1, 1)
        ):
            reach -= 1
        return reach

    def _set(
        self,
        items: Sequence[Attribute],
        pairs: Sequence[Attribute],
        vocabulary: Vocabulary,
        reach: int,
        modes: KindTable,
        sizes: Mapping[str, Sequence[bool]],
    ) -> None:
        self.item_attributes_ = tuple(items)
        self.pair_attributes_ = tuple(pairs)
        self.vocabulary_ = vocabulary
        self.reach_ = reach
        self.modes_ = modes
        # In alphabetical order: the keys of a JSON object have no order of their own.
        self.sizes_ = {kind: tuple(allowed) for kind, allowed in sorted(sizes.items())}
        self.differences_ = self._learn_differences(reach)
        self._difference_rows = self._rows_of_differences()
        self._item_numbers = _by_group(self.item_attributes_, self._of_items)
        self._pair_numbers = _by_group(self.pair_attributes_, self._of_pairs)
        self._kind_number = {kind: i for i, kind in enumerate(self.sizes_)}
        self.size_attributes_ = self.sized(self.sizes_)
        self._size_table = self._size_rows()
        self.layout_ = self.layout(
            len(items), len(pairs), vocabulary.offsets, len(self.differences_), sizes, modes
        )
        self._item_rows, self._pair_rows = CaseRows(), CaseRows()
        self.stories.tell_apart(text for a in (*items, *pairs) for text in a[1:])

    def layout(
        self,
        n_items: int,
        n_pairs: int,
        offsets: Ints,
        n_differences: int,
        sizes: Iterable[str],
        modes: KindTable,
    ) -> SelectionLayout:
        """Return the layout of the weights for so many attributes of each kind."""
        n_sizes = len(self.sized(sizes))
        chains = CHAIN in (*modes.kinds.values(), *modes.words.values(), modes.default)
        return SelectionLayout(n_items, n_pairs, offsets, n_differences, n_sizes, chains)

    @property
    def has_cases(self) -> bool:
        """Whether some group looks at facts beside the question, or at two facts."""
        return bool(self._of_items or self._of_pairs)

    @property
    def most(self) -> int:
        """The largest number of facts of a tuple."""
        return min(self.max_facts or SLOTS, SLOTS)

    def sized(self, kinds: Iterable[str]) -> tuple[Attribute, ...]:
        """Return the attributes of numbers of facts for these kinds of questions."""
        found: dict[Attribute, None] = {}
        for kind in (*kinds, None):
            for name, group in self._of_sizes.items():
                for size in range(SLOTS + 1):
                    found.update(dict.fromkeys((name, *a) for a in group.of_size(kind, size)))
        return tuple(found)

    def is_chain(self, asked: ReadQuestion) -> bool:
        """Say whether the facts of a question are a chain, without slots of their own."""
        return self.modes_.of(self.stories.outline(asked.question)) == CHAIN

    # -- examples ------------------------------------------------------------------------------------

    def encode(self, questions: Sequence[ReadQuestion]) -> SelectionExamples:
        """Return the examples; a question without known support has no facts as its label."""
        n = np.array([asked.n_facts for asked in questions], np.int32)
        outlines = [self.stories.outline(asked.question) for asked in questions]
        chain = np.array([self.modes_.of(each) == CHAIN for each in outlines], np.uint8)
        labels = [self.label(asked) for asked in questions]
        room = max([SLOTS, *map(len, labels), *n[chain != 0].tolist()])
        return SelectionExamples(
            layout=self.layout_,
            n_items=n,
            chain=chain,
            size_kind=np.array(
                [self._kind_number.get(each.kind, -1) for each in outlines], np.int32
            ),
            labels=np.array(
                [label + [-1] * (room - len(label)) for label in labels], np.int32
            ).reshape(-1, room),
            sizes=self._size_table,
            cases=self._cases(questions, n.astype(np.int64)) if self.has_cases else None,
            profiles=self._profiles(questions) if self.of_sentences or self._links else None,
            differences=self._difference_rows,
            must_link=Rule.LINKED_FACTS in self.rules,
        )

    def label(self, asked: ReadQuestion) -> list[int]:
        """Return the positions of the support: in its own order for a tuple, ascending for a chain.

        Of a support that is longer than a tuple may be the last facts are kept: the latest events decide
        most of the answer.
        """
        support = list(dict.fromkeys(asked.support or ()))
        return sorted(support) if self.is_chain(asked) else support[-self.most :]

    def _cases(self, questions: Sequence[ReadQuestion], n: Longs) -> Cases:
        numbers = [self._numbers_of(asked) for asked in questions]
        items, pairs = self._item_rows, self._pair_rows
        items.extend(map(self._item_row, self.stories.items.things[len(items) :]))
        pairs.extend(map(self._pair_row, self.stories.pairs.things[len(pairs) :]))
        return Cases(
            item_ptr=items.ptr,
            item_ids=items.ids,
            pair_ptr=pairs.ptr,
            pair_ids=pairs.ids,
            items=_joined([each.items for each in numbers]),
            item_start=_starts(n),
            pairs=_joined([each.pairs.ravel() for each in numbers]),
            pair_start=_starts(n**2),
        )

    def _numbers_of(self, asked: ReadQuestion) -> CaseNumbers:
        # What training numbered is used once, right after it: n × n numbers a question are not kept.
        known = self._numbered.pop(id(asked), None)
        return known[1] if known is not None else self._number(asked)

    def _number(self, asked: ReadQuestion) -> CaseNumbers:
        said = self.says(asked)
        return self.stories.numbers(asked, {} if said is None else dict(said.made))

    def says(self, asked: ReadQuestion) -> Said | None:
        """Return what the state of the world says about a question, if it is learned."""
        return None if self.world is None else self.world.says(asked)

    def _outline(self, sentence: ReadSentence) -> Outline:
        return self.stories.outline(sentence)

    def _item_row(self, case: ItemCase) -> list[int]:
        return [
            number
            for name, group in self._of_items.items()
            for a in group.of_item(case)
            if (number := self._item_numbers[name].get(a)) is not None
        ]

    def _pair_row(self, case: PairCase) -> list[int]:
        return [
            number
            for name, group in self._of_pairs.items()
            for a in group.of_pair(case)
            if (number := self._pair_numbers[name].get(a)) is not None
        ]

    def _profiles(self, questions: Sequence[ReadQuestion]) -> Profiles:
        sentences = distinct_sentences(questions)
        number = {id(sentence): i for i, sentence in enumerate(sentences)}
        ptr, ids = _rows([self.vocabulary_.row(sentence) for sentence in sentences])
        words: dict[str, int] = {}
        link_ptr, link_ids = _rows([self._link_row(sentence, words) for sentence in sentences])
        starts: dict[int, int] = {}
        facts: list[int] = []
        for key, story in longest_stories(questions).items():
            starts[key] = len(facts)
            facts.extend(number[id(fact)] for fact in story)
        return Profiles(
            ptr=ptr,
            ids=ids,
            link_ptr=link_ptr,
            link_ids=link_ids,
            items=np.array(facts, np.int32),
            start=np.array([starts[id(asked.story)] for asked in questions], np.int64),
            query=np.array([number[id(asked.question)] for asked in questions], np.int32),
        )

    def _link_row(self, sentence: ReadSentence, words: dict[str, int]) -> Ints:
        own = {word for group in self._links.values() for word in group.links(sentence)}
        return np.array(sorted(words.setdefault(w, len(words)) for w in sorted(own)), np.int32)

    # -- small tables --------------------------------------------------------------------------------

    def count_differences(self, reach: int) -> int:
        """Return how many features the differences of positions up to ± reach have."""
        return len(self._learn_differences(reach))

    def _learn_differences(self, reach: int) -> dict[Attribute, int]:
        """Number what groups say of differences of positions up to ± reach, with their names."""
        numbers: dict[Attribute, int] = {}
        for name, group in self.of_differences.items():
            for difference in range(-reach, reach + 1):
                said = group.of_difference(difference) if difference else None
                if said is not None:
                    numbers.setdefault((name, said), len(numbers))
        return numbers

    def _rows_of_differences(self) -> Differences:
        """Features of every difference up to ± reach; what is farther counts as one more."""
        rows = []
        for difference in (
            range(-self.reach_ - 1, self.reach_ + 2) if self.of_differences else (0, 0, 0)
        ):
            named = ((name, g.of_difference(difference)) for name, g in self.of_differences.items())
            ids = [
                self.differences_[name, said]
                for name, said in named
                if said is not None and (name, said) in self.differences_
            ]
            rows.append(np.array(ids, np.int32))
        return Differences(*_rows(rows))

    def _size_rows(self) -> Sizes:
        """Features and limits of the numbers of facts, for every kind of question and for any other."""
        numbers = {attribute: i for i, attribute in enumerate(self.size_attributes_)}
        rows = [
            np.array(
                [
                    numbers[(n, *a)]
                    for n, g in self._of_sizes.items()
                    for a in g.of_size(kind, size)
                ],
                np.int32,
            )
            for kind in (*self.sizes_, None)
            for size in range(SLOTS + 1)
        ]
        return Sizes(*_rows(rows), self._allowed())

    def _allowed(self) -> Bytes:
        """Numbers of facts that may be chosen for every kind of question, and for any other."""
        met = np.array([*self.sizes_.values(), [False] * (SLOTS + 1)], np.uint8)
        if Rule.NUMBERS_OF_KIND in self.rules:
            met[-1] = met.max(axis=0)
        elif Rule.ANY_NUMBER in self.rules:
            met[:] = [0 < size <= self.most for size in range(SLOTS + 1)]
        else:
            met[:] = met.max(axis=0)
        return met

    def forget(self, above: int = 0) -> None:
        """Let go of what was kept of sentences when it is more."""
        self._numbered.clear()
        if self.world is not None:
            self.world.forget()
        self.vocabulary_.forget(above)
        before = self.stories.items
        self.stories.forget(above)
        if self.stories.items is not before:
            self._item_rows, self._pair_rows = CaseRows(), CaseRows()

    # -- in words ------------------------------------------------------------------------------------

    def explain(self, feature: int) -> tuple[str, str]:
        """Return the group of a feature of the selection problem and the feature in words."""
        layout = self.layout_
        if feature < layout.blocks * layout.item_block:
            block, place = divmod(feature, layout.item_block)
            return self._explain(place, self.item_attributes_, QUESTION, FACTS[block])
        feature -= layout.blocks * layout.item_block
        if feature < layout.blocks * layout.pair_block:
            block, place = divmod(feature, layout.pair_block)
            return self._explain(place, self.pair_attributes_, *PAIRS_OF_FACTS[block])
        feature -= layout.blocks * layout.pair_block
        return self._say(self.size_attributes_[feature], "", "")

    def _explain(
        self, place: int, attributes: Sequence[Attribute], first: str, second: str
    ) -> tuple[str, str]:
        if place < len(attributes):
            return self._say(attributes[place], first, second)
        place -= len(attributes)
        if place < self.vocabulary_.n_pairs:
            name, texts = self.vocabulary_.pair(place)
            return self._say((name, *texts), first, second)
        return self._say(list(self.differences_)[place - self.vocabulary_.n_pairs], first, second)

    def _say(self, attribute: Attribute, first: str, second: str) -> tuple[str, str]:
        name, own = attribute[0], attribute[1:]
        return name, said_safely(lambda: self.groups[name].say(own, first, second), own)

    # -- in files ------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            "outliner": self.stories.outliner.to_json(),
            "world": None if self.world is None else self.world.to_json(),
            "items": [list(a) for a in self.item_attributes_],
            "pairs": [list(a) for a in self.pair_attributes_],
            "texts": [list(entry) for entry in self.vocabulary_.entries()],
            "reach": self.reach_,
            "modes": self.modes_.to_json(),
            "sizes": {kind: list(allowed) for kind, allowed in self.sizes_.items()},
            "links": self.links_.to_json(),
        }

    def restore(self, record: Mapping[str, Any]) -> SupportEncoder:
        """Take over what ``to_json`` returned."""
        self.links_ = Links.from_json(record["links"])
        positional = record["outliner"]["kind"] == PositionalOutliner.kind
        self.stories = StoryCases(
            PositionalOutliner().restore(record["outliner"])
            if positional
            else FrameOutliner(self.roles).restore(record["outliner"])
        )
        if self.world is not None:
            self.world.restore(record["world"])
        self._set(
            [tuple(a) for a in record["items"]],
            [tuple(a) for a in record["pairs"]],
            Vocabulary(self.of_sentences, ((name, text) for name, text in record["texts"])),
            record["reach"],
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


def _by_group(
    attributes: Sequence[Attribute], groups: Iterable[str]
) -> dict[str, dict[Attribute, int]]:
    """Number attributes; each group finds its own as it makes them."""
    numbers: dict[str, dict[Attribute, int]] = {name: {} for name in groups}
    for number, (name, *own) in enumerate(attributes):
        numbers[name][tuple(own)] = number
    return numbers


def _rows(rows: Sequence[Ints]) -> tuple[Longs, Ints]:
    """Join rows of different lengths: where each begins, and all values."""
    ptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    return ptr, _joined(rows)


def _joined(rows: Sequence[Ints]) -> Ints:
    if len(rows) == 1:
        return rows[0]  # the pairs of a long story are not copied
    return np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int32, copy=False)


def _starts(lengths: Longs) -> Longs:
    return np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)[: len(lengths)]
