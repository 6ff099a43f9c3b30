"""The table of operations and the read-outs, learned from the answers to training questions.

A table is good if the executed stories answer many questions. It is looked for by moves: all spots of a group, or
one spot, get another operation; two groups at once where no single move helps, since neither getting nor going alone
says where a thing is. A kind of question that the latest fact about its names answers needs no state, and may not
bend the table: it has no say before the others are settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from babi_cascade.features.answer_parts import items
from babi_cascade.features.outline import Match, Outline, match_of
from babi_cascade.features.world.kernels import N_READOUTS, WorldArrays, execute, right
from babi_cascade.features.world.operations import (
    FILL,
    IS,
    KEEP,
    KINDS,
    MOST_ROLES,
    NOTHING,
    OR,
    Group,
    Learned,
    Mentioned,
    Node,
    Operation,
    OperationTable,
    Spot,
    mentions,
    named,
)
from babi_cascade.features.world.states import READOUTS, StoryState, given_nodes, precondition
from babi_cascade.svm.arrays import Bytes, Longs

FACTS_SUFFICE = 0.95
"""A kind of question needs no state if the latest fact about its names answers so many."""

EXPLAINED = 0.8
"""A kind of question has a read-out if it answers so many; the others are left to the facts."""

GROUP_COST, SPOT_COST = 1.0, 1.5
"""Answers that the operation of a group must be worth, and one of a spot that differs from its group's."""

NAMED = 0.1
"""Where so many answers are entities of their story, the others are what is said when there is none."""

AGREE, MET_ENOUGH = 0.8, 10
"""Two roles whose anchors agree so often, in so many sentences where both are known, are in one place."""

MOST_QUESTIONS = 400
"""Questions of a kind that decide; more say little more."""

STARTS = 4
"""Pairs of groups that the search begins with; the best table is kept."""

Changes = Mapping[int, Operation]
"""New operations by the numbers of spots."""

Story = tuple[Sequence[Outline], list[tuple[Outline, int, str, str]]]
"""The outlines of the facts; question, facts before it, kind and answer."""


