"""Stories as case numbers: every fact beside the question, and every pair of facts.

All of this is bookkeeping with small integers. Sentences are outlined once; the matches of a story and the
pairs of a question are arrays, and only what was never met before becomes an object.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from babi_cascade.features.cases import RANKS, Flags, ItemCase, Kind, Mention, PairCase
from babi_cascade.features.key_table import KeyTable
from babi_cascade.features.outline import Match, Outline, Outliner, match_of
from babi_cascade.features.pair_kernels import (
    LAST,
    MATCH_BITS,
    NEAREST,
    NONE,
    PLACE_BITS,
    ROLE_BITS,
    pair_keys,
    shared_roles,
)
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Ints

Item = TypeVar("Item", bound=Hashable)

KIND_BITS = 20
PAIRS = 4
"""Cases of pairs that may be kept for each sentence that may be."""

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

    def new(self, thing: Item) -> int:
        """Number a thing that cannot have been met before; it is not looked up later either."""
        self.things.append(thing)
        return len(self.things) - 1


@dataclass(frozen=True, slots=True)
class CaseNumbers:
    """A question as case numbers: its facts [n] and their ordered pairs [n, n]."""

    items: Ints
    pairs: Ints


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A sentence with its outline and numbers."""

    sentence: ReadSentence  # kept, so that its id stays its own
    number: int
    outline: Outline
    fillers: dict[str, tuple[str, ...]]
    kind: int
    shape: int
    roles: tuple[tuple[int, int], ...]  # numbers of role and filler


@dataclass(frozen=True, slots=True, eq=False)
class _Beside:
    """A fact beside a question: all that does not depend on where it stands.

    ``groups`` are those whose later members are counted for its ranks; ``distinct`` has each once.
    """

    match: int
    groups: tuple[int, ...]
    distinct: tuple[int, ...]
    case: int


