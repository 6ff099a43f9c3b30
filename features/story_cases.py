"""Stories as case numbers: every fact beside the question, and every pair of facts.

All of this is bookkeeping with small integers. Sentences are outlined once; the matches of a story and the
pairs of a question are arrays, and only what was never met before becomes an object.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from babi_cascade.features.cases import RANKS, UNMET, Flags, ItemCase, Kind, Mention, PairCase
from babi_cascade.features.key_table import KeyTable
from babi_cascade.features.outline import Match, Outline, Outliner, match_of
from babi_cascade.features.pair_kernels import (
    LAST,
    MATCH_BITS,
    NEAREST,
    NONE,
    PLACE_BITS,
    ROLE_BITS,
    nearest_flags,
    pair_keys,
    shared_roles,
)
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
from babi_cascade.svm.arrays import Ints, Longs

Item = TypeVar("Item", bound=Hashable)

NOTHING_MADE: Mapping[int, str] = {}

KIND_BITS = 20
MOST_PAIRS = 1 << 20
"""Pairs of sentences that are worked on at a time."""

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
class _Pairs:
    """Pairs of sentences: some distinct ones of a story before all of them."""

    bases: Ints  # [rows, V] match and kinds of the two
    groups: Ints  # [rows, V] match and shape of the second, numbered here; -1 without a match
    n_groups: int


@dataclass(frozen=True, slots=True, eq=False)
class _StoryTable:
    """The distinct sentences of a story; ``pairs`` of all of them, where these are not too many."""

    story: tuple[ReadSentence, ...]
    place: Ints  # [facts] distinct sentence at each position
    known: tuple[_Known, ...]
    role_ptr: Longs  # [V + 1] CSR of roles and their fillers
    roles: Ints
    fillers: Ints
    pairs: _Pairs | None


class StoryCases:
    """Tells stories as cases; the cases met so far are in ``items`` and ``pairs``."""

    def __init__(self, outliner: Outliner) -> None:
        self.outliner = outliner
        self._told_apart: frozenset[str] | None = None
        self._begin()

    def tell_apart(self, texts: Iterable[str]) -> None:
        """From now on show other predicates, shapes and times than these as one: no feature knows them.

        A long story may have thousands of them; without this their pairs would be millions of cases.
        """
        self._told_apart = frozenset(texts)

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
        self._beside_cases: Numbers[tuple[str, int, int, Match, bool | None]] = Numbers()
        self._groups: Numbers[tuple[object, ...]] = Numbers()
        self._tables: dict[int, _StoryTable] = {}
        self._made: Numbers[str] = Numbers()
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

    def numbers(self, asked: ReadQuestion, made: Mapping[int, str] = NOTHING_MADE) -> CaseNumbers:
        """Return a question as case numbers; ``made`` is what facts did to the state that it asks about."""
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
            self._number_items(beside, made), self._number_pairs(question, table, place, beside)
        )

    # -- facts beside the question -------------------------------------------------------------------

    def _number_items(self, beside: Sequence[_Beside], made: Mapping[int, str]) -> Ints:
        """Go backwards and count what was met of each group: 0 is the latest, all from 2 are alike."""
        n = len(beside)
        out = np.empty(n, np.int32)
        met: dict[int, int] = {}
        cases = self._item_keys
        for j in range(n - 1, -1, -1):
            fact = beside[j]
            did = self._made.of(made.get(j, ""))
            key = (fact.case, min(n - j, 3), did, *[met.get(group, 0) for group in fact.groups])
            case = cases.get(key)
            if case is None:
                case = cases[key] = self.items.new(self._item_case(key))
            out[j] = case
            for group in fact.distinct:  # a fact counts once, whatever it names twice
                met[group] = min(met.get(group, 0) + 1, 2)
        return out

    def _item_case(self, key: tuple[int, ...]) -> ItemCase:
        number, from_end, did, rank, loose_rank, *ranks = key
        asked, kind, match, roles, same_time = self._beside_cases.things[number]
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
            made=self._made.things[did],
            same_time=same_time,
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
            same_time = _same_time(question.outline.time, fact.outline.time)
            case = self._beside_cases.of(
                (question.outline.kind, fact.kind, match, roles, same_time)
            )
            known = _Beside(match, groups, tuple(dict.fromkeys(groups)), case)
            self._beside[key] = known
        return known

    # -- pairs of facts ------------------------------------------------------------------------------

    def _number_pairs(
        self, question: _Known, table: _StoryTable, place: Ints, beside: Sequence[_Beside]
    ) -> Ints:
        """Number pairs row by row: besides the numbers only two bits of each pair are kept."""
        n = len(beside)
        matches: Numbers[int] = Numbers()
        asked = np.array([matches.of(fact.match) for fact in beside], np.int32)
        asked_numbers = np.array(matches.things, np.int32)
        kind = question.outline.kind
        numbers = self._pair_tables.setdefault(kind, KeyTable())
        flags = np.empty((n, n), np.uint8)
        # Of a long story rows are made twice rather than kept.
        few = list(self._pair_rows(table, place)) if n * n <= MOST_PAIRS else None
        for first, rows in few or self._pair_rows(table, place):
            own = slice(first, first + len(rows.groups))
            nearest_flags(first, rows.groups, rows.n_groups, flags[own])
        out = np.empty((n, n), np.int32)
        for first, rows in few or self._pair_rows(table, place):
            keys = pair_keys(
                first, rows.bases, rows.groups, rows.n_groups, flags, asked, asked_numbers
            )
            out[first : first + len(keys)] = numbers.numbers(
                keys, lambda key: self.pairs.new(self._pair_case(kind, key))
            )
        return out

    def _pair_rows(self, table: _StoryTable, place: Ints) -> Iterator[tuple[int, _Pairs]]:
        """Yield the pairs of facts, some rows at a time, and where the rows begin."""
        step = max(1, MOST_PAIRS // max(len(place), 1))
        for first in range(0, len(place), step):
            some = place[first : first + step]
            if table.pairs is not None:
                yield first, _spread(table.pairs, some, place)
            else:
                distinct, own = np.unique(some, return_inverse=True)
                pairs = self._sentence_pairs(table, distinct)
                yield first, _spread(pairs, own.astype(np.int32), place)

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
            kind = self._kinds.of(Kind(*map(self._shown, _kind_texts(outline))))
            roles = tuple([(self._roles.of(r), self._fillers.of(f)) for r, f in outline.roles])
            known = self._known[id(sentence)] = _Known(
                sentence, len(self._known), outline, outline.fillers, kind,
                self._shapes.of(outline.shape), roles,
            )  # fmt: skip
        return known

    def _shown(self, text: str) -> str:
        return text if self._told_apart is None or text in self._told_apart else UNMET

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
            roles = np.array([pair for each in known for pair in each.roles], np.int32)
            own, fillers = np.ascontiguousarray(roles.reshape(-1, 2).T)
            ptr = np.cumsum([0, *(len(each.roles) for each in known)], dtype=np.int64)
            table = _StoryTable(story, place, known, ptr, own, fillers, None)
            if len(known) ** 2 <= MOST_PAIRS:
                every = np.arange(len(known), dtype=np.int32)
                table = replace(table, pairs=self._sentence_pairs(table, every))
            self._tables[id(story)] = table
        return table

    def _sentence_pairs(self, table: _StoryTable, rows: Ints) -> _Pairs:
        """Return the pairs of these distinct sentences with all of the story."""
        matches = self._matches_of(table, rows)
        kinds = np.array([each.kind for each in table.known], np.int64)
        keys = (matches.astype(np.int64) << KIND_BITS) | kinds[rows][:, None]
        bases = self._base_table.numbers((keys << KIND_BITS) | kinds, self._base)
        own_matches, own = _renumbered(matches, len(self._matches.things))
        shapes = np.array([each.shape for each in table.known], np.int32)
        own_shapes, shape = _renumbered(shapes, len(self._shapes.things))
        n_groups, groups = _renumbered(own * own_shapes + shape, own_matches * own_shapes)
        return _Pairs(bases, np.where(matches > 0, groups, NONE).astype(np.int32), n_groups)

    def _base(self, key: int) -> int:
        key, second = divmod(key, 1 << KIND_BITS)
        match, first = divmod(key, 1 << KIND_BITS)
        return self._bases.of((match, first, second))

    def _matches_of(self, table: _StoryTable, rows: Ints) -> Ints:
        """Return the match of these sentences with every one [rows, V]; 0 is the empty one."""
        codes = shared_roles(rows, table.role_ptr, table.roles, table.fillers)
        matches = np.zeros(codes.shape[:2], np.int32)
        for depth in range(codes.shape[2]):
            more = codes[:, :, depth] != NONE
            if not more.any():
                break
            matches[more] = self._longer_matches(matches[more], codes[:, :, depth][more])
        return matches


def _spread(pairs: _Pairs, rows: Ints, columns: Ints) -> _Pairs:
    """Pairs of sentences as pairs of facts."""
    chosen = np.ix_(rows, columns)
    return _Pairs(pairs.bases[chosen], pairs.groups[chosen], pairs.n_groups)


def _renumbered(numbers: Ints, most: int) -> tuple[int, Ints]:
    """Return how many different numbers there are, and each as one of 0, 1, …; all are less than ``most``."""
    there = np.zeros(most, np.int32)
    there[numbers] = 1
    return int(there.sum()), (np.cumsum(there, dtype=np.int32) - 1)[numbers]


def _same_time(asked: str, told: str) -> bool | None:
    """Say whether two times end in the same word ("in the morning", "this morning"), if there are two."""
    return asked.split()[-1] == told.split()[-1] if asked and told else None


def _kind_texts(outline: Outline) -> tuple[str, str, str]:
    return outline.predicate, outline.shape, outline.time


def _flags(bits: int) -> Flags:
    return Flags(bool(bits & NEAREST), bool(bits & LAST))


FLAGS = tuple(_flags(bits) for bits in range(4))
