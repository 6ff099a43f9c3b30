"""A story as a state: every anchor with when and by which facts it was set, and what is read out of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from babi_cascade.features.outline import Outline
from babi_cascade.features.world.operations import (
    AT_IT,
    CLEAR,
    ELSEWHERE,
    FILL,
    IS,
    KEEP,
    NOT,
    OR,
    POINT,
    UNKNOWN,
    WITH_IT,
    Mentioned,
    Node,
    Operation,
    OperationTable,
    named,
)

LONGEST = 4
"""Pointers that are followed: thing, bag, holder, place."""

END, ANCHOR, BEFORE, PREVIOUS = "end", "anchor", "before", "previous"
MEMBERS, COUNT, SAME = "members", "count", "same"
READOUTS = (END, ANCHOR, BEFORE, PREVIOUS, MEMBERS, COUNT, SAME)
"""What a state can be asked: where the pointers of something end, whom it is with, where it was before it
came to a place or to where it is, who points to it, how many, whether it is there."""

ALWAYS, NEARLY, MOSTLY = "always", "nearly always", "mostly"
"""How often what was read out was right in training."""

WORDS = {
    END: "where its pointers end",
    ANCHOR: "what it is with or at",
    BEFORE: "where it was before it came there",
    PREVIOUS: "where it was before",
    MEMBERS: "what is with or at it",
    COUNT: "how many are with or at it",
    SAME: "whether its pointers end there",
}
"""The read-outs in words."""

SAME_PLACE, OTHER_PLACE, ONE_OF, NONE_OF, DENIED, NOT_DENIED, NOWHERE = (
    "it is", "it is elsewhere", "it is one of several", "it is none of several", "it is denied",
    "another is denied", "it is not known",
)  # fmt: skip
VERDICTS = (NOWHERE, SAME_PLACE, OTHER_PLACE, ONE_OF, NONE_OF, DENIED, NOT_DENIED)


@dataclass(frozen=True, slots=True)
class Change:
    """An anchor that was set by the fact at a position; ``sources`` are the facts that it rests on."""

    time: int
    anchor: Node | None
    sources: tuple[int, ...]
    spot: Mentioned | None = None
    operation: Operation | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What the state says about a question.

    ``values`` are the entities that it names and ``texts`` is how the story writes them, ``word`` is what it
    says beside them, ``made`` has the positions of the facts that made it and what they did, ``right`` is how
    often such questions were answered so in training, ``suffices`` whether the facts have nothing to add.
    """

    readout: str
    values: tuple[str, ...]
    word: str
    made: tuple[tuple[int, str], ...]
    texts: tuple[str, ...] = ()
    right: str = ""
    suffices: bool = False

    @property
    def in_words(self) -> str:
        """What is read out, and how often that was right in training."""
        name = self.readout.partition(":")[0]
        named = ", ".join(self.texts) or self.word
        return f"{WORDS[name]}: {named} (right in training: {self.right})"


class StoryState:
    """A story executed by a table of operations."""

    def __init__(self, facts: Sequence[Sequence[Mentioned]], table: OperationTable) -> None:
        self.table = table
        self.changes: dict[Node, list[Change]] = {}
        self._times: dict[Node, list[int]] = {}
        self.pointed: dict[Node, dict[Node, None]] = {}
        for time, found in enumerate(facts):
            self.tell(found, time)

    def tell(self, fact: Sequence[Mentioned], time: int) -> None:
        """Apply the operations of a fact: all look at the state before it."""
        changes = [self._change(mention, time) for mention in fact]
        for mention, change in zip(fact, changes, strict=True):
            if change is not None:
                self._set(mention.node, change)

    def _change(self, mention: Mentioned, time: int) -> Change | None:
        before = partial(precondition, mention, self.now)
        operation = self.table.operation(mention.spot, before)
        if operation.kind == KEEP or (operation.role and operation.role not in mention.spot.others):
            return None
        if operation.kind == CLEAR:
            return Change(time, None, (time,), mention, operation)
        point, source = mention.targets[mention.spot.others.index(operation.role)]
        if operation.kind == POINT:
            return (
                Change(time, point, (time,), mention, operation) if point != mention.node else None
            )
        last = self.last(source, time)
        if operation.kind == FILL:
            there = last is not None and is_known(last.anchor)
            if is_known(self.now(mention.node)) or not there:
                return None
        if last is None or last.anchor is None:
            return Change(time, None, (time,), mention, operation)
        if last.anchor == mention.node:
            return None
        return Change(time, last.anchor, (time, *last.sources), mention, operation)

    def _set(self, node: Node, change: Change) -> None:
        own, times = self.changes.setdefault(node, []), self._times.setdefault(node, [])
        if times and times[-1] == change.time:
            own[-1] = change
        else:
            own.append(change)
            times.append(change.time)
        if change.anchor is not None:
            self.pointed.setdefault(change.anchor, {})[node] = None

    def now(self, node: Node) -> Node | None:
        """Return the anchor of an entity after all facts so far."""
        own = self.changes.get(node)
        return own[-1].anchor if own else None

    def last(self, node: Node, stop: int) -> Change | None:
        """Return the last change of an anchor by the facts before ``stop``."""
        times = self._times.get(node)
        at = bisect_left(times, stop) if times else 0
        return self.changes[node][at - 1] if at else None

    def chain(self, node: Node, stop: int) -> list[Change]:
        """Return the changes that made the pointers from an entity to their end."""
        found: list[Change] = []
        while len(found) < LONGEST:
            last = self.last(node, stop)
            if last is None or last.anchor is None:
                break
            found.append(last)
            node = last.anchor
        return found

    def stays(self, node: Node, stop: int) -> list[tuple[int, Node | None]]:
        """Return where the pointers of an entity ended, each with the number of facts before it."""
        found: list[tuple[int, Node | None]] = []
        for after, end in self._stays(node, 0, stop + 1, LONGEST):
            if not found or found[-1][1] != end:
                found.append((after, end))
        return found

    def _stays(
        self, node: Node, start: int, stop: int, depth: int
    ) -> Iterator[tuple[int, Node | None]]:
        first = self.last(node, start)
        own, times = self.changes.get(node, []), self._times.get(node, [])
        inside = own[bisect_left(times, start) : bisect_left(times, stop - 1)]
        spans = [
            (start, first.anchor if first else None),
            *((c.time + 1, c.anchor) for c in inside),
        ]
        for i, (after, anchor) in enumerate(spans):
            end = spans[i + 1][0] if i + 1 < len(spans) else stop
            if anchor is None or depth == 1:
                yield after, anchor
                continue
            for when, further in self._stays(anchor, after, end, depth - 1):
                yield when, further or anchor


