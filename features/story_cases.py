"""Stories as case numbers: every fact beside the question, and every pair of facts.

All of this is bookkeeping with small integers. Sentences are outlined once; a match is computed once for two
sentences, wherever they meet; pairs of a story are arrays, and only distinct cases become objects.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from features.cases import RANKS, Flags, ItemCase, Kind, Mention, PairCase
from features.nearest_kernels import LAST, NEAREST, nearest_flags
from features.outline import Outline, Outliner, Signature, signature
from pipeline.annotate.reader import ReadQuestion, ReadSentence
from svm.arrays import Ints

Item = TypeVar("Item", bound=Hashable)

MATCHES = 10
"""Matches that may be kept for each sentence that may be: stories with the same sentences meet them again."""


class Numbers(Generic[Item]):
    """Things numbered in the order in which they are first met."""

    def __init__(self) -> None:
        self.things: list[Item] = []
        self._number: dict[Item, int] = {}

    def of(self, thing: Item) -> int:
        """Return the number of a thing, a new one if need be."""
        number = self._number.get(thing)
        if number is None:
            number = self._number[thing] = len(self.things)
            self.things.append(thing)
        return number


@dataclass(frozen=True, slots=True)
class Told:
    """A question as case numbers: its facts [n] and their ordered pairs [n, n]."""

    items: Ints
    pairs: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A sentence with its outline and numbers."""

    sentence: ReadSentence  # kept, so that its id stays its own
    number: int
    outline: Outline
    kind: int
    shape: int


@dataclass(frozen=True, slots=True, eq=False)
class _StoryTable:
    """The distinct sentences of a story and the matches of all of them, numbered within the story."""

    story: tuple[ReadSentence, ...]
    place: Ints  # [facts] distinct sentence at each position
    known: tuple[_Known, ...]
    kinds: Ints  # [V] numbers of the kinds, within the story
    kind_numbers: tuple[int, ...]
    shapes: Ints  # [V]
    n_shapes: int
    matches: Ints  # [V, V], 0 is the empty match
    match_numbers: tuple[int, ...]


