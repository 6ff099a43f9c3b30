"""Operations on anchors, and the learned table of which belongs to which mention.

A *spot* is where an entity is mentioned: the predicate, its role, the other roles there, denied or not.
Spots that differ in their predicate alone are a *group*: what is known of some of them is a guess for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.features.outline import Outline
from babi_cascade.features.wording import MARK_ALTERNATIVE, role_words

KEEP, CLEAR, POINT, COPY, FILL = "keep", "clear", "point", "copy", "fill"
KINDS = (KEEP, CLEAR, POINT, COPY, FILL)

MOST_ROLES = 4
"""Other roles of a spot that an operation may name."""

WITH_IT, AT_IT, UNKNOWN, ELSEWHERE = "with it", "in one place", "unknown", "elsewhere"
"""How an entity stands to another before a sentence: pointing to it, with its anchor, nowhere, neither."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What happens to an anchor; ``role`` names whose filler or anchor it takes."""

    kind: str = KEEP
    role: str = ""

    @property
    def words(self) -> str:
        """The operation as the end of a sentence whose subject is what is mentioned."""
        said = {
            KEEP: "stays as it is",
            CLEAR: "is nowhere",
            POINT: f"is now with or at the {role_words(self.role)}",
            COPY: f"is now where the {role_words(self.role)} is",
            FILL: f"is where the {role_words(self.role)} is, if it was not known where",
        }
        return said[self.kind]


NOTHING = Operation()
Group = tuple[str, tuple[str, ...], bool]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an entity is mentioned; ``others`` are the other roles of the sentence."""

    predicate: str
    role: str
    others: tuple[str, ...]
    negated: bool

    @property
    def group(self) -> Group:
        """The same spot under any predicate."""
        return self.role, self.others, self.negated

    def operations(self, others: Iterable[str]) -> tuple[Operation, ...]:
        """Return what could happen here, apart from filling, with the other roles in this order."""
        named = [Operation(kind, role) for role in others for kind in (POINT, COPY)]
        if self.negated:  # of what is denied it is kept where it is not
            return (NOTHING, *named, Operation(CLEAR))
        return (NOTHING, Operation(CLEAR), *named)

    @property
    def words(self) -> str:
        """The spot in words."""
        others = f" (with {', '.join(map(role_words, self.others))})" if self.others else ""
        return f"the {role_words(self.role)} of “{self.predicate}”{others}"


Node = tuple[str, tuple[str, ...]]
"""An entity by its phrase, one of several ("or"), or anywhere but there ("not")."""

IS, OR, NOT = "", "or", "not"


@dataclass(frozen=True, slots=True)
class Mentioned:
    """An entity in its spot; for every other role where a pointer goes and whose anchor is copied."""

    spot: Spot
    node: Node
    targets: tuple[tuple[Node, Node], ...]


def mentions(outline: Outline) -> tuple[Mentioned, ...]:
    """Return the mentions of a sentence."""
    by_role: dict[str, list[str]] = {}
    for role, filler in outline.roles:
        by_role.setdefault(role, []).append(filler)
    found = []
    for role, filler in outline.roles:
        others = tuple(sorted(set(by_role) - {role}))[:MOST_ROLES]
        spot = Spot(outline.predicate, role, others, outline.negated)
        targets = tuple(
            (_target(o, by_role[o], outline.negated), named(by_role[o][0])) for o in others
        )
        found.append(Mentioned(spot, named(filler), targets))
    return tuple(found)


def named(filler: str) -> Node:
    """Return the node of an entity."""
    return IS, (filler,)


def _target(role: str, fillers: Sequence[str], negated: bool) -> Node:
    if negated:
        return NOT, tuple(sorted(fillers))
    if role.endswith(MARK_ALTERNATIVE):
        return OR, tuple(sorted(fillers))
    return named(fillers[0])


@dataclass(frozen=True, slots=True)
class Learned:
    """The operation of a spot, how often training met the spot, how many answers would be lost without it."""

    operation: Operation
    met: int
    answers: int


class OperationTable:
    """Which operation belongs to which spot.

    Parameters
    ----------
    spots : those that training decided about
    guesses : votes for operations by group and precondition (how the entity stands to the fillers of the
        other roles before the sentence), for spots that it did not; "" counts whatever the precondition
    """

    def __init__(
        self, spots: Mapping[Spot, Learned], guesses: Mapping[tuple[Group, str], Mapping[Operation, int]]
    ) -> None:  # fmt: skip
        self.spots = dict(spots)
        self.guesses = {key: dict(votes) for key, votes in guesses.items()}
        self._similar: dict[tuple[str, ...], dict[Group, int]] = {}
        for group, before in self.guesses:
            if not before:
                votes = sum(self.guesses[group, before].values())
                self._similar.setdefault(_functions(group), {})[group] = votes

    def operation(self, spot: Spot, precondition: Callable[[], str]) -> Operation:
        """Return the operation of a spot; one that was not learned takes that of its like."""
        known = self.spots.get(spot)
        if known is not None:
            return known.operation
        before = precondition()
        found = self._guess(spot.group, before)
        if found is not None:
            return found
        # Other prepositions than were met: what is known of "to" is a guess for "into".
        similar = self._similar.get(_functions(spot.group))
        if not similar:
            return NOTHING
        group = max(sorted(similar), key=lambda each: similar[each])
        own = self._guess(group, before) or NOTHING
        places = {other: i for i, other in enumerate(group[1])}
        return Operation(own.kind, spot.others[places[own.role]]) if own.role else own

    def _guess(self, group: Group, before: str) -> Operation | None:
        for key in ((group, before), (group, "")):
            votes = self.guesses.get(key)
            if votes:
                return max(sorted(votes, key=lambda o: (o.kind, o.role)), key=lambda o: votes[o])
        return None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "spots": [
                [s.predicate, s.role, list(s.others), s.negated, o.operation.kind, o.operation.role, o.met,
                 o.answers]
                for s, o in self.spots.items()
            ],
            "guesses": [
                [role, list(others), negated, before, [[o.kind, o.role, n] for o, n in votes.items()]]
                for ((role, others, negated), before), votes in self.guesses.items()
            ],
        }  # fmt: skip

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> OperationTable:
        """Take over what ``to_json`` returned."""
        spots = {
            Spot(predicate, role, tuple(others), negated): Learned(
                Operation(kind, of), met, answers
            )
            for predicate, role, others, negated, kind, of, met, answers in record["spots"]
        }
        guesses = {
            ((role, tuple(others), negated), before): Counter(
                {Operation(k, r): n for k, r, n in votes}
            )
            for role, others, negated, before, votes in record["guesses"]
        }
        return cls(spots, guesses)

    def __iter__(self) -> Iterator[tuple[Spot, Learned]]:
        return iter(self.spots.items())


def _functions(group: Group) -> tuple[str, ...]:
    role, others, negated = group
    return tuple(r.partition(":")[0] for r in (role, *others)) + (("not",) if negated else ())
