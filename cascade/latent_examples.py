"""Training questions as the numbers of the latent model: candidate choices of facts, and what they answer.

The attributes are those of the extended preset's groups. What a choice answers is added up from its facts,
each in its slot, and from neighbouring ones: a fact is told once to each question, not once to each choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from babi_cascade.features.answer_case import AnswerCase, ChosenFact, Place
from babi_cascade.features.answer_encoder import places_of
from babi_cascade.features.answer_parts import SEPARATOR, SEQUENCE, WORD, items
from babi_cascade.features.cases import OLDER
from babi_cascade.features.group import Attribute
from babi_cascade.features.positions import PositionalOutliner
from babi_cascade.features.presets import EXTENDED, RELATIONS
from babi_cascade.features.registry import ANSWER, SUPPORT, choose, made
from babi_cascade.features.story_cases import Numbers
from babi_cascade.features.support_encoder import FACTS, SupportEncoder
from babi_cascade.pipeline.read import ReadQuestion
from babi_cascade.svm.arrays import Ints, Longs
from babi_cascade.svm.latent_arrays import LatentArrays
from babi_cascade.svm.selection import SLOTS

RARE_KIND = 20
"""Kinds with fewer questions decide together."""

LONG_STORY = 16
"""Of more facts only the latest, and the nearest and last of those that match, are looked at."""

MOST_CHOICES, MOST_IN_ALL = 4000, 4_000_000
"""Choices of facts that are looked at for one question, and for all of them: a choice takes 360 bytes."""

OTHERS = "others"
_Menu = tuple[str, tuple[str, ...] | None]  # a kind of question, and the answers that it may have
NOTHING: Ints = np.zeros(0, np.int32)


def with_facts(asked: ReadQuestion, positions: Sequence[int]) -> ReadQuestion:
    """Return a question with other supporting facts."""
    lines = tuple(asked.source.facts[position].line for position in positions)
    return replace(asked, source=replace(asked.source, support=lines))


def without_facts(asked: ReadQuestion) -> ReadQuestion:
    """Return a question as if nobody had told its supporting facts."""
    return replace(asked, source=replace(asked.source, support=None))


class LatentExamples:
    """Training questions; tables are made once for all numbers of facts."""

    def __init__(self, read: Sequence[ReadQuestion], known: Sequence[bool]) -> None:
        self.read = [
            asked if told else without_facts(asked) for asked, told in zip(read, known, strict=True)
        ]
        self.known = list(known)
        self.groups = made(choose(EXTENDED).support, SUPPORT, roles=RELATIONS)
        self.encoder = SupportEncoder(self.groups, None, RELATIONS).fit(self.read)
        self.stories = self.encoder.stories
        self.outlines = [self.stories.outline(asked.question) for asked in self.read]
        cases = self.encoder.encode(self.read).cases
        assert cases is not None
        self.cases = cases
        self._answer_groups = made(choose(EXTENDED).answer, ANSWER, roles=RELATIONS)
        things = self.stories.items.things
        self._item_ok = np.array([bool(case.match) for case in things], np.uint8)
        self._item_late = np.array(
            [case.rank != OLDER or any(m.rank != OLDER for m in case.mentions) for case in things],
            np.uint8,
        )
        pairs = self.stories.pairs.things
        # Without frames the predicate is all of a sentence that is no name: who says it again is linked too.
        read_by_words = self.stories.outliner.kind == PositionalOutliner.kind
        self._pair_ok = np.array(
            [
                bool(case.match)
                or (read_by_words and case.first.predicate == case.second.predicate)
                for case in pairs
            ],
            np.uint8,
        )
        self._pair_near = np.array(
            [
                bool(case.match)
                and (
                    case.flags.nearest or case.flags.last
                    or case.question_flags.nearest or case.question_flags.last
                )
                for case in pairs
            ],
            np.uint8,
        )  # fmt: skip
        self._n = np.array([asked.n_facts for asked in self.read], np.int64)
        self._name_kinds()
        self._number_tellings()

    def _name_kinds(self) -> None:
        """Tell kinds apart, the rare ones together: ``names`` by kind, ``members`` by name."""
        counts: dict[str, int] = {}
        for outline in self.outlines:
            counts[outline.kind] = counts.get(outline.kind, 0) + 1
        self.names = {kind: kind if n >= RARE_KIND else OTHERS for kind, n in counts.items()}
        members: dict[str, list[int]] = {}
        for i, outline in enumerate(self.outlines):
            members.setdefault(self.names[outline.kind], []).append(i)
        self.members = {name: np.array(own, np.int64) for name, own in members.items()}
        self._most_told = {
            name: max((len(self.read[i].support or ()) for i in own if self.known[i]), default=0)
            for name, own in self.members.items()
        }
        sizes: dict[str, set[int]] = {}
        for asked, outline in zip(self.read, self.outlines, strict=True):
            sizes.setdefault(outline.kind, set()).add(len(items(asked.source.answer or "")))
        several = {
            outline.kind
            for asked, outline in zip(self.read, self.outlines, strict=True)
            if SEPARATOR in (asked.source.answer or "")
        } - {
            outline.kind  # who gives choices gives whole answers
            for asked, outline in zip(self.read, self.outlines, strict=True)
            if asked.source.choices is not None
        }
        self._n_parts = {
            kind: max(own) if kind in several and len(own) == 1 else 0
            for kind, own in sizes.items()
        }

    def allows(self, name: str, most: int) -> bool:
        """Say whether no question of a kind was told to have more facts than this."""
        return self._most_told[name] <= most

    def chain(self, i: int) -> tuple[int, ...]:
        """Return all facts that name something of the question."""
        start = self.cases.item_start[i]
        own = self.cases.items[start : start + self._n[i]]
        return tuple(np.flatnonzero(self._item_ok[own]).tolist())

    # -- choices of facts ------------------------------------------------------------------------------

    def _choices(self, sizes: Mapping[str, int]) -> tuple[Longs, Ints, Ints]:
        """Return the candidate choices of every question, and which of them is known to be true."""
        room = MOST_CHOICES
        while True:
            made = self._choices_within(sizes, room)
            if len(made[1]) <= MOST_IN_ALL or room <= 1:
                return made
            room //= 2

    def _choices_within(
        self, sizes: Mapping[str, int], most_choices: int
    ) -> tuple[Longs, Ints, Ints]:
        from babi_cascade.svm.choices import enumerate_choices

        room = np.empty((most_choices, SLOTS), np.int32)
        found: list[Ints] = []
        given = np.full(len(self.read), -1, np.int32)
        for i, asked in enumerate(self.read):
            most = sizes.get(self.names[self.outlines[i].kind])
            if most is None:
                found.append(room[:0].copy())
                continue
            n = int(self._n[i])
            item, pair = self.cases.item_start[i], self.cases.pair_start[i]
            count = enumerate_choices(
                n, most, self._item_ok, self._item_late, self._pair_ok, self._pair_near,
                self.cases.items[item : item + n], self.cases.pairs[pair : pair + n * n],
                LONG_STORY, room,
            )  # fmt: skip
            own = room[:count].copy()
            if self.known[i]:
                told = list(dict.fromkeys(asked.support or ()))[-SLOTS:]
                label = np.array([told + [-1] * (SLOTS - len(told))], np.int32)
                same = np.flatnonzero((own == label).all(axis=1))
                given[i] = same[0] if len(same) else len(own)
                own = own if len(same) else np.concatenate((own, label))
            found.append(own)
        first = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return first, np.concatenate(found), given

    # -- answers ---------------------------------------------------------------------------------------

    def _number_tellings(self) -> None:
        """Number the pairs of a question and a fact by their sentences, and the texts of the answers."""
        numbers: dict[object, int] = {}
        self._tellings: list[tuple[int, int]] = []  # example and position of the first of each
        told = np.empty(int(self._n.sum()), np.int64)
        for i, asked in enumerate(self.read):
            start = int(self.cases.item_start[i])
            for p, fact in enumerate(asked.facts):
                key = (id(asked.question), id(fact), asked.source.choices)
                number = numbers.setdefault(key, len(numbers))
                if number == len(self._tellings):
                    self._tellings.append((i, p))
                told[start + p] = number
        self._told = told
        self._contexts: Numbers[Attribute] = Numbers()
        self._copies: Numbers[Attribute] = Numbers()
        self._texts: Numbers[str] = Numbers()
        self._rows: list[_Row] = []
        self._told_row = np.full((len(self._tellings), SLOTS), -1, np.int64)
        self._next_row = np.full((len(self._pair_ok), SLOTS - 1), -1, np.int64)
        most = max(self._n_parts.values(), default=0)
        self._part_names = [WORD, *(f"{SEQUENCE} {t + 1}" for t in range(most))]
        self._kinds = {kind: number for number, kind in enumerate(self.names)}
        self._true = [
            [self._texts.of(text) for text in self._items(i)] for i in range(len(self.read))
        ]
        self._n_classes = len(self._texts.things)
        menus: Numbers[_Menu] = Numbers()
        self._menu = [
            menus.of((outline.kind, asked.source.choices))
            for asked, outline in zip(self.read, self.outlines, strict=True)
        ]
        self._menus = menus.things
        self._known: dict[tuple[str, int], dict[int, None]] = {}
        for i, true in enumerate(self._true):
            for part in self._parts_of(i):  # an item may stand at any place
                known = self._known.setdefault((self.outlines[i].kind, part), {})
                known.update(dict.fromkeys(true))
        self._base_row = np.array(
            [[self._base(kind, size) for size in range(SLOTS + 1)] for kind in self.names], np.int64
        )

    def _items(self, i: int) -> list[str]:
        answer = self.read[i].source.answer or ""
        return items(answer) if self._n_parts[self.outlines[i].kind] else [answer]

    def _parts_of(self, i: int) -> list[int]:
        """Return which of the parts that there are an answer has: the word, or places of a sequence."""
        n = self._n_parts[self.outlines[i].kind]
        return list(range(1, n + 1)) if n else [0]

    def _on(self, menu: _Menu, part: int) -> list[int]:
        """Return the texts that compete as a part of an answer whatever facts are chosen."""
        kind, choices = menu
        if choices is None:
            return list(self._known.get((kind, part), {}))
        return [] if part else [self._texts.of(text) for text in dict.fromkeys(choices)]

    def _base(self, kind: str, size: int) -> int:
        """Add the row of a kind of question and a number of facts."""
        contexts = [
            self._numbers([("kind", kind, part), ("size", kind, str(size), part)])
            for part in self._part_names
        ]
        return self._add(_Row(contexts, NOTHING, NOTHING))

    def _add(self, row: _Row) -> int:
        self._rows.append(row)
        return len(self._rows) - 1

    def _numbers(self, attributes: Sequence[Attribute]) -> Ints:
        return np.array([self._contexts.of(a) for a in attributes], np.int32)

    def _said(self, case: AnswerCase) -> list[Attribute]:
        return [(n, *a) for n, group in self._answer_groups.items() for a in group.of_context(case)]

    def _copied(
        self, case: AnswerCase, text: str, places: tuple[Place, ...] = ()
    ) -> list[Attribute]:
        return [
            (n, *a)
            for n, group in self._answer_groups.items()
            for a in group.of_places(case, text, places)
        ]

    def _case(self, i: int, positions: Sequence[int], slot: int, part: int) -> AnswerCase:
        """Return a question with one or two of its facts, in slots from ``slot`` on."""
        asked = self.read[i]
        told = [asked.story[p] for p in positions]
        facts = tuple(
            ChosenFact(
                FACTS[slot + number],
                self.stories.outline(fact),
                self.stories.match(asked.question, fact),
            )
            for number, fact in enumerate(told)
        )
        between = {(0, 1): self.stories.match(*told)} if len(told) == 2 else {}
        name = self._part_names[part]
        return AnswerCase(self.outlines[i], facts, between, name, (asked.question, *told))

    def _tell(self, number: int, slot: int) -> None:
        """Add the row of a fact in a slot: contexts by part, and the texts that it names."""
        i, p = self._tellings[number]
        contexts = [NOTHING] * len(self._part_names)
        texts: list[int] = []
        copies: list[int] = []
        for part in self._parts_of(i):
            case = self._case(i, [p], slot, part)
            contexts[part] = self._numbers(self._said(case))
            if part:
                continue
            choices = self.read[i].source.choices
            for text, places in places_of(case.facts).items():
                if choices is not None and text not in choices:
                    continue
                asked_for = set(self._copied(self._case(i, [], slot, part), text))
                own = [a for a in self._copied(case, text, places) if a not in asked_for]
                texts += [self._texts.of(text)] * (len(own) + 1)
                copies += [-1, *(self._copies.of(a) for a in own)]
        row = _Row(contexts, np.array(texts, np.int32), np.array(copies, np.int32))
        self._told_row[number, slot] = self._add(row)

    def _tell_next(self, case: int, slot: int, i: int, positions: Sequence[int]) -> None:
        """Add the row of two facts in neighbouring slots: what they say beyond what each says alone."""
        contexts = [NOTHING] * len(self._part_names)
        for part in self._parts_of(i):
            alone = {
                a
                for number, p in enumerate(positions)
                for a in self._said(self._case(i, [p], slot + number, part))
            }
            both = self._said(self._case(i, positions, slot, part))
            contexts[part] = self._numbers([a for a in both if a not in alone])
        self._next_row[case, slot] = self._add(_Row(contexts, NOTHING, NOTHING))

    def _answer_places(self, choices: Ints, owner: Longs) -> Longs:
        """Return the rows of each choice: kind and number of facts, the facts, and neighbours."""
        sizes = (choices >= 0).sum(axis=1)
        kinds = np.array([self._kinds[o.kind] for o in self.outlines])
        places = np.full((len(choices), 2 * SLOTS), -1, np.int64)
        places[:, 0] = self._base_row[kinds[owner], sizes]
        for slot in range(SLOTS):
            there = np.flatnonzero(choices[:, slot] >= 0)
            told = self._told[self.cases.item_start[owner[there]] + choices[there, slot]]
            for number in np.unique(told).tolist():
                if self._told_row[number, slot] < 0:
                    self._tell(number, slot)
            places[there, 1 + slot] = self._told_row[told, slot]
            if slot == 0:
                continue
            case = self._pair_cases(choices[there], owner[there], slot - 1, slot)
            for number, at in zip(*np.unique(case, return_index=True), strict=True):
                if self._next_row[number, slot - 1] < 0:
                    pair = choices[there[at], slot - 1 : slot + 1].tolist()
                    self._tell_next(int(number), slot - 1, int(owner[there[at]]), pair)
            places[there, SLOTS + slot] = self._next_row[case, slot - 1]
        return places

    def _pair_cases(self, choices: Ints, owner: Longs, one: int, other: int) -> Longs:
        at = choices[:, one].astype(np.int64) * self._n[owner] + choices[:, other]
        return self.cases.pairs[self.cases.pair_start[owner] + at].astype(np.int64)

    def _score_places(self, choices: Ints, owner: Longs) -> Longs:
        """Return the rows of each choice: the case of each fact in its slot, and of every two."""
        n_items, n_pairs = len(self._item_ok), len(self._pair_ok)
        places = np.full((len(choices), 2 * SLOTS), -1, np.int64)
        for slot in range(SLOTS):
            there = np.flatnonzero(choices[:, slot] >= 0)
            own = owner[there]
            case = self.cases.items[self.cases.item_start[own] + choices[there, slot]]
            places[there, slot] = slot * n_items + case
            for before in range(slot):
                case = self._pair_cases(choices[there], own, before, slot)
                block = before + slot - 1
                places[there, SLOTS + block] = SLOTS * n_items + block * n_pairs + case
        return places

    def arrays(self, sizes: Mapping[str, int]) -> tuple[LatentArrays, Ints]:
        """Return the latent model's examples, where ``sizes`` says how many facts a kind has at most.

        With them come all choices of facts.
        """
        first, choices, given = self._choices(sizes)
        owner = np.repeat(np.arange(len(self.read)), np.diff(first))
        score_places, score_first, scored = _by_example(
            self._score_places(choices, owner), owner, len(self.read)
        )
        used, score_rows = np.unique(scored, return_inverse=True)
        score_ptr, score_ids, n_scores = _without_twins(*self._score_table(used))
        answer_places, answer_first, answer_rows = _by_example(
            self._answer_places(choices, owner), owner, len(self.read)
        )
        asked_ptr, asked_texts, asked_ids = self._asked()
        nowhere = self._copied(self._case(0, [], 0, 0), "")
        context_ptr, context_ids, n_contexts = _without_twins(
            *_csr([c for row in self._rows for c in row.contexts])
        )
        copy_ptr, copy_texts = _csr([row.texts for row in self._rows])
        parts = [self._parts_of(i) for i in range(len(self.read))]
        known_ptr, known_texts = _csr(
            [
                np.array(self._on(menu, part), np.int32)
                for menu in self._menus
                for part in range(len(self._part_names))
            ]
        )
        nowhere_id = self._copies.of(nowhere[0]) if nowhere else -1
        return LatentArrays(
            first=first,
            sizes=(choices >= 0).sum(axis=1).astype(np.int32),
            given=given,
            score_places=score_places,
            score_first=score_first,
            score_rows=score_rows.astype(np.int32),
            score_ptr=score_ptr,
            score_ids=score_ids,
            target_places=answer_places,
            target_first=answer_first,
            target_rows=answer_rows.astype(np.int32),
            context_ptr=context_ptr,
            context_ids=context_ids,
            copy_ptr=copy_ptr,
            copy_texts=copy_texts,
            copy_ids=_csr([row.copies for row in self._rows])[1],
            known_ptr=known_ptr,
            known_texts=known_texts,
            asked_ptr=asked_ptr,
            asked_texts=asked_texts,
            asked_ids=asked_ids,
            kinds=np.array(self._menu, np.int32),
            part_first=np.cumsum([0, *map(len, parts)], dtype=np.int64),
            parts=np.array([part for own in parts for part in own], np.int32),
            true=np.array([text for own in self._true for text in own], np.int32),
            n_scores=n_scores,
            n_copies=len(self._copies.things),
            n_contexts=n_contexts,
            n_parts=len(self._part_names),
            nowhere=nowhere_id,
            n_classes=self._n_classes,
            n_texts=len(self._texts.things),
        ), choices

    def _score_table(self, rows: Longs) -> tuple[Longs, Ints]:
        """Return the attributes of cases in their slots, each with numbers of its own."""
        cases, encoder = self.cases, self.encoder
        n_items, n_attributes = len(self._item_ok), len(encoder.item_attributes_)
        found: list[Ints] = []
        for row in rows.tolist():
            if row < SLOTS * n_items:
                slot, case = divmod(row, n_items)
                own = cases.item_ids[cases.item_ptr[case] : cases.item_ptr[case + 1]]
                found.append(own + slot * n_attributes)
            else:
                block, case = divmod(row - SLOTS * n_items, len(self._pair_ok))
                own = cases.pair_ids[cases.pair_ptr[case] : cases.pair_ptr[case + 1]]
                start = SLOTS * n_attributes + block * len(encoder.pair_attributes_)
                found.append(own + start)
        return _csr(found)

    def _asked(self) -> tuple[Longs, Ints, Ints]:
        """Return the attributes of the texts that questions name."""
        known: dict[int, tuple[Ints, Ints]] = {}
        for i, asked in enumerate(self.read):
            if id(asked.question) in known:
                continue
            own: list[tuple[int, int]] = []
            if self._parts_of(i) == [0]:
                case = self._case(i, [], 0, 0)
                usual = set(self._copied(case, ""))
                for text in dict.fromkeys(filler for _, filler in self.outlines[i].roles):
                    special = [a for a in self._copied(case, text) if a not in usual]
                    own += [(self._texts.of(text), self._copies.of(a)) for a in special]
            texts, ids = np.array(own, np.int32).reshape(-1, 2).T
            known[id(asked.question)] = (texts, ids)
        found = [known[id(asked.question)] for asked in self.read]
        ptr, texts = _csr([texts for texts, _ in found])
        return ptr, texts, _csr([ids for _, ids in found])[1]


@dataclass(frozen=True, slots=True)
class _Row:
    """What one fact, or two, say of the answer."""

    contexts: list[Ints]  # by part
    texts: Ints
    copies: Ints  # an attribute of each text, -1 for none


def _by_example(places: Longs, owner: Longs, n: int) -> tuple[Ints, Longs, Longs]:
    """Return the rows of choices counted within their example, where these begin, and the rows themselves."""
    base = int(places.max(initial=0)) + 1
    there = places >= 0
    keys = (owner[:, None] * base + places)[there]
    unique, inverse = np.unique(keys, return_inverse=True)
    first = np.searchsorted(unique, np.arange(n + 1) * base)
    own = np.full(places.shape, -1, np.int32)
    own[there] = inverse - first[np.broadcast_to(owner[:, None], places.shape)[there]]
    return own, first.astype(np.int64), unique % base


def _csr(rows: Sequence[Ints]) -> tuple[Longs, Ints]:
    ptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return ptr, np.concatenate([NOTHING, *rows]).astype(np.int32, copy=False)


def _without_twins(ptr: Longs, ids: Ints) -> tuple[Longs, Ints, int]:
    """Let attributes that stand in the very same rows be one, and return how many are left.

    Where all questions are of one kind, most attributes have a twin that says so.
    """
    rows = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    marks = np.random.default_rng(0).integers(1, 2**62, len(ptr) - 1, dtype=np.uint64)
    sums = np.zeros(int(ids.max(initial=-1)) + 1, np.uint64)
    np.add.at(sums, ids, marks[rows])  # of different sets of rows they differ
    _, number = np.unique(sums, return_inverse=True)
    n = int(number.max(initial=-1)) + 1
    left = np.unique(rows * max(n, 1) + number[ids])
    first = np.searchsorted(left // max(n, 1), np.arange(len(ptr)))
    return first.astype(np.int64), (left % max(n, 1)).astype(np.int32), n