class WorldExamples:
    """Training stories as arrays, and how well a table answers their questions."""

    def __init__(self, stories: Sequence[Story]) -> None:
        self.facts = [[mentions(outline) for outline in facts] for facts, _ in stories]
        self.spots: list[Spot] = []
        self._number: dict[Spot, int] = {}
        self.kinds = sorted({q[2] for _, asked in stories for q in asked})
        self._build(stories)
        n = len(self.spots)
        self.members_of: dict[Group, list[int]] = {}
        for number, spot in enumerate(self.spots):
            self.members_of.setdefault(spot.group, []).append(number)
        self.stories_of: list[Longs] = [np.zeros(0, np.int64)] * n
        where: list[set[int]] = [set() for _ in range(n)]
        for s, facts in enumerate(self.facts):
            for found in facts:
                for mention in found:
                    where[self._number[mention.spot]].add(s)
        self.stories_of = [np.array(sorted(each), np.int64) for each in where]
        self.met = Counter(self._number[m.spot] for facts in self.facts for f in facts for m in f)

    def _build(self, stories: Sequence[Story]) -> None:
        sentence_first, mention_first, question_first, node_first = [0], [0], [0], [0]
        rows: list[tuple[int, int, list[int], list[int]]] = []
        node_kinds: list[int] = []
        node_fillers: list[int] = []
        asked_rows: list[tuple[int, list[int], int, int, int, str]] = []
        for (outlines, asked), facts in zip(stories, self.facts, strict=True):
            nodes: dict[Node, int] = {}
            number = lambda node: nodes.setdefault(node, len(nodes))  # noqa: E731
            texts: dict[str, str] = {}
            for outline in outlines:
                for filler, text in outline.texts.items():
                    texts.setdefault(text, filler)
                for _, filler in outline.roles:
                    texts[filler] = filler
                    number(named(filler))
            for found in facts:
                for mention in found:
                    points = [number(point) for point, _ in mention.targets]
                    copies = [number(copy) for _, copy in mention.targets]
                    rows.append((number(mention.node), self._spot(mention.spot), points, copies))
                mention_first.append(len(rows))
            sentence_first.append(len(mention_first) - 1)
            for question, n_facts, kind, answer in asked:
                given = [nodes.get(node, -1) for node in given_nodes(question)]
                own = [texts.get(item) for item in items(answer)]
                there = [nodes[named(each)] for each in own if each is not None]
                members = -1 if len(there) < len(own) or max(there) >= 63 else sum({1 << i for i in there})
                one = there[0] if len(own) == len(there) == 1 else -1
                asked_rows.append(
                    (n_facts, given, one, members, self.kinds.index(kind), answer)
                )
            question_first.append(len(asked_rows))
            for node, _ in sorted(nodes.items(), key=lambda each: each[1]):
                kind_of, fillers = node
                node_kinds.append(0 if kind_of == IS else 1 if kind_of == OR else 2)
                inside = [nodes.get(named(f), 63) for f in fillers]
                node_fillers.append(sum({1 << i for i in inside if i < 63}))
            node_first.append(len(node_kinds))
        kinds = np.array([row[4] for row in asked_rows], np.int64)
        members = np.array([row[3] for row in asked_rows], np.int64)
        self.named = np.zeros(len(self.kinds), np.uint8)
        for k in range(len(self.kinds)):
            self.named[k] = (members[kinds == k] >= 0).mean() >= NAMED
            if self.named[k]:  # what is said of an empty list
                members[(kinds == k) & (members < 0)] = 0
        self.arrays = WorldArrays(
            np.array(sentence_first), np.array(mention_first),
            np.array([row[0] for row in rows], np.int32), np.array([row[1] for row in rows], np.int32),
            _table([row[2] for row in rows], MOST_ROLES), _table([row[3] for row in rows], MOST_ROLES),
            np.array(node_first), np.array(node_kinds, np.uint8), np.array(node_fillers, np.int64),
            np.array(question_first), np.array([row[0] for row in asked_rows], np.int32),
            _table([row[1] for row in asked_rows], 2),
            np.array([row[2] for row in asked_rows], np.int32), members,
        )  # fmt: skip
        self.n_stories = len(stories)
        self.order = np.argsort(kinds, kind="stable")
        self.kind_first = np.searchsorted(kinds[self.order], np.arange(len(self.kinds) + 1))
        self.counts = np.diff(self.kind_first)
        own_answers: list[dict[str, int]] = [{} for _ in self.kinds]
        self.answers = np.array(
            [own_answers[row[4]].setdefault(row[5], len(own_answers[row[4]])) for row in asked_rows], np.int32
        )
        self.n_answers = np.array([len(own) for own in own_answers], np.int32)
        constant = [
            int(np.bincount(self.answers[self.order[a:b]]).max())
            for a, b in zip(self.kind_first, self.kind_first[1:], strict=False)
        ]
        self.constant = np.array(constant, np.int64)
        self.by_facts = _answered_by_facts(stories, self.kinds)

    def _spot(self, spot: Spot) -> int:
        number = self._number.setdefault(spot, len(self.spots))
        if number == len(self.spots):
            self.spots.append(spot)
        return number

    def every_story(self) -> Longs:
        """Return the numbers of all stories."""
        return np.arange(self.n_stories, dtype=np.int64)