def is_known(anchor: Node | None) -> bool:
    """Say whether an anchor is one entity, rather than none, one of several, or what is denied."""
    return anchor is not None and anchor[0] == IS


def precondition(mention: Mentioned, anchor: Callable[[Node], Node | None]) -> str:
    """Return how an entity stands to the fillers of the other roles."""
    own = anchor(mention.node)
    found = []
    for _, node in mention.targets:
        theirs = anchor(node)
        if own is None:
            found.append(UNKNOWN)
        elif own == node:
            found.append(WITH_IT)
        elif own == theirs:
            found.append(AT_IT)
        else:
            found.append(ELSEWHERE)
    return "; ".join(found)


def read_out(state: StoryState, question: Outline, readout: str, n_facts: int) -> Said | None:
    """Answer a question by a read-out: its name and the number of the filler that it begins with."""
    name, _, first = readout.partition(":")
    given = given_nodes(question)
    if int(first) >= len(given):
        return None
    one = given[int(first)]
    other = given[1 - int(first)] if len(given) > 1 else None
    chain = state.chain(one, n_facts)
    if name == END:
        return _said(readout, chain[-1].anchor if chain else None, made(chain))
    if name == ANCHOR:
        return _said(readout, chain[0].anchor if chain else None, made(chain[:1]))
    if name in (MEMBERS, COUNT):
        return _members(state, one, readout, n_facts)
    if name == SAME:
        if other is None:
            return None
        return Said(readout, (), verdict(chain[-1].anchor if chain else None, other), made(chain))
    stays = state.stays(one, n_facts)
    place = len(stays) - 1
    if name == BEFORE:
        while place > 0 and stays[place][1] != other:
            place -= 1
    if other is None and name == BEFORE:
        return None
    if place <= 0:
        return Said(readout, (), NOWHERE, made(chain))
    after, _ = stays[place]
    there = state.chain(one, after - 1)
    came = [(p, f"{what}, when it came there") for p, what in made(state.chain(one, after))]
    return _said(readout, stays[place - 1][1], (*made(there), *came))


def _members(state: StoryState, one: Node, readout: str, n_facts: int) -> Said:
    values: list[str] = []  # in the order in which they first came
    facts: list[tuple[int, str]] = []
    for node in state.pointed.get(one, ()):
        last = state.last(node, n_facts)
        if last is not None and last.anchor == one and node[0] == IS:
            values.append(node[1][0])
            facts.append((last.time, "it came to it"))
        elif last is not None:
            facts.append((last.time, "it left it"))
    if readout.startswith(COUNT):
        return Said(readout, (), f"{len(values)} in all", tuple(facts))
    return Said(readout, tuple(values), "" if values else NOWHERE, tuple(facts))


def _said(readout: str, value: Node | None, facts: tuple[tuple[int, str], ...]) -> Said:
    if value is None:
        return Said(readout, (), NOWHERE, facts)
    kind, fillers = value
    if kind == IS:
        return Said(readout, fillers, "", facts)
    return Said(readout, (), ONE_OF if kind == OR else DENIED, facts)


def made(chain: Sequence[Change]) -> tuple[tuple[int, str], ...]:
    """Return the facts behind a chain of pointers and how each made it."""
    found: dict[int, str] = {}
    for depth, change in enumerate(chain):
        own = change.time
        found.setdefault(own, f"pointer {depth + 1}")
        for source in change.sources:
            found.setdefault(source, f"source of pointer {depth + 1}")
    return tuple(found.items())


def verdict(value: Node | None, asked: Node) -> str:
    """Return whether a value is what is asked about."""
    if value is None:
        return NOWHERE
    if value == asked:
        return SAME_PLACE
    kind, fillers = value
    if kind == IS:
        return OTHER_PLACE
    inside = asked[1][0] in fillers
    if kind == NOT:
        return DENIED if inside else NOT_DENIED
    return ONE_OF if inside else NONE_OF


def given_nodes(question: Outline) -> list[Node]:
    """Return the first two entities that a question names."""
    return [named(f) for f in dict.fromkeys(filler for _, filler in question.roles)][:2]
