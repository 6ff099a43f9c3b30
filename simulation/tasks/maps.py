"""Rooms or shapes beside each other, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Iterator

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.world import OPPOSITE


class Map:
    """Neighbours by direction; a tree when every ``add`` brings a new member."""

    def __init__(self) -> None:
        self.neighbours: dict[str, dict[str, str]] = {}

    def add(self, member: str, direction: str, neighbour: str) -> None:
        """Say that ``neighbour`` lies in that direction of ``member``."""
        self.neighbours.setdefault(member, {})[direction] = neighbour
        self.neighbours.setdefault(neighbour, {})[OPPOSITE[direction]] = member

    def free(self, member: str, directions: tuple[str, ...]) -> list[str]:
        """Return the directions in which the member has no neighbour yet."""
        return [d for d in directions if d not in self.neighbours.get(member, {})]

    def statements(self, dice: Dice) -> Iterator[tuple[str, str, str]]:
        """Yield (subject, relation, reference) once for each pair of neighbours.

        As in the released data: draw a member, then one of its neighbours, and start again when the
        pair has been told; so members with few neighbours come first, and as subject, more often.
        """
        members = list(self.neighbours)
        pairs = sum(len(n) for n in self.neighbours.values()) // 2
        told: set[frozenset[str]] = set()
        while len(told) < pairs:
            subject = dice.pick(members)
            direction, reference = dice.pick(list(self.neighbours[subject].items()))
            pair = frozenset((subject, reference))
            if pair not in told:
                told.add(pair)
                yield subject, OPPOSITE[direction], reference