class Search:
    """Looks for the table that answers the most questions of some kinds."""

    def __init__(self, examples: WorldExamples, active: Sequence[int]) -> None:
        self.examples = examples
        self.active = np.array(active, np.int64)
        n = len(examples.spots)
        self.table = [NOTHING] * n
        self.kinds, self.roles = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
        self.out = np.zeros((len(examples.answers), N_READOUTS), np.uint8)
        self.frozen: set[int] = set()
        self.restart()

    def restart(self, table: Sequence[Operation] | None = None) -> int:
        """Begin with a table; return how many answers it gives."""
        for spot, operation in enumerate(table or [NOTHING] * len(self.table)):
            self._put(spot, operation)
        self._execute(self.examples.every_story(), self.out)
        self.score = self._score(self.out)
        return self.score

    def found(self) -> Longs:
        """Return the right answers of every kind by every read-out."""
        e = self.examples
        found = np.zeros((len(e.kinds), N_READOUTS), np.int64)
        right(self.out, e.order, e.kind_first, e.named, e.answers, e.n_answers, found)
        return found

    def gain(self, changes: Changes) -> float:
        """Return what changed operations are worth: answers, less what they make the table longer."""
        before = {spot: self.table[spot] for spot in changes}
        if all(operation == before[spot] for spot, operation in changes.items()):
            return 0.0
        groups = {self.examples.spots[spot].group for spot in changes}
        cost = sum(map(self._cost, groups))
        more = self.answers(changes)
        for spot, operation in changes.items():
            self.table[spot] = operation
        cost -= sum(map(self._cost, groups))
        for spot, operation in before.items():
            self.table[spot] = operation
        return more + cost

    def answers(self, changes: Changes) -> int:
        """Return how many more answers changed operations give; nothing is changed."""
        before = {spot: self.table[spot] for spot in changes}
        changed = [spot for spot, operation in changes.items() if operation != before[spot]]
        if not changed:
            return 0
        stories = self._stories(changed)
        own = self._questions(stories)
        kept = self.out[own]
        for spot in changed:
            self._put(spot, changes[spot])
        self._execute(stories, self.out)
        gain = self._score(self.out) - self.score
        self.out[own] = kept
        for spot in changed:
            self._put(spot, before[spot])
        return gain

    def _cost(self, group: Group) -> float:
        """Return how long the table is for a group."""
        used = Counter(self.table[spot] for spot in self.examples.members_of[group])
        most = max(used.values())
        told = GROUP_COST if used[NOTHING] < most else 0.0
        return told + SPOT_COST * (used.total() - most)

    def take(self, changes: Changes) -> None:
        """Change operations."""
        for spot, operation in changes.items():
            self._put(spot, operation)
        self._execute(self._stories(list(changes)), self.out)
        self.score = self._score(self.out)

    def ascend(self) -> None:
        """Take the best operation of a group, of those in it that do the same, of a spot, as long as one helps."""
        better = True
        while better:
            better = False
            for own in self._open_groups():
                better |= self._improve([own])
                better |= self._improve(_alike(own, self.table))
                better |= self._improve([[spot] for spot in own] if len(own) > 1 else [])

    def _improve(self, clusters: Sequence[Sequence[int]]) -> bool:
        better = False
        for own in clusters:
            moves = [dict.fromkeys(own, o) for o in self.examples.spots[own[0]].operations]
            gains = [self.gain(move) for move in moves]
            best = int(np.argmax(gains))
            if gains[best] > 0:
                self.take(moves[best])
                better = True
        return better

    def pairs(self) -> list[tuple[float, Changes]]:
        """Return changes of two groups at once and what each gains, the best first."""
        found = []
        single = [
            (own[0], dict.fromkeys(own, operation))
            for own in self._open_groups()
            for operation in self.examples.spots[own[0]].operations[1:]
        ]
        for (one, first), (other, second) in combinations(single, 2):
            if one != other:
                gain = self.gain(first | second)
                if gain > 0:
                    found.append((gain, first | second))
        return sorted(found, key=lambda each: -each[0])

    def _open_groups(self) -> list[list[int]]:
        every = [[s for s in own if s not in self.frozen] for own in self.examples.members_of.values()]
        return [own for own in every if own]

    def _stories(self, spots: Sequence[int]) -> Longs:
        return np.unique(np.concatenate([self.examples.stories_of[spot] for spot in spots]))

    def _questions(self, stories: Longs) -> Longs:
        first = self.examples.arrays.question_first
        return np.concatenate([np.arange(first[s], first[s + 1]) for s in stories])

    def _put(self, spot: int, operation: Operation) -> None:
        self.table[spot] = operation
        self.kinds[spot] = KINDS.index(operation.kind)
        if operation.role:
            self.roles[spot] = self.examples.spots[spot].others.index(operation.role)

    def _execute(self, stories: Longs, out: Bytes) -> None:
        execute(self.examples.arrays, stories, self.kinds, self.roles, out)

    def _score(self, out: Bytes) -> int:
        e = self.examples
        found = np.zeros((len(e.kinds), N_READOUTS), np.int64)
        right(out, e.order, e.kind_first, e.named, e.answers, e.n_answers, found)
        return int(found.max(axis=1)[self.active].sum())


