"""The learned world: one table, a read-out for every kind of question, and the stories it was asked about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from babi_cascade.features.outline import Outline
from babi_cascade.features.question_kinds import KindTable
from babi_cascade.features.world.operations import IS, OperationTable, Spot, mentions
from babi_cascade.features.world.states import (
    ALWAYS,
    MOSTLY,
    NEARLY,
    WORDS,
    Change,
    Said,
    StoryState,
    read_out,
)
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

TIMED = " (told with times)"
"""Behind the kind of a question about a story most of whose facts tell when they happened: their order is not
that of the sentences."""

MOST_QUESTIONS = 1000
"""Questions of a kind that the table is learned from; more say little more."""

LEADS_ON = 0.95
"""A time is no time, but leads on, if so many of its uses follow a fact that shares a name."""

NEARLY_ALL = 0.98
"""A share of right answers in training that counts as nearly always."""


@dataclass(frozen=True, slots=True)
class Stay:
    """What an entity was with or at, from one fact on until before another; None for to the end."""

    entity: str
    anchor: str
    begins: int
    ends: int | None
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class _Executed:
    """A story executed; ``timed`` [n] counts the facts with times among the first n."""

    story: tuple[ReadSentence, ...]  # kept, so that its id stays its own
    state: StoryState
    timed: list[int]
    texts: dict[str, str]


class World:
    """What is learned of operations and read-outs, and what it says of questions.

    Parameters
    ----------
    outline : outlines a sentence
    """

    def __init__(self, outline: Callable[[ReadSentence], Outline]) -> None:
        self.outline = outline
        self.table = OperationTable({}, {})
        self.connectives: frozenset[str] = frozenset()
        self.readouts = KindTable("")
        self.shares: dict[str, tuple[int, int]] = {}
        self.alone: frozenset[str] = frozenset()
        self._executed: dict[int, _Executed] = {}
        self._mentions: dict[int, tuple[Outline, Any]] = {}

    def fit(self, questions: Sequence[ReadQuestion]) -> World:
        """Learn from questions with answers."""
        from babi_cascade.features.world.learning import learn

        asked: dict[int, list[ReadQuestion]] = {}
        for each in self._deciding(questions):
            asked.setdefault(id(each.story), []).append(each)
        stories = []
        outlines: list[Outline] = []
        told: list[tuple[list[ReadQuestion], list[Outline]]] = []
        for own in asked.values():
            facts = [self.outline(fact) for fact in own[0].story[: max(a.n_facts for a in own)]]
            told.append((own, facts))
        self.connectives = _connectives([facts for _, facts in told])
        for own, facts in told:
            timed = self._timed(facts)
            rows = []
            for each in own:
                question = _kind_of(self.outline(each.question), timed, each.n_facts)
                outlines.append(question)
                rows.append((question, each.n_facts, question.kind, each.source.answer or ""))
            stories.append((facts, rows))
        self.table, found = learn(stories)
        self.readouts = KindTable("").learn(
            outlines, [found[o.kind].name if o.kind in found else "" for o in outlines]
        )
        self.shares = {kind: (each.right, each.n) for kind, each in sorted(found.items())}
        self.alone = frozenset(kind for kind, each in found.items() if each.suffices)
        return self

    def _deciding(self, questions: Sequence[ReadQuestion]) -> list[ReadQuestion]:
        """Return as many questions of every kind as decide, from all parts of the training questions."""
        kinds: dict[str, list[int]] = {}
        for i, each in enumerate(questions):
            kinds.setdefault(self.outline(each.question).kind, []).append(i)
        chosen = [own[:: -(-len(own) // MOST_QUESTIONS)] for own in kinds.values()]
        return [questions[i] for i in sorted(i for own in chosen for i in own)]

    def says(self, asked: ReadQuestion) -> Said | None:
        """Return what the state says about a question, None where it has nothing to say."""
        story = self._execute(asked.story)
        question = _kind_of(self.outline(asked.question), story.timed, asked.n_facts)
        readout = self.readouts.of(question)
        if not readout:
            return None
        said = read_out(story.state, question, readout, asked.n_facts)
        if said is None:
            return None
        right, n = self.shares.get(question.kind, (0, 1))
        sure = ALWAYS if right == n else NEARLY if right >= NEARLY_ALL * n else MOSTLY
        texts = tuple(story.texts.get(value, value) for value in said.values)
        return replace(said, texts=texts, right=sure, suffices=question.kind in self.alone)

    def readout_words(self, kind: str) -> str:
        """Return what a kind of question asks of the state."""
        return WORDS.get(self.readouts.kinds.get(kind, "").partition(":")[0], "nothing")

    def stays(self, asked: ReadQuestion) -> tuple[Stay, ...]:
        """Return the pointers of a story up to a question, in the order in which they were set."""
        state = self._execute(asked.story).state
        found: list[Stay] = []
        for node, changes in state.changes.items():
            own = [change for change in changes if change.time < asked.n_facts]
            times = [*(change.time for change in own[1:]), None]
            for change, ends in zip(own, times, strict=False):  # of nothing there is no end either
                if change.anchor is not None and node[0] == IS:
                    anchor = f" {change.anchor[0]} ".join(change.anchor[1])
                    if change.anchor[0] != IS and len(change.anchor[1]) == 1:
                        anchor = f"{change.anchor[0]} {anchor}"
                    found.append(Stay(node[1][0], anchor, change.time, ends, reason(change)))
        return tuple(sorted(found, key=lambda stay: (stay.begins, stay.entity)))

    def forget(self) -> None:
        """Let go of the stories."""
        self._executed.clear()
        self._mentions.clear()

    def _execute(self, story: tuple[ReadSentence, ...]) -> _Executed:
        known = self._executed.get(id(story))
        if known is None:
            outlines = [self.outline(fact) for fact in story]
            texts = {filler: text for o in reversed(outlines) for filler, text in o.texts.items()}
            state = StoryState([self._mentioned(outline) for outline in outlines], self.table)
            known = self._executed[id(story)] = _Executed(
                story, state, self._timed(outlines), texts
            )
        return known

    def _timed(self, facts: Sequence[Outline]) -> list[int]:
        counts = [0]
        for fact in facts:
            counts.append(counts[-1] + (fact.time != "" and fact.time not in self.connectives))
        return counts

    def _mentioned(self, outline: Outline) -> Any:
        known = self._mentions.get(id(outline))
        if known is None:
            known = self._mentions[id(outline)] = (outline, mentions(outline))
        return known[1]

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            **self.table.to_json(),
            "connectives": sorted(self.connectives),
            "readouts": self.readouts.to_json(),
            "alone": sorted(self.alone),
            "shares": {kind: list(share) for kind, share in self.shares.items()},
        }

    def restore(self, record: Mapping[str, Any]) -> World:
        """Take over what ``to_json`` returned."""
        self.table = OperationTable.from_json(record)
        self.connectives = frozenset(record["connectives"])
        self.readouts = KindTable.from_json(record["readouts"])
        self.alone = frozenset(record["alone"])
        self.shares = {kind: (right, n) for kind, (right, n) in record["shares"].items()}
        return self


def reason(change: Change) -> str:
    """Return which operation set an anchor, in words."""
    if change.spot is None or change.operation is None:
        return ""
    return operation_words(change.spot.spot, change.operation.words)


def operation_words(spot: Spot, does: str) -> str:
    """Return what a spot does: "the object of “hand” (…) is now with or at the “to” phrase"."""
    return f"{spot.words} {does}"


def _connectives(stories: Sequence[Sequence[Outline]]) -> frozenset[str]:
    """Return the times that only lead on: they nearly always follow a fact that shares a name ("then")."""
    follows: Counter[str] = Counter()
    uses: Counter[str] = Counter()
    for facts in stories:
        for before, fact in pairwise(facts):
            if fact.time:
                uses[fact.time] += 1
                follows[fact.time] += bool(before.fillers.keys() & fact.fillers.keys())
    return frozenset(time for time in uses if follows[time] >= LEADS_ON * uses[time])


def _kind_of(question: Outline, timed: Sequence[int], n_facts: int) -> Outline:
    """Return a question whose kind and asked word tell whether its story is told with times."""
    if 2 * timed[n_facts] <= n_facts:
        return question
    return replace(question, kind=question.kind + TIMED, asked=question.asked + TIMED)