class StoryCases:
    """Tells stories as cases; the cases met so far are in ``items`` and ``pairs``."""

    def __init__(self, outliner: Outliner) -> None:
        self.outliner = outliner
        self._begin()

    def _begin(self) -> None:
        self.items: Numbers[ItemCase] = Numbers()
        self.pairs: Numbers[PairCase] = Numbers()
        self._kinds: Numbers[Kind] = Numbers()
        self._shapes: Numbers[str] = Numbers()
        self._asked_kinds: Numbers[str] = Numbers()
        self._matches: Numbers[Signature] = Numbers()
        self._matches.of(())
        self._known: dict[int, _Known] = {}
        self._match_of: dict[tuple[int, int], int] = {}
        self._beside: dict[tuple[int, int], tuple[int, str, tuple[tuple[str, str, str], ...]]] = {}
        self._tables: dict[int, _StoryTable] = {}
        self._item_keys: dict[tuple[object, ...], int] = {}
        self._pair_keys: dict[tuple[int, ...], int] = {}

    def forget(self, above: int = 0) -> None:
        """Let go of stories, of matches when they are many, of everything when there are more sentences.

        Then case numbers begin anew.
        """
        self._tables.clear()
        if len(self._match_of) + len(self._beside) > MATCHES * above:
            self._match_of.clear()
            self._beside.clear()
        if max(len(self._known), len(self.items.things), len(self.pairs.things)) > above:
            self._begin()

    def outline(self, sentence: ReadSentence) -> Outline:
        """Return the outline of a sentence."""
        return self._know(sentence).outline

    def match(self, one: ReadSentence, other: ReadSentence) -> Signature:
        """Return the role equality of two sentences."""
        return self._matches.things[self._match(self._know(one), self._know(other))]

    def tell(self, asked: ReadQuestion) -> Told:
        """Return a question as case numbers."""
        question = self._know(asked.question)
        table = self._table(asked.story)
        n = asked.n_facts
        facts = [table.known[v] for v in table.place[:n].tolist()]
        beside = [self._facts_beside(question, fact) for fact in facts]
        items = self._tell_items(question, facts, beside)
        return Told(items, self._tell_pairs(question, table, n, [match for match, _, _ in beside]))

    # -- facts beside the question -------------------------------------------------------------------

    def _tell_items(
        self,
        question: _Known,
        facts: Sequence[_Known],
        beside: Sequence[tuple[int, str, tuple[tuple[str, str, str], ...]]],
    ) -> Ints:
        """Go backwards and count what was met of each group: 0 is the latest."""
        n = len(facts)
        out = np.empty(n, np.int32)
        met: dict[tuple[object, ...], int] = {}

        here: dict[tuple[object, ...], int] = {}

        def rank(*group: object) -> int:
            here[group] = met.get(group, 0)  # a fact counts once, whatever it names twice
            return min(here[group], 2)

        for j in range(n - 1, -1, -1):
            fact = facts[j]
            match, loose, shared = beside[j]
            here.clear()
            mentions = tuple(
                (asked, role, rank("role", filler, role, fact.shape), rank("any", filler))
                for filler, asked, role in shared
            )
            key = (
                question.outline.kind, fact.kind, match, rank("match", match, fact.shape),
                rank("loose", loose, fact.shape), mentions, min(n - j, 3),
            )  # fmt: skip
            case = self._item_keys.get(key)
            if case is None:
                case = self._item_keys[key] = self.items.of(self._item_case(key))
            out[j] = case
            met.update((group, count + 1) for group, count in here.items())
        return out

    def _item_case(self, key: tuple[object, ...]) -> ItemCase:
        asked, kind, match, rank, loose_rank, mentions, from_end = key
        return ItemCase(
            asked=str(asked),
            kind=self._kinds.things[kind],  # type: ignore[call-overload]
            match=self._matches.things[match],  # type: ignore[call-overload]
            rank=RANKS[rank],  # type: ignore[call-overload]
            loose_rank=RANKS[loose_rank],  # type: ignore[call-overload]
            mentions=tuple(
                Mention(a, r, RANKS[own], RANKS[every])
                for a, r, own, every in mentions  # type: ignore[attr-defined]
            ),
            from_end=from_end,  # type: ignore[arg-type]
        )

    def _facts_beside(
        self, question: _Known, fact: _Known
    ) -> tuple[int, str, tuple[tuple[str, str, str], ...]]:
        """Match with the question, the roles of the question that are met, and each shared filler."""
        key = (question.number, fact.number)
        known = self._beside.get(key)
        if known is None:
            there = fact.outline.fillers
            shared = tuple(
                (filler, asked, role)
                for filler, roles in question.outline.fillers.items()
                for asked in roles
                for role in there.get(filler, ())
            )
            loose = "; ".join(dict.fromkeys(asked for _, asked, _ in shared))
            known = self._beside[key] = (self._match(question, fact), loose, shared)
        return known

    # -- pairs of facts ------------------------------------------------------------------------------

    def _tell_pairs(
        self, question: _Known, table: _StoryTable, n: int, asked: Sequence[int]
    ) -> Ints:
        if n == 0:
            return np.zeros((0, 0), np.int32)
        place = table.place[:n]
        asked_numbers: Numbers[int] = Numbers()
        asked_of = np.array([asked_numbers.of(match) for match in asked], np.int64)
        n_asked = len(asked_numbers.things)
        match = table.matches[place][:, place].astype(np.int64)
        kinds, shapes = table.kinds[place], table.shapes[place]
        group = np.where(match > 0, match * table.n_shapes + shapes[None, :], -1)
        n_groups = len(table.match_numbers) * table.n_shapes
        flags = nearest_flags(group.astype(np.int32), n_groups)
        finer = np.where(group >= 0, group * n_asked + asked_of[None, :], -1)
        asked_flags = nearest_flags(finer.astype(np.int32), n_groups * n_asked)
        position = np.arange(n)
        apart = position[None, :] - position[:, None]
        place_bits = (apart > 0).astype(np.int64) + 2 * (np.abs(apart) == 1)
        key = match
        n_kinds = len(table.kind_numbers)
        for size, part in (
            (n_kinds, kinds[:, None]), (n_kinds, kinds[None, :]),
            (n_asked + 1, np.where(match > 0, asked_of[None, :], n_asked)),
            (4, place_bits), (4, flags), (4, asked_flags), (4, flags.T),
        ):  # fmt: skip
            key = key * size + part
        distinct, inverse = np.unique(key, return_inverse=True)
        cases = self._pair_cases(question, table, asked_numbers.things, distinct)
        return cases[inverse].reshape(n, n)

    def _pair_cases(
        self, question: _Known, table: _StoryTable, asked: Sequence[int], keys: np.ndarray
    ) -> Ints:
        """Return the case numbers of distinct keys: what is numbered within the story gets its own name."""
        parts: list[list[int]] = []
        n_kinds = len(table.kind_numbers)
        for size in (4, 4, 4, 4, len(asked) + 1, n_kinds, n_kinds):
            keys, rest = np.divmod(keys, size)
            parts.append(rest.tolist())
        parts.append(keys.tolist())
        asked = [*asked, 0]
        kind = self._asked_kinds.of(question.outline.kind)
        out = np.empty(len(keys), np.int32)
        for at, (back, asked_flags, flags, place, other, second, first, match) in enumerate(
            zip(*parts, strict=True)
        ):
            key = (
                kind, table.match_numbers[match], table.kind_numbers[first],
                table.kind_numbers[second], asked[other], place, flags, asked_flags, back,
            )  # fmt: skip
            case = self._pair_keys.get(key)
            if case is None:
                case = self._pair_keys[key] = self.pairs.of(self._pair_case(*key))
            out[at] = case
        return out

    def _pair_case(
        self, kind: int, match: int, first: int, second: int, asked: int, place: int, flags: int,
        asked_flags: int, back: int,
    ) -> PairCase:  # fmt: skip
        return PairCase(
            asked=self._asked_kinds.things[kind],
            first=self._kinds.things[first],
            second=self._kinds.things[second],
            match=self._matches.things[match],
            asked_match=self._matches.things[asked],
            later=bool(place & 1),
            adjacent=bool(place & 2),
            flags=_flags(flags),
            asked_flags=_flags(asked_flags),
            back_flags=_flags(back),
        )

    # -- what is known of sentences ------------------------------------------------------------------

    def _know(self, sentence: ReadSentence) -> _Known:
        known = self._known.get(id(sentence))
        if known is None:
            outline = self.outliner.outline(sentence)
            kind = self._kinds.of(Kind(outline.predicate, outline.shape, outline.time))
            shape = self._shapes.of(outline.shape)
            known = _Known(sentence, len(self._known), outline, kind, shape)
            self._known[id(sentence)] = known
        return known

    def _match(self, one: _Known, other: _Known) -> int:
        key = (one.number, other.number)
        match = self._match_of.get(key)
        if match is None:
            match = self._matches.of(signature(one.outline, other.outline))
            self._match_of[key] = match
        return match

    def _table(self, story: tuple[ReadSentence, ...]) -> _StoryTable:
        table = self._tables.get(id(story))
        if table is None:
            numbers: Numbers[_Known] = Numbers()
            place = np.array([numbers.of(self._know(fact)) for fact in story], np.int32)
            known = tuple(numbers.things)
            kinds: Numbers[int] = Numbers()
            shapes: Numbers[int] = Numbers()
            matches: Numbers[int] = Numbers()
            matches.of(0)
            table = _StoryTable(
                story, place, known,
                np.array([kinds.of(each.kind) for each in known], np.int64),
                tuple(kinds.things),
                np.array([shapes.of(each.shape) for each in known], np.int64),
                len(shapes.things),
                np.array(
                    [[matches.of(self._match(a, b)) for b in known] for a in known], np.int32
                ).reshape(len(known), len(known)),
                tuple(matches.things),
            )  # fmt: skip
            self._tables[id(story)] = table
        return table


def _flags(bits: int) -> Flags:
    return Flags(bool(bits & NEAREST), bool(bits & LAST))