def learn(
    stories: Sequence[Story], told: Callable[[str], None] | None = None
) -> tuple[OperationTable, dict[str, tuple[str, int, int]]]:
    """Return the table, and for every kind that a read-out answers its name, right answers and questions."""
    examples = WorldExamples(stories)
    n = examples.counts
    needing = [
        k for k in range(len(examples.kinds))
        if max(examples.by_facts[k], examples.constant[k]) < FACTS_SUFFICE * n[k]
    ]  # fmt: skip
    search = Search(examples, needing)
    _settle(search)
    # What no read-out explains may not bend the table either.
    best = search.found().max(axis=1)
    search.active = np.array([k for k in needing if best[k] >= EXPLAINED * n[k]], np.int64)
    search.score = search._score(search.out)
    search.ascend()
    needed = set(search.active.tolist())
    _fills(search)
    search.frozen = {s for s, operation in enumerate(search.table) if operation.kind == FILL}
    search.ascend()
    # The others may say what spots do that nobody needed so far.
    search.frozen = {s for s, operation in enumerate(search.table) if operation != NOTHING}
    search.frozen |= {s for s in range(len(search.table)) if _decided(search, s)}
    before = search.found().max(axis=1)
    known = {k for k in range(len(n)) if before[k] >= EXPLAINED * n[k]}
    others = {k for k in range(len(n)) if k not in needing and (k in known or not needed)}
    search.active = np.array(sorted(needed | others), np.int64)
    search.score = search._score(search.out)
    search.ascend()
    found = search.found()
    readouts = {}
    for k, kind in enumerate(examples.kinds):
        r = int(np.argmax(found[k]))
        good = found[k, r] >= max(EXPLAINED * n[k], examples.constant[k] + 1)
        if good and (k in needed or found[k, r] >= examples.by_facts[k] or k in known):
            readouts[kind] = (f"{READOUTS[r % 7]}:{r // 7}", int(found[k, r]), int(n[k]))
    search.active = np.array([k for k, kind in enumerate(examples.kinds) if kind in readouts], np.int64)
    search.score = search._score(search.out)
    return _table_of(search), readouts


def _settle(search: Search) -> None:
    """Look for the best table from several beginnings."""
    search.ascend()
    tried = []
    for _, pair in search.pairs()[:STARTS] if not _good(search) else []:
        begun = list(search.table)
        search.take(pair)
        search.ascend()
        while not _good(search):
            more = search.pairs()
            if not more:
                break
            search.take(more[0][1])
            search.ascend()
        tried.append((search.score, list(search.table)))
        if _good(search):
            return
        search.restart(begun)
    if tried:
        search.restart(max(tried, key=lambda each: each[0])[1])


def _good(search: Search) -> bool:
    best = search.found().max(axis=1)[search.active]
    return bool((best >= 0.99 * search.examples.counts[search.active]).all())


