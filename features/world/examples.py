"""Training stories as arrays: who is mentioned in which spot, what was asked and what is the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from babi_cascade.features.answer_parts import items
from babi_cascade.features.outline import Outline, match_of
from babi_cascade.features.world.kernels import MOST_BITS, N_READOUTS, WorldArrays, right
from babi_cascade.features.world.operations import (
    IS,
    MOST_ROLES,
    OR,
    Group,
    Mentioned,
    Node,
    Spot,
    mentions,
    named,
)
from babi_cascade.features.world.states import given_nodes
from babi_cascade.svm.arrays import Bytes, Longs

NAMED = 0.1
"""Where so many answers are entities of their story, the others are what is said when there is none."""

Asked = tuple[Outline, int, str, str]
"""A question, the facts before it, its kind and its answer."""

Story = tuple[Sequence[Outline], Sequence[Asked]]
"""The outlines of the facts, and what was asked."""


class WorldExamples:
    """Training stories as arrays.

    Attributes
    ----------
    spots, members_of : the distinct spots, and the numbers of those of every group
    others, operations : of every spot the other roles in order of their first use, and what may happen there
    stories_of, met : the stories that have a spot, and how often it is met
    kinds, counts : the kinds of questions, and how many there are of each
    constant, by_facts : how many of each the most frequent answer is right for, and the latest fact that
        names the same
    """

    def __init__(self, stories: Sequence[Story]) -> None:
        self.facts = [[mentions(outline) for outline in facts] for facts, _ in stories]
        found = dict.fromkeys(m.spot for facts in self.facts for fact in facts for m in fact)
        self.spots = list(found)
        self.number_of = {spot: number for number, spot in enumerate(found)}
        # By first use, not by name: letters shuffled, the table is the same.
        met = dict.fromkeys(
            role for facts, _ in stories for fact in facts for role, _ in fact.roles
        )
        order = {role: place for place, role in enumerate(met)}
        self.others = [sorted(spot.others, key=order.__getitem__) for spot in self.spots]
        self.operations = [s.operations(o) for s, o in zip(self.spots, self.others, strict=True)]
        self.members_of: dict[Group, list[int]] = {}
        for number, spot in enumerate(self.spots):
            self.members_of.setdefault(spot.group, []).append(number)
        where: list[dict[int, None]] = [{} for _ in self.spots]
        self.met: Counter[int] = Counter()
        for s, facts in enumerate(self.facts):
            for number in (self.number_of[m.spot] for fact in facts for m in fact):
                where[number][s] = None
                self.met[number] += 1
        self.stories_of = [np.array(list(each), np.int64) for each in where]
        self.every_story = np.arange(len(stories), dtype=np.int64)
        questions = [each for _, asked in stories for each in asked]
        self.kinds = sorted({kind for _, _, kind, _ in questions})
        kinds = np.array([self.kinds.index(kind) for _, _, kind, _ in questions], np.int64)
        self.order = np.argsort(kinds, kind="stable").astype(np.int64)
        self.kind_first = np.searchsorted(kinds[self.order], np.arange(len(self.kinds) + 1))
        self.counts: Longs = np.diff(self.kind_first)
        self._number_answers(kinds, [answer for _, _, _, answer in questions])
        arrays = _Arrays(self.number_of)
        for (outlines, asked), facts in zip(stories, self.facts, strict=True):
            arrays.add(outlines, facts, asked)
        self.arrays, self.named = arrays.made(kinds, len(self.kinds))
        self.by_facts = _answered_by_facts(stories, self.kinds)

    def _number_answers(self, kinds: Longs, answers: Sequence[str]) -> None:
        own: list[dict[str, int]] = [{} for _ in self.kinds]
        numbers = [own[k].setdefault(a, len(own[k])) for k, a in zip(kinds, answers, strict=True)]
        self.answers = np.array(numbers, np.int32)
        self.n_answers = np.array([len(each) for each in own], np.int32)
        by_kind = np.split(self.answers[self.order], self.kind_first[1:-1])
        self.constant = np.array([np.bincount(each).max() for each in by_kind], np.int64)

    def right(self, out: Bytes) -> Longs:
        """Return how many questions of every kind each read-out answers, [kinds, read-outs]."""
        found = np.zeros((len(self.kinds), N_READOUTS), np.int64)
        right(
            out, self.order, self.kind_first, self.named, self.answers, self.n_answers, found,
        )  # fmt: skip
        return found

    def questions_of(self, stories: Longs) -> Longs:
        """Return the questions of some stories."""
        first = self.arrays.question_first
        return np.concatenate([np.arange(first[s], first[s + 1]) for s in stories])


class _Arrays:
    """Collects the arrays story by story."""

    def __init__(self, spots: dict[Spot, int]) -> None:
        self.spots = spots
        self.sentences, self.mentions, self.nodes, self.questions = [0], [0], [0], [0]
        self.rows: list[tuple[int, int]] = []
        self.points: list[list[int]] = []
        self.copies: list[list[int]] = []
        self.node_rows: list[tuple[int, int]] = []
        self.asked: list[tuple[int, int, int]] = []  # facts, answer, members
        self.given: list[list[int]] = []

    def add(
        self, outlines: Sequence[Outline], facts: Sequence[Sequence[Mentioned]], asked: Sequence[Asked]
    ) -> None:  # fmt: skip
        """Add a story."""
        nodes: dict[Node, int] = {}
        texts: dict[str, str] = {}
        for outline in outlines:
            for _, filler in outline.roles:
                texts[filler] = filler
                nodes.setdefault(named(filler), len(nodes))
            for filler, text in outline.texts.items():
                texts.setdefault(text, filler)
        for fact in facts:
            for mention in fact:
                for node in (mention.node, *(node for pair in mention.targets for node in pair)):
                    nodes.setdefault(node, len(nodes))
                self.rows.append((nodes[mention.node], self.spots[mention.spot]))
                self.points.append([nodes[point] for point, _ in mention.targets])
                self.copies.append([nodes[copy] for _, copy in mention.targets])
            self.mentions.append(len(self.rows))
        self.sentences.append(len(self.mentions) - 1)
        for question, n_facts, _, answer in asked:
            own = [texts.get(item) for item in items(answer)]
            there = [nodes[named(each)] for each in own if each is not None]
            whole = len(there) == len(own)
            one = there[0] if whole and len(there) == 1 else -1
            self.asked.append((n_facts, one, _bits(there) if whole else -1))
            self.given.append([nodes.get(node, -1) for node in given_nodes(question)])
        self.questions.append(len(self.asked))
        for kind, fillers in nodes:
            inside = [nodes[named(filler)] for filler in fillers]
            self.node_rows.append((0 if kind == IS else 1 if kind == OR else 2, _bits(inside)))
        self.nodes.append(len(self.node_rows))

    def made(self, kinds: Longs, n_kinds: int) -> tuple[WorldArrays, Bytes]:
        """Return the arrays, and which kinds of questions are answered by entities of their stories."""
        n_facts, answers, members = np.array(self.asked, np.int64).reshape(-1, 3).T
        by_name = np.zeros(n_kinds, np.uint8)
        members = members.copy()
        for k in range(n_kinds):
            by_name[k] = (members[kinds == k] >= 0).mean() >= NAMED
            if by_name[k]:  # what is said of an empty list
                members[(kinds == k) & (members < 0)] = 0
        rows = np.array(self.rows, np.int32).reshape(-1, 2)
        nodes = np.array(self.node_rows, np.int64).reshape(-1, 2)
        arrays = WorldArrays(
            sentence_first=np.array(self.sentences, np.int64),
            mention_first=np.array(self.mentions, np.int64),
            nodes=rows[:, 0].copy(),
            spots=rows[:, 1].copy(),
            points=_table(self.points, MOST_ROLES),
            copies=_table(self.copies, MOST_ROLES),
            node_first=np.array(self.nodes, np.int64),
            node_kinds=nodes[:, 0].astype(np.uint8),
            node_fillers=nodes[:, 1].copy(),
            question_first=np.array(self.questions, np.int64),
            n_facts=n_facts.astype(np.int32),
            given=_table(self.given, 2),
            answers=answers.astype(np.int32),
            members=members,
        )
        return arrays, by_name


def _bits(numbers: Sequence[int]) -> int:
    """Return a set of nodes as bits; a large story has nodes that no bit is left for."""
    return sum({1 << number for number in numbers if number < MOST_BITS})


def _table(rows: Sequence[Sequence[int]], width: int) -> Any:
    table = np.full((len(rows), width), -1, np.int32)
    for row, values in zip(table, rows, strict=True):
        row[: len(values)] = values
    return table


def _answered_by_facts(stories: Sequence[Story], kinds: Sequence[str]) -> Longs:
    """Return how many questions of each kind the latest fact answers that names the same in one way."""
    hits: dict[str, Counter[Any]] = {kind: Counter() for kind in kinds}
    for facts, asked in stories:
        for question, n_facts, kind, answer in asked:
            met: set[Any] = set()
            for fact in reversed(facts[:n_facts]):
                match = match_of(question, fact)
                roles = tuple(sorted({role for role, _ in fact.roles}))
                told = [role for role, f in fact.roles if answer in (f, fact.texts.get(f))]
                # Of all that match so, or of those that say what the question says.
                for alike in (None, fact.predicate == question.predicate):
                    key = (match, roles, alike)
                    if match and key not in met:
                        met.add(key)
                        for role in dict.fromkeys(told):
                            hits[kind][key, role] += 1
    return np.array([max(hits[kind].values(), default=0) for kind in kinds], np.int64)
