"""The table of operations and the read-outs, learned from the answers to training questions.

A table is good if the executed stories answer many questions. It is looked for by moves: a group of spots,
those in it that do the same, or one spot get another operation; two groups at once where no single move
helps, since neither getting nor going alone says where a thing is. A kind of question that the latest fact
about its names answers needs no state, and may not bend the table: it has no say before the others are
settled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from babi_cascade.features.world.examples import Story, WorldExamples
from babi_cascade.features.world.kernels import N_READOUTS, execute
from babi_cascade.features.world.operations import (
    FILL,
    KINDS,
    NOTHING,
    Group,
    Learned,
    Operation,
    OperationTable,
    Spot,
)
from babi_cascade.features.world.states import READOUTS, StoryState, is_known, precondition
from babi_cascade.svm.arrays import Longs

FACTS_SUFFICE = 0.95
"""A kind of question needs no state if the latest fact about its names answers so many."""

EXPLAINED = 0.8
"""A kind of question may shape the table if some read-out answers so many, once that can be seen."""

TRUSTED = 0.98
"""A kind of question has a read-out if it answers so many; the others are left to the facts."""

SETTLED = 0.99
"""Once so many questions of every kind are answered, no other beginning is tried."""

GROUP_COST, SPOT_COST = 1.0, 1.5
"""Answers that the operation of a group must be worth, and one of a spot that differs from its group's."""

AGREE, MET_ENOUGH = 0.8, 10
"""Two roles whose anchors agree so often, in so many sentences where both are known, are in one place. Of the
others, one was told of by a sentence that is not understood yet."""

STARTS = 4
"""Pairs of groups that the search begins with; the best table is kept."""

Changes = Mapping[int, Operation]
"""New operations by the numbers of spots."""

ALL = 0.999
"""A share of right answers that counts as all of them."""


@dataclass(frozen=True, slots=True)
class Readout:
    """What a kind of question asks of the state, how many of ``n`` it answers, whether facts could not."""

    name: str
    right: int
    n: int
    suffices: bool


def learn(stories: Sequence[Story]) -> tuple[OperationTable, dict[str, Readout]]:
    """Return the table, and the read-outs of the kinds of questions that have one."""
    examples = WorldExamples(stories)
    n = examples.counts
    simple = np.maximum(examples.by_facts, examples.constant) >= FACTS_SUFFICE * n
    search = Search(examples)
    search.hear(np.flatnonzero(~simple))
    search.settle()
    # What no read-out explains may not bend the table either.
    needed = np.flatnonzero(~simple & (search.best() >= EXPLAINED * n))
    search.hear(needed)
    search.ascend()
    search.fill()
    search.ascend()
    # The other kinds may say what spots do that nobody needed so far.
    search.frozen |= {s for s, operation in enumerate(search.table) if operation != NOTHING}
    search.frozen |= {s for s in range(len(search.table)) if search.is_decided(s)}
    known = search.best() >= EXPLAINED * n
    heard = known if len(needed) else simple
    search.hear(np.union1d(needed, np.flatnonzero(heard & simple)))
    search.ascend()
    # What is left to the facts needs no operations.
    best = search.best()
    trusted = (best >= TRUSTED * n) & (best > examples.constant)
    search.hear(np.flatnonzero(trusted & (known | (best >= examples.by_facts))))
    search.frozen = {s for s, operation in enumerate(search.table) if operation.kind == FILL}
    search.ascend()
    found = search.found()
    readouts = {}
    for k in search.heard:
        r = int(np.argmax(found[k]))
        name = f"{READOUTS[r % len(READOUTS)]}:{r // len(READOUTS)}"
        suffices = not simple[k] and found[k, r] >= ALL * n[k]
        readouts[examples.kinds[k]] = Readout(name, int(found[k, r]), int(n[k]), bool(suffices))
    return search.result(), readouts


