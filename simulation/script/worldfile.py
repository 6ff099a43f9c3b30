"""A world described in a TOML file: places with exits, things, actors, and the rules they follow.

Example::

    [places.kitchen]
    north = "garden"              # the garden lies north of the kitchen; so the way back is known
    [places.garden]

    [things.table]
    place = "kitchen"
    size = 9                      # a thing goes only into something bigger; 1 when not given
    supporter = true              # things can be put on it
    portable = false
    [things.pear]
    inside = "table"              # in or on a thing, or carried by an actor
    edible = true
    colour = "green"

    [actors.joe]
    place = "garden"
    states = ["hungry"]
    [actors.joe.rules]            # what Joe does by himself when no state drives him
    actions = ["go", "get"]       # out of go, get, drop and give
    places = ["garden"]           # where he goes
    things = ["pear"]             # what he gets
    when.tired = { place = "kitchen", thing = "pear" }   # not what the tired do

    [states.tired]                # whoever is tired goes there and gets that
    place = "garden"
    thing = "pear"

Names may have several words: ``[places."living room"]``. Everything is checked when the file is
read: an unknown key, a name that nobody bears or two contradicting ways are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.lexicon_file import read_toml, refuse_unknown_keys
from babi_cascade.simulation.rules import Habits, Seek
from babi_cascade.simulation.script.commands import NotUnderstoodError, name_of
from babi_cascade.simulation.world import OPPOSITE, Actor, Thing, World

TABLES = ("places", "things", "actors", "states")
KINDS = {"places": "place", "things": "thing", "actors": "actor"}
DIRECTIONS = ("north", "south", "east", "west", "above", "below")
FLAGS = ("edible", "drinkable", "container", "supporter", "portable")
ACTIONS = ("go", "get", "drop", "give")
"""What somebody does without being told."""

RULE_KEYS = ("actions", "places", "things", "when")
THING_KEYS = ("place", "inside", "size", "colour", "states", *FLAGS)


@dataclass
class DescribedWorld:
    """What a world file says: the world, how its names are written, the rules of its states and actors."""

    world: World = field(default_factory=World)
    spelled: dict[str, str] = field(default_factory=dict)
    goals: tuple[Seek, ...] = ()
    habits: dict[str, Habits] = field(default_factory=dict)


def read_world(path: Path) -> DescribedWorld:
    """Read and check a world file; what is wrong with it is a ``SimulationError`` with the key."""
    table = read_toml(path)
    refuse_unknown_keys(table, TABLES, str(path))
    return _Reader(path, table).read()


class _Reader:
    """Reads one file. Names come first, since everything else refers to them."""

    def __init__(self, path: Path, table: Mapping[str, Any]) -> None:
        self.path = path
        self.world = World()
        self.spelled: dict[str, str] = {}
        self.kinds: dict[str, str] = {}
        self.entries: dict[str, dict[str, tuple[str, Mapping[str, Any]]]] = {
            kind: self._named(kind, table.get(kind, {})) for kind in TABLES
        }

    def read(self) -> DescribedWorld:
        world = self.world
        world.places = {name: {} for name in self.entries["places"]}
        for name, (where, entry) in self.entries["places"].items():
            self._read_exits(name, where, entry)
        for name, (where, entry) in self.entries["actors"].items():
            refuse_unknown_keys(entry, ("place", "states", "rules"), where)
            world.actors[name] = Actor(name, self._states(where, entry))
            world.inside[name] = self._reference(where, entry, "place", "places")
        for name, (where, entry) in self.entries["things"].items():
            refuse_unknown_keys(entry, THING_KEYS, where)
            world.things[name] = self._thing(name, where, entry)
        for name, (where, entry) in self.entries["things"].items():
            world.inside[name] = self._holder(where, entry)
        for name, (where, _) in self.entries["things"].items():
            self._check_holder(name, where)
        habits = {
            name: self._habits(f"{where}.rules", entry["rules"])
            for name, (where, entry) in self.entries["actors"].items()
            if "rules" in entry
        }
        states = self.entries["states"].items()
        goals = tuple(self._goal(state, *described) for state, described in states)
        return DescribedWorld(world, self.spelled, goals, habits)

    def _named(self, kind: str, table: object) -> dict[str, tuple[str, Mapping[str, Any]]]:
        """Return name → (where it stands, its entry) of one table."""
        if not isinstance(table, Mapping):
            raise SimulationError(
                f"{self.path}: {kind} is {table!r}, expected tables [{kind}.NAME]"
            )
        named: dict[str, tuple[str, Mapping[str, Any]]] = {}
        for written, entry in table.items():
            where = f"{self.path}: {kind}.{written}"
            name = self._name(where, written, any_word=kind == "states")
            if kind in KINDS:
                if name in self.kinds:
                    raise SimulationError(f"{where}: the name is taken by a {self.kinds[name]}")
                self.kinds[name] = KINDS[kind]
                self.spelled[name] = re.sub(r"[\s_]+", " ", written.strip())
            elif name in named:
                raise SimulationError(f"{where}: the state is there twice")
            if not isinstance(entry, Mapping):
                raise SimulationError(f"{where} is {entry!r}, expected a table")
            named[name] = (where, entry)
        return named

    def _read_exits(self, place: str, where: str, entry: Mapping[str, Any]) -> None:
        refuse_unknown_keys(entry, DIRECTIONS, where)
        for direction in entry:
            neighbour = self._reference(where, entry, direction, "places")
            if neighbour == place:
                raise SimulationError(f"{where}.{direction}: a place cannot be its own neighbour")
            for start, way, goal in (
                (place, direction, neighbour),
                (neighbour, OPPOSITE[direction], place),
            ):
                known = self.world.places[start].get(way, goal)
                if known != goal:
                    raise SimulationError(
                        f"{where}.{direction} is {neighbour!r}, so {goal!r} lies {way} of "
                        f"{start!r}, but elsewhere the file says that {known!r} does"
                    )
                for other, lies in self.world.places[start].items():
                    if lies == goal and other != way:
                        raise SimulationError(
                            f"{where}.{direction} is {neighbour!r}, so {goal!r} lies {way} of "
                            f"{start!r}, but elsewhere the file says that it lies {other}"
                        )
            self.world.connect(place, direction, neighbour)

    def _thing(self, name: str, where: str, entry: Mapping[str, Any]) -> Thing:
        size = entry.get("size", 1.0)
        is_number = isinstance(size, (int, float)) and not isinstance(size, bool)
        if not is_number or not 0 < size <= 1e300:
            raise SimulationError(f"{where}.size is {size!r}, expected a number above 0")
        for flag in FLAGS:
            if not isinstance(entry.get(flag, True), bool):
                raise SimulationError(f"{where}.{flag} is {entry[flag]!r}, expected true or false")
        colour = entry.get("colour")
        return Thing(
            name,
            size=float(size),
            colour=None if colour is None else self._name(f"{where}.colour", colour),
            states=self._states(where, entry),
            **{flag: entry[flag] for flag in FLAGS if flag in entry},
        )

    def _holder(self, where: str, entry: Mapping[str, Any]) -> str:
        if ("place" in entry) == ("inside" in entry):
            raise SimulationError(f"{where}: expected either `place` or `inside`, one of them")
        if "place" in entry:
            return self._reference(where, entry, "place", "places")
        return self._reference(where, entry, "inside", "things", "actors")

    def _check_holder(self, name: str, where: str) -> None:
        """The constraints of ``put`` and ``get`` hold from the start."""
        world, thing, holder = self.world, self.world.things[name], self.world.inside[name]
        where = f"{where}.inside is {holder!r}"
        if holder in world.actors and not thing.portable:
            raise SimulationError(f"{where}, but the thing is not portable: nobody can carry it")
        if holder not in world.things:
            return
        target = world.things[holder]
        if not target.container and not target.supporter:
            raise SimulationError(f"{where}, which is neither a container nor a supporter")
        if not target.supporter and thing.size >= target.size:
            raise SimulationError(
                f"{where} of size {target.size:g}, too small for something of size {thing.size:g}"
            )
        seen = {name}
        while holder in world.things:
            if holder in seen:
                raise SimulationError(
                    f"{where}: the things {', '.join(sorted(seen))} are in a circle"
                )
            seen.add(holder)
            holder = world.inside[holder]

    def _goal(self, state: str, where: str, entry: Mapping[str, Any]) -> Seek:
        """Return where somebody in a state goes and what he or she gets there."""
        refuse_unknown_keys(entry, ("place", "thing"), where)
        place = self._reference(where, entry, "place", "places")
        return Seek(state, place, self._reference(where, entry, "thing", "things"))

    def _habits(self, where: str, entry: object) -> Habits:
        """Return the rules of one actor."""
        refuse_unknown_keys(entry, RULE_KEYS, where)
        assert isinstance(entry, Mapping)
        verbs = entry.get("actions")
        if verbs is not None and (
            not isinstance(verbs, list) or any(verb not in ACTIONS for verb in verbs)
        ):
            raise SimulationError(
                f"{where}.actions is {verbs!r}, expected a list out of {', '.join(ACTIONS)}"
            )
        places = self._references(where, entry, "places")
        things = self._references(where, entry, "things")
        for key, names, verb in (("places", places, "go"), ("things", things, "get")):
            if names is not None and verbs is not None and verb not in verbs:
                raise SimulationError(
                    f"{where}.{key} means nothing, since `actions` lacks {verb!r}; leave one of them out"
                )
        return Habits(
            tuple(self._goal(*state) for state in self._own_states(where, entry)),
            None if verbs is None else tuple(dict.fromkeys(verbs)),
            places,
            things,
        )

    def _own_states(
        self, where: str, entry: Mapping[str, Any]
    ) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Return (state, where it stands, entry) for what an actor does in a state."""
        table = entry.get("when", {})
        if not isinstance(table, Mapping):
            raise SimulationError(
                f"{where}.when is {table!r}, expected when.STATE = {{ place = …, thing = … }}"
            )
        found: dict[str, tuple[str, str, Mapping[str, Any]]] = {}
        for written, goal in table.items():
            place = f"{where}.when.{written}"
            state = self._name(place, written, any_word=True)
            if state in found:
                raise SimulationError(f"{place}: the state is there twice")
            if not isinstance(goal, Mapping):
                raise SimulationError(f"{place} is {goal!r}, expected a table with place and thing")
            found[state] = (state, place, goal)
        return list(found.values())

    def _references(self, where: str, entry: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
        """Return a list of names of existing places or things, or None when it is not given."""
        names = entry.get(key)
        if names is None:
            return None
        if not isinstance(names, list) or not names:
            raise SimulationError(f"{where}.{key} is {names!r}, expected a list of names")
        return tuple(dict.fromkeys(self._reference(where, {key: name}, key, key) for name in names))

    def _states(self, where: str, entry: Mapping[str, Any]) -> set[str]:
        states = entry.get("states", [])
        if not isinstance(states, list):
            raise SimulationError(f"{where}.states is {states!r}, expected a list of words")
        return {self._name(f"{where}.states", state, any_word=True) for state in states}

    def _reference(self, where: str, entry: Mapping[str, Any], key: str, *kinds: str) -> str:
        """Return the name of an existing entity that the entry refers to."""
        expected = " or ".join(KINDS[kind] for kind in kinds)
        if key not in entry:
            raise SimulationError(f"{where}: `{key}` is missing, expected the name of a {expected}")
        name = self._name(f"{where}.{key}", entry[key])
        if not any(name in self.entries[kind] for kind in kinds):
            known = [other for kind in kinds for other in self.entries[kind]]
            raise SimulationError(
                f"{where}.{key} is {entry[key]!r}, which is no {expected} of the file; expected "
                f"one of {', '.join(known[:20]) or 'none: there are none'}"
            )
        return name

    def _name(self, where: str, written: object, *, any_word: bool = False) -> str:
        if not isinstance(written, str):
            raise SimulationError(f"{where} is {written!r}, expected a word")
        try:
            return name_of(written, any_word=any_word)
        except NotUnderstoodError as error:
            raise SimulationError(f"{where}: {error}") from error
