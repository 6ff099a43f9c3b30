"""The world of section 4: places, things and actors with internal state.

The world only knows how things *are*; ``simulation.actions`` says what may be done about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from babi_cascade.simulation.dice import Dice

OPPOSITE = {
    "north": "south", "south": "north", "east": "west", "west": "east", "above": "below",
    "below": "above", "left": "right", "right": "left",
}  # fmt: skip
STEP = {
    "north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0),
    "above": (0, 1), "below": (0, -1), "right": (1, 0), "left": (-1, 0),
}  # fmt: skip


@dataclass
class Thing:
    """Something that can be carried, or that holds other things.

    ``size`` compares with the size of a container: a thing goes only into something bigger.
    """

    name: str
    size: float = 1.0
    colour: str | None = None
    edible: bool = False
    drinkable: bool = False
    container: bool = False
    supporter: bool = False
    portable: bool = True
    states: set[str] = field(default_factory=set)


@dataclass
class Actor:
    """Somebody who acts: ``states`` are mental states such as hungry."""

    name: str
    states: set[str] = field(default_factory=set)


@dataclass
class World:
    """Who and what there is, and where.

    ``inside`` maps every actor to a place and every thing to a place, an actor or another thing;
    ``exits`` maps a place to its neighbours by direction. A world without any exits is open: every
    place can be reached from every other (as in most of the tasks).
    """

    places: dict[str, dict[str, str]] = field(default_factory=dict)
    actors: dict[str, Actor] = field(default_factory=dict)
    things: dict[str, Thing] = field(default_factory=dict)
    inside: dict[str, str] = field(default_factory=dict)
    has_map: bool = False

    @classmethod
    def at_random(
        cls, people: Sequence[str], rooms: Sequence[str], things: Sequence[str], dice: Dice
    ) -> World:
        """Return a fresh open world: everybody and everything stands in a uniformly random room."""
        world = cls()
        world.places = {room: {} for room in rooms}
        world.actors = {name: Actor(name) for name in people}
        world.things = {name: Thing(name) for name in things}
        for name in (*people, *things):
            world.inside[name] = dice.pick(rooms)
        return world

    def connect(self, place: str, direction: str, neighbour: str) -> None:
        """Say that ``neighbour`` lies in that direction of ``place``, and so the other way round."""
        self.has_map = True
        self.places[place][direction] = neighbour
        self.places[neighbour][OPPOSITE[direction]] = place

    def place_of(self, name: str) -> str:
        """Return the place in which an actor or a thing is, however deep inside other things."""
        seen = name
        while seen not in self.places:
            seen = self.inside[seen]
        return seen

    def carried_by(self, actor: str) -> list[str]:
        """Return the things an actor holds, in the order in which they exist."""
        inside = self.inside
        return [thing for thing in self.things if inside[thing] == actor]

    def lying_in(self, holder: str) -> list[str]:
        """Return the things that lie directly in a place or in another thing."""
        inside = self.inside
        return [thing for thing in self.things if inside[thing] == holder]

    def holder_of(self, thing: str) -> str | None:
        """Return the actor who carries the thing, also inside something carried."""
        seen = self.inside[thing]
        while seen in self.things:
            seen = self.inside[seen]
        return seen if seen in self.actors else None

    def reachable(self, start: str, goal: str) -> bool:
        """Say whether one step leads from one place to the other."""
        return not self.has_map or goal in self.places[start].values()

    def path(self, start: str, goal: str) -> list[str] | None:
        """Return the directions of a shortest way from one place to another, or None."""
        ways: dict[str, list[str]] = {start: []}
        queue = [start]
        for place in queue:
            if place == goal:
                return ways[place]
            for direction, neighbour in self.places[place].items():
                if neighbour not in ways:
                    ways[neighbour] = [*ways[place], direction]
                    queue.append(neighbour)
        return None