class Search:
    """Looks for the table that answers the most questions of the kinds that are heard."""

    def __init__(self, examples: WorldExamples) -> None:
        self.examples = examples
        n = len(examples.spots)
        self.kinds, self.roles = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
        self.out = np.zeros((len(examples.answers), N_READOUTS), np.uint8)
        self.frozen: set[int] = set()
        self.heard: Longs = np.zeros(0, np.int64)
        self.begin([NOTHING] * n)

    def begin(self, table: Sequence[Operation]) -> None:
        """Begin with a table."""
        self.table = list(table)
        for spot, operation in enumerate(table):
            self._put(spot, operation)
        self._execute(self.examples.every_story)
        self.score = self._score()

    def hear(self, kinds: Longs) -> None:
        """Say which kinds of questions count from now on."""
        self.heard = kinds
        self.score = self._score()

    def found(self) -> Longs:
        """Return the right answers of every kind by every read-out."""
        return self.examples.right(self.out)

    def best(self) -> Longs:
        """Return the right answers of every kind by its best read-out."""
        most: Longs = self.found().max(axis=1)
        return most

    def settle(self) -> None:
        """Look for the best table from several beginnings."""
        self.ascend()
        if self._settled():
            return
        begun = list(self.table)
        tried = [(self.score, begun)]
        for _, pair in self.pairs()[:STARTS]:
            self.begin(begun)
            more = [(0.0, pair)]
            while more and not self._settled():
                self.take(more[0][1])
                self.ascend()
                more = self.pairs()
            tried.append((self.score, list(self.table)))
            if self._settled():
                return
        self.begin(max(tried, key=lambda each: each[0])[1])

    def _settled(self) -> bool:
        return bool((self.best() >= SETTLED * self.examples.counts)[self.heard].all())

    def ascend(self) -> None:
        """Take the best operation of groups, of those in them that do the same, of spots, while it helps."""
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
            moves = [dict.fromkeys(own, o) for o in self.examples.operations[own[0]]]
            gains = [self.gain(move) for move in moves]
            best = int(np.argmax(gains))
            if gains[best] > 0:
                self.take(moves[best])
                better = True
        return better

    def pairs(self) -> list[tuple[float, Changes]]:
        """Return changes of two groups at once that help, the best first."""
        found = []
        single = [
            (own[0], dict.fromkeys(own, operation))
            for own in self._open_groups()
            for operation in self.examples.operations[own[0]][1:]
        ]
        for (one, first), (other, second) in combinations(single, 2):
            if one != other:
                gain = self.gain(first | second)
                if gain > 0:
                    found.append((gain, first | second))
        return sorted(found, key=lambda each: -each[0])

    def fill(self) -> None:
        """Let roles tell each other where they are that are in one place whenever both are known."""
        examples = self.examples
        agree: Counter[tuple[Spot, str]] = Counter()
        both: Counter[tuple[Spot, str]] = Counter()
        table = self._exact()
        for facts in examples.facts:
            state = StoryState([], table)
            for time, fact in enumerate(facts):
                for mention in fact:
                    own = state.now(mention.node)
                    for role, (_, node) in zip(mention.spot.others, mention.targets, strict=True):
                        theirs = state.now(node)
                        if is_known(own) and is_known(theirs):
                            both[mention.spot, role] += 1
                            agree[mention.spot, role] += own == theirs
                state.tell(fact, time)
        for number, spot in enumerate(examples.spots):
            for role in examples.others[number]:
                n = both[spot, role]
                enough = n >= MET_ENOUGH and agree[spot, role] >= AGREE * n
                move = {number: Operation(FILL, role)}
                if enough and self.table[number] == NOTHING and self.answers(move) >= 0:
                    self.take(move)
                    self.frozen.add(number)

    def gain(self, changes: Changes) -> float:
        """Return what changed operations are worth: answers, less what they make the table longer."""
        before = {spot: self.table[spot] for spot in changes}
        if before == changes:
            return 0.0
        groups = {self.examples.spots[spot].group for spot in changes}
        shorter = sum(map(self._cost, groups))
        more = self.answers(changes)
        for spot, operation in changes.items():
            self.table[spot] = operation
        shorter -= sum(map(self._cost, groups))
        for spot, operation in before.items():
            self.table[spot] = operation
        return more + shorter

    def answers(self, changes: Changes) -> int:
        """Return how many more answers changed operations give; nothing is changed."""
        before = {spot: self.table[spot] for spot in changes}
        if before == changes:
            return 0
        stories = self._stories(changes)
        own = self.examples.questions_of(stories)
        kept = self.out[own]
        for spot, operation in changes.items():
            self._put(spot, operation)
        self._execute(stories)
        more = self._score() - self.score
        self.out[own] = kept
        for spot, operation in before.items():
            self._put(spot, operation)
        return more

    def take(self, changes: Changes) -> None:
        """Change operations."""
        stories = self._stories(changes)
        for spot, operation in changes.items():
            self._put(spot, operation)
        self._execute(stories)
        self.score = self._score()

    def is_decided(self, spot: int) -> bool:
        """Say whether answers would be lost if a spot did what others of its group do, or anything else."""
        if self.table[spot].kind == FILL:
            return True
        own = self.examples.spots[spot]
        others = {self.table[s] for s in self.examples.members_of[own.group]} - {self.table[spot]}
        return any(
            self.answers({spot: other}) < -1 for other in others or self.examples.operations[spot]
        )

    def result(self) -> OperationTable:
        """Return the table: the spots that answers decided about, and what their like do by precondition."""
        examples = self.examples
        decided = [self.is_decided(s) for s in range(len(self.table))]
        votes: dict[tuple[Group, str], Counter[Operation]] = {}
        table = self._exact()
        for facts in examples.facts:
            state = StoryState([], table)
            for time, fact in enumerate(facts):
                for mention in fact:
                    s = examples.number_of[mention.spot]
                    for before in {precondition(mention, state.now), ""} if decided[s] else ():
                        own = votes.setdefault((mention.spot.group, before), Counter())
                        own[self.table[s]] += 1
                state.tell(fact, time)
        spots = {
            spot: Learned(self.table[s], examples.met[s], max(0, -self.answers({s: NOTHING})))
            for s, spot in enumerate(examples.spots)
            if decided[s]
        }
        return OperationTable(spots, dict(sorted(votes.items())))

    # -- inside --------------------------------------------------------------------------------------

    def _exact(self) -> OperationTable:
        spots = zip(self.examples.spots, self.table, strict=True)
        return OperationTable({spot: Learned(operation, 0, 0) for spot, operation in spots}, {})

    def _cost(self, group: Group) -> float:
        """Return how long the table is for a group."""
        used = Counter(self.table[spot] for spot in self.examples.members_of[group])
        most = max(used.values())
        told = GROUP_COST if used[NOTHING] < most else 0.0
        return told + SPOT_COST * (sum(used.values()) - most)

    def _open_groups(self) -> list[list[int]]:
        groups = self.examples.members_of.values()
        every = [[s for s in own if s not in self.frozen] for own in groups]
        return [own for own in every if own]

    def _stories(self, changes: Changes) -> Longs:
        changed = [spot for spot, operation in changes.items() if operation != self.table[spot]]
        own = [self.examples.stories_of[spot] for spot in changed or changes]
        return np.unique(np.concatenate(own))

    def _put(self, spot: int, operation: Operation) -> None:
        self.table[spot] = operation
        self.kinds[spot] = KINDS.index(operation.kind)
        if operation.role:
            self.roles[spot] = self.examples.spots[spot].others.index(operation.role)

    def _execute(self, stories: Longs) -> None:
        execute(self.examples.arrays, stories, self.kinds, self.roles, self.out)

    def _score(self) -> int:
        return int(self.best()[self.heard].sum())


def _alike(spots: Sequence[int], table: Sequence[Operation]) -> list[list[int]]:
    """Return the spots that do the same, where not all do."""
    alike: dict[Operation, list[int]] = {}
    for spot in spots:
        alike.setdefault(table[spot], []).append(spot)
    return [own for own in alike.values() if len(own) > 1] if len(alike) > 1 else []