def _decided(search: Search, spot: int) -> bool:
    """Say whether answers would be lost if a spot did what its like do, or anything else."""
    group = search.examples.members_of[search.examples.spots[spot].group]
    others = {search.table[s] for s in group} | set(search.examples.spots[spot].operations)
    others.discard(search.table[spot])
    if search.table[spot].kind == FILL:
        return True
    used = others & {search.table[s] for s in group}
    return any(search.answers({spot: other}) < -1 for other in used or others)


def _alike(spots: Sequence[int], table: Sequence[Operation]) -> list[list[int]]:
    """Return the spots that do the same, where not all do."""
    alike: dict[Operation, list[int]] = {}
    for spot in spots:
        alike.setdefault(table[spot], []).append(spot)
    return [own for own in alike.values() if len(own) > 1] if len(alike) > 1 else []


def _fills(search: Search) -> None:
    """Let roles tell each other where they are that are in one place whenever both are known."""
    examples = search.examples
    table = _exact(search)
    agree: Counter[tuple[Spot, str]] = Counter()
    both: Counter[tuple[Spot, str]] = Counter()
    for facts in examples.facts:
        state = StoryState([], table)
        for time, found in enumerate(facts):
            for mention in found:
                own = state.now(mention.node)
                for role, (_, node) in zip(mention.spot.others, mention.targets, strict=True):
                    theirs = state.now(node)
                    if own is not None and theirs is not None:
                        both[mention.spot, role] += 1
                        agree[mention.spot, role] += own == theirs
            state.tell(found, time)
    for number, spot in enumerate(examples.spots):
        for role in spot.others:
            together = both[spot, role] >= MET_ENOUGH and agree[spot, role] >= AGREE * both[spot, role]
            move = {number: Operation(FILL, role)}
            if together and search.table[number] == NOTHING and search.answers(move) >= 0:
                search.take(move)


def _exact(search: Search) -> OperationTable:
    spots = zip(search.examples.spots, search.table, strict=True)
    return OperationTable({spot: Learned(operation, 0, 0) for spot, operation in spots}, {})


def _table_of(search: Search) -> OperationTable:
    """Return the table: spots that answers decided about, and what their like do by precondition."""
    examples = search.examples
    decided = [_decided(search, s) for s in range(len(examples.spots))]
    votes: dict[tuple[Group, str], Counter[Operation]] = {}
    table = _exact(search)
    number = {spot: s for s, spot in enumerate(examples.spots)}
    for facts in examples.facts:
        state = StoryState([], table)
        for time, found in enumerate(facts):
            for mention in found:
                s = number[mention.spot]
                if decided[s]:
                    before = precondition(mention, state.now)
                    for key in {before, ""}:
                        votes.setdefault((mention.spot.group, key), Counter())[search.table[s]] += 1
            state.tell(found, time)
    spots = {
        spot: Learned(search.table[s], examples.met[s], max(0, -search.answers({s: NOTHING})))
        for s, spot in enumerate(examples.spots)
        if decided[s]
    }
    return OperationTable(spots, votes)


def _answered_by_facts(stories: Sequence[Story], kinds: Sequence[str]) -> Longs:
    """Return how many questions of each kind the latest fact answers that names the same in one way."""
    hits: dict[str, Counter[Any]] = {kind: Counter() for kind in kinds}
    for facts, asked in stories:
        for question, n_facts, kind, answer in asked:
            met: set[tuple[Match, tuple[str, ...]]] = set()
            for fact in reversed(facts[:n_facts]):
                match = match_of(question, fact)
                if not match:
                    continue
                key = (match, tuple(sorted({role for role, _ in fact.roles})))
                if key in met:
                    continue
                met.add(key)
                named_so = [r for r, f in fact.roles if answer in (f, fact.texts.get(f))]
                for role in dict.fromkeys(named_so):
                    hits[kind][key, role] += 1
    return np.array([max(hits[kind].values(), default=0) for kind in kinds], np.int64)


def _table(rows: Sequence[Sequence[int]], width: int) -> Any:
    table = np.full((len(rows), width), -1, np.int32)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table