@dataclass(frozen=True, slots=True, eq=False)
class _StoryTable:
    """The distinct sentences of a story and the matches of all of them, numbered within the story."""

    story: tuple[ReadSentence, ...]
    place: Ints  # [facts] distinct sentence at each position
    known: tuple[_Known, ...]
    bases: Ints  # [V, V] match and kinds of two sentences
    groups: (
        Ints  # [V, V] match and shape of the second, numbered within the story; -1 without a match
    )
    n_groups: int


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
        self._roles: Numbers[str] = Numbers()
        self._fillers: Numbers[str] = Numbers()
        # Matches by their pairs of roles, ascending: the number of each beginning leads to the next.
        self._matches: Numbers[Match] = Numbers()
        self._matches.of(())
        self._match_table = KeyTable()
        self._match_codes: list[tuple[int, ...]] = [()]
        self._bases: Numbers[tuple[int, int, int]] = Numbers()
        self._base_table = KeyTable()
        self._known: dict[int, _Known] = {}
        self._beside: dict[tuple[int, int], _Beside] = {}
        self._beside_cases: Numbers[tuple[str, int, int, Match]] = Numbers()
        self._groups: Numbers[tuple[object, ...]] = Numbers()
        self._tables: dict[int, _StoryTable] = {}
        self._item_keys: dict[tuple[int, ...], int] = {}
        self._pair_tables: dict[str, KeyTable] = {}

    def forget(self, above: int = 0) -> None:
        """Let go of stories, of matches when they are many, of everything when there are more sentences.

        Then case numbers begin anew.
        """
        self._tables.clear()
        if len(self._beside) > MATCHES * above:
            self._beside.clear()
        sentences = max(len(self._known), len(self.items.things), len(self.pairs.things) // PAIRS)
        if sentences > above:
            self._begin()

    def outline(self, sentence: ReadSentence) -> Outline:
        """Return the outline of a sentence."""
        return self._know(sentence).outline

    def match(self, one: ReadSentence, other: ReadSentence) -> Match:
        """Return the match of two sentences."""
        return match_of(self.outline(one), self.outline(other))

    def numbers(self, asked: ReadQuestion) -> CaseNumbers:
        """Return a question as case numbers."""
        question = self._know(asked.question)
        table = self._table(asked.story)
        place = table.place[: asked.n_facts]
        distinct: dict[int, _Beside] = {}
        beside = []
        for v in place.tolist():
            known = distinct.get(v)
            if known is None:
                known = distinct[v] = self._facts_beside(question, table.known[v])
            beside.append(known)
        return CaseNumbers(
            self._number_items(beside), self._number_pairs(question, table, place, beside)
        )

    # -- facts beside the question -------------------------------------------------------------------

    def _number_items(self, beside: Sequence[_Beside]) -> Ints:
        """Go backwards and count what was met of each group: 0 is the latest, all from 2 are alike."""
        n = len(beside)
        out = np.empty(n, np.int32)
        met: dict[int, int] = {}
        cases = self._item_keys
        for j in range(n - 1, -1, -1):
            fact = beside[j]
            key = (fact.case, min(n - j, 3), *[met.get(group, 0) for group in fact.groups])
            case = cases.get(key)
            if case is None:
                case = cases[key] = self.items.new(self._item_case(key))
            out[j] = case
            for group in fact.distinct:  # a fact counts once, whatever it names twice
                met[group] = min(met.get(group, 0) + 1, 2)
        return out

    def _item_case(self, key: tuple[int, ...]) -> ItemCase:
        number, from_end, rank, loose_rank, *ranks = key
        asked, kind, match, roles = self._beside_cases.things[number]
        return ItemCase(
            question_kind=asked,
            kind=self._kinds.things[kind],
            match=self._matches.things[match],
            rank=RANKS[rank],
            loose_rank=RANKS[loose_rank],
            mentions=tuple(
                Mention(a, r, RANKS[own], RANKS[every])
                for (a, r), own, every in zip(roles, ranks[::2], ranks[1::2], strict=True)
            ),
            from_end=from_end,
        )

    def _facts_beside(self, question: _Known, fact: _Known) -> _Beside:
        """Match with the question, the roles of the question that are met, and each shared filler."""
        key = (question.number, fact.number)
        known = self._beside.get(key)
        if known is None:
            there = fact.fillers
            shared = [
                (filler, asked, role)
                for filler, roles in question.fillers.items()
                for asked in roles
                for role in there.get(filler, ())
            ]
            match = self._match(question, fact) if shared else 0
            loose = "; ".join(dict.fromkeys(asked for _, asked, _ in shared))
            named: list[tuple[object, ...]] = [
                ("match", match, fact.shape),
                ("loose", loose, fact.shape),
            ]
            for filler, _, role in shared:
                named += [("role", filler, role, fact.shape), ("any", filler)]
            groups = tuple([self._groups.of(group) for group in named])
            roles = tuple([(asked, role) for _, asked, role in shared])
            case = self._beside_cases.of((question.outline.kind, fact.kind, match, roles))
            known = _Beside(match, groups, tuple(dict.fromkeys(groups)), case)
            self._beside[key] = known
        return known

    # -- pairs of facts ------------------------------------------------------------------------------

    def _number_pairs(
        self, question: _Known, table: _StoryTable, place: Ints, beside: Sequence[_Beside]
    ) -> Ints:
        if not beside:
            return np.zeros((0, 0), np.int32)
        matches: Numbers[int] = Numbers()
        asked = np.array([matches.of(fact.match) for fact in beside], np.int32)
        keys = pair_keys(
            place, table.bases, table.groups, table.n_groups, asked,
            np.array(matches.things, np.int32),
        )  # fmt: skip
        kind = question.outline.kind
        numbers = self._pair_tables.setdefault(kind, KeyTable())
        return numbers.numbers(keys, lambda key: self.pairs.new(self._pair_case(kind, key)))

    def _pair_case(self, asked: str, key: int) -> PairCase:
        key, bits = divmod(key, 1 << PLACE_BITS)
        base, question_match = divmod(key, 1 << MATCH_BITS)
        match, first, second = self._bases.things[base]
        return PairCase(
            question_kind=asked,
            first=self._kinds.things[first],
            second=self._kinds.things[second],
            match=self._matches.things[match],
            question_match=self._matches.things[question_match],
            later=bool(bits & 64),
            adjacent=bool(bits & 128),
            flags=FLAGS[bits >> 4 & 3],
            question_flags=FLAGS[bits >> 2 & 3],
            back_flags=FLAGS[bits & 3],
        )

    # -- what is known of sentences ------------------------------------------------------------------

    def _know(self, sentence: ReadSentence) -> _Known:
        known = self._known.get(id(sentence))
        if known is None:
            outline = self.outliner.outline(sentence)
            kind = self._kinds.of(Kind(outline.predicate, outline.shape, outline.time))
            roles = tuple([(self._roles.of(r), self._fillers.of(f)) for r, f in outline.roles])
            known = self._known[id(sentence)] = _Known(
                sentence, len(self._known), outline, outline.fillers, kind,
                self._shapes.of(outline.shape), roles,
            )  # fmt: skip
        return known

    def _match(self, one: _Known, other: _Known) -> int:
        codes = {a << ROLE_BITS | b for a, f in one.roles for b, g in other.roles if f == g}
        match = 0
        for code in sorted(codes):
            match = int(self._longer_matches(np.array([match], np.int32), np.array([code]))[0])
        return match

    def _longer_matches(self, matches: Ints, codes: Ints) -> Ints:
        """Return the matches that have one more pair of roles each."""
        keys = (matches.astype(np.int64) << (2 * ROLE_BITS)) | codes
        return self._match_table.numbers(keys, self._longer_match)

    def _longer_match(self, key: int) -> int:
        match, code = divmod(key, 1 << (2 * ROLE_BITS))
        codes = (*self._match_codes[match], code)
        self._match_codes.append(codes)
        names = self._roles.things
        pairs = [(names[c >> ROLE_BITS], names[c & (1 << ROLE_BITS) - 1]) for c in codes]
        return self._matches.of(tuple(sorted(pairs)))

    def _table(self, story: tuple[ReadSentence, ...]) -> _StoryTable:
        table = self._tables.get(id(story))
        if table is None:
            numbers: Numbers[_Known] = Numbers()
            place = np.array([numbers.of(self._know(fact)) for fact in story], np.int32)
            known = tuple(numbers.things)
            matches = self._all_matches(known)
            kinds = np.array([each.kind for each in known], np.int64)
            keys = ((matches.astype(np.int64) << KIND_BITS) | kinds[:, None]) << KIND_BITS | kinds
            bases = self._base_table.numbers(keys, self._base)
            own_matches, own = np.unique(matches, return_inverse=True)
            own_shapes, shapes = np.unique([each.shape for each in known], return_inverse=True)
            groups = own.reshape(matches.shape) * len(own_shapes) + shapes
            table = self._tables[id(story)] = _StoryTable(
                story, place, known, bases,
                np.where(matches > 0, groups, NONE).astype(np.int32),
                len(own_matches) * len(own_shapes),
            )  # fmt: skip
        return table

    def _base(self, key: int) -> int:
        key, second = divmod(key, 1 << KIND_BITS)
        match, first = divmod(key, 1 << KIND_BITS)
        return self._bases.of((match, first, second))

    def _all_matches(self, known: Sequence[_Known]) -> Ints:
        """Return the match of every two sentences [V, V]; 0 is the empty one."""
        every = np.array([pair for each in known for pair in each.roles], np.int32).reshape(-1, 2)
        ptr = np.cumsum([0, *(len(each.roles) for each in known)], dtype=np.int64)
        codes = shared_roles(ptr, every[:, 0].copy(), every[:, 1].copy())
        matches = np.zeros(codes.shape[:2], np.int32)
        for depth in range(codes.shape[2]):
            more = codes[:, :, depth] != NONE
            if not more.any():
                break
            matches[more] = self._longer_matches(matches[more], codes[:, :, depth][more])
        return matches


def _flags(bits: int) -> Flags:
    return Flags(bool(bits & NEAREST), bool(bits & LAST))


FLAGS = tuple(_flags(bits) for bits in range(4))
