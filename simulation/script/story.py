"""What happens in a script: a world that grows by the names it hears, and its history.

``Story.do`` introduces names that were never heard before, carries the action out, and takes the
introductions back when the action is refused, so that a refused command changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from babi_cascade.simulation.actions import Action, Refused, carry_out, refusal
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.lexicon import Lexicon
from babi_cascade.simulation.rules import FindFood, Habits, Seek, act, next_place, rules_of
from babi_cascade.simulation.script.worldfile import DescribedWorld
from babi_cascade.simulation.world import Actor, Thing, World

Undo = list[Callable[[], object]]


class Gift(NamedTuple):
    """Who gave what to whom."""

    giver: str
    thing: str
    receiver: str


class Story:
    """The world of a script, and its history.

    Parameters
    ----------
    described : DescribedWorld or None
        The world of a file; without one the world is empty and open, and the states of the lexicon
        say where the hungry, thirsty, bored and tired go.
    lexicon : Lexicon
    dice : Dice
        What actors do when no rule drives them.

    Attributes
    ----------
    world : World
    unplaced : dict
        Actors whose place was never said; they are nowhere in the world until they go somewhere.
    invented : set
        Things that no file describes. Their sizes are not known; they become containers or
        supporters by being used as such.
    visited : dict
        For everybody and everything the places it was in, one after the other.
    gifts : list of Gift
    motives : dict
        (actor, "go" or "get", place or thing) → the state that drove the latest such action, or
        None.
    """

    def __init__(self, described: DescribedWorld | None, lexicon: Lexicon, dice: Dice) -> None:
        self.world: World = described.world if described else World()
        self.rules: tuple[FindFood | Seek, ...] = (FindFood(), *_goals(described, lexicon))
        self.habits: dict[str, Habits] = described.habits if described else {}
        self.unplaced: dict[str, Actor] = {}
        self.invented: set[str] = set()
        self.visited: dict[str, list[str]] = {}
        self.gifts: list[Gift] = []
        self.motives: dict[tuple[str, str, str], str | None] = {}
        self._dice = dice
        for name in (*self.world.actors, *self.world.things):
            self.visited[name] = [self.world.place_of(name)]

    def do(self, action: Action) -> Event:
        """Carry out an action, or raise ``Refused`` and leave everything as it was."""
        undo: Undo = []
        try:
            motive = self._introduce(action, undo)
            if action.actor in self.unplaced:
                event = self._first_step(action)
            else:
                reason = refusal(self.world, action)
                if reason is not None:
                    raise Refused(reason)
                event = carry_out(self.world, action)
        except Refused:
            for step in reversed(undo):
                step()
            raise
        self._remember(action, motive)
        return event

    def turn(self, actor: str) -> Event:
        """Let an actor do what a rule says or, when none applies, a random valid action."""
        if actor not in self.world.actors:
            self._must_be(actor, "actor")
            raise Refused(_nobody_knows(actor))
        for rule in self.rules_of(actor):
            action = rule(self.world, actor)
            if action is not None:
                try:
                    return self.do(action)
                except Refused:
                    continue
        habits = self.habits.get(actor)
        action = act(self.world, actor, (), self._dice, habits=habits)
        if action is None and habits is not None:
            raise Refused(
                f"{actor} does nothing: the rules of {actor} allow nothing that can be done"
            )
        if action is None:
            raise Refused(f"{actor} can do nothing: there is nowhere to go and nothing to get")
        return self.do(action)

    def rules_of(self, actor: str) -> tuple[FindFood | Seek, ...]:
        """Return the rules that an actor follows."""
        habits = self.habits.get(actor)
        return self.rules if habits is None else rules_of(habits, self.rules)

    def kind_of(self, name: str) -> str | None:
        """Return "place", "thing" or "actor", or None for a name that was never heard."""
        if name in self.world.places:
            return "place"
        if name in self.world.things:
            return "thing"
        return "actor" if name in self.world.actors or name in self.unplaced else None

    def actor(self, name: str) -> Actor | None:
        """Return the actor of that name, wherever he or she is."""
        return self.world.actors.get(name) or self.unplaced.get(name)

    def aims(self, actor: Actor) -> list[Seek]:
        """Return what the rules make the actor seek, the first rule first."""
        aims = (rule.aim(self.world, actor) for rule in self.rules_of(actor.name))
        return [aim for aim in aims if aim is not None]

    def _introduce(self, action: Action, undo: Undo) -> str | None:
        """Make the names of the action known, and return the state that drives the actor to it."""
        world, name, thing, target = self.world, action.actor, action.thing, action.target
        self._must_be(name, "actor")
        if self.actor(name) is None:
            self.unplaced[name] = Actor(name)
            undo.append(lambda: self.unplaced.pop(name))
        if action.verb == "go":
            self._introduce_place(target, undo)
        elif name in world.actors:
            here = world.inside[name]
            if action.verb == "get":
                self._introduce_thing(thing, here, undo)
            elif action.verb == "get_from":
                self._introduce_thing(target, here, undo)
                if self._may_hold(target):
                    self._introduce_thing(thing, target, undo)
                self._must_be_known(thing, "thing")
            elif action.verb in ("put_in", "put_on"):
                self._must_be_known(thing, "thing")
                self._introduce_thing(target, here, undo)
                self._learn_holder(action, undo)
            elif action.verb == "give":
                self._must_be_known(thing, "thing")
                self._introduce_receiver(target, here, undo)
            elif action.verb in ("drop", "examine"):
                self._must_be_known(thing, "thing")
            elif action.verb == "set":
                self._must_be_known(target, "thing", "actor")
                if target in self.unplaced:
                    raise Refused(_nobody_knows(target))
        return self._motive(action)

    def _introduce_place(self, name: str, undo: Undo) -> None:
        self._must_be(name, "place")
        if name in self.world.places:
            return
        if self.world.has_map:
            known = ", ".join(list(self.world.places)[:20])
            raise Refused(f"the map has no place {name}; expected one of {known}")
        self.world.places[name] = {}
        undo.append(lambda: self.world.places.pop(name))

    def _introduce_thing(self, name: str, holder: str, undo: Undo) -> None:
        self._must_be(name, "thing")
        if name in self.world.things:
            return
        self.world.things[name] = Thing(name)
        self.world.inside[name] = holder
        self.invented.add(name)
        self.visited[name] = [self.world.place_of(name)]
        undo.append(lambda: self.world.things.pop(name))
        undo.append(lambda: self.world.inside.pop(name))
        undo.append(lambda: self.invented.discard(name))
        undo.append(lambda: self.visited.pop(name))

    def _introduce_receiver(self, name: str, here: str, undo: Undo) -> None:
        """Somebody whose place was never said is found where the gift is made."""
        self._must_be(name, "actor")
        if name in self.world.actors:
            return
        known = self.unplaced.pop(name, None)
        if known is not None:
            undo.append(lambda: self.unplaced.update({name: known}))
        self._place(known or Actor(name), here)
        undo.append(lambda: self.world.actors.pop(name))
        undo.append(lambda: self.world.inside.pop(name))
        undo.append(lambda: self.visited.pop(name))

    def _may_hold(self, name: str) -> bool:
        thing = self.world.things[name]
        return name in self.invented or thing.container or thing.supporter

    def _learn_holder(self, action: Action, undo: Undo) -> None:
        """A thing that no file describes becomes a holder by its use, and big enough."""
        holder = self.world.things[action.target]
        if holder.name not in self.invented:
            return
        before = (holder.container, holder.supporter, holder.size)

        def forget() -> None:
            holder.container, holder.supporter, holder.size = before

        undo.append(forget)
        if action.verb == "put_on":
            holder.supporter = True
            return
        holder.container = True
        # Nothing that lies in something else can grow: it might no longer fit there.
        if self.world.inside[holder.name] not in self.world.things:
            holder.size = max(holder.size, self.world.things[action.thing].size + 1)

    def _first_step(self, action: Action) -> Event:
        """What somebody can do before it is known where he or she is."""
        actor = self.unplaced[action.actor]
        if action.verb == "go":
            del self.unplaced[actor.name]
            self._place(actor, action.target)
            return Event("go", who=(actor.name,), where=action.target)
        if action.verb == "inventory":
            return Event("carry", who=(actor.name,))
        if action.verb == "set" and action.target == actor.name:
            if action.state in actor.states:
                raise Refused(f"{actor.name} is already {action.state}")
            actor.states.add(action.state)
            return Event("feel", who=(actor.name,), other=action.state)
        raise Refused(_nobody_knows(actor.name))

    def _place(self, actor: Actor, place: str) -> None:
        self.world.actors[actor.name] = actor
        self.world.inside[actor.name] = place
        self.visited[actor.name] = [place]

    def _motive(self, action: Action) -> str | None:
        actor = self.actor(action.actor)
        if actor is None or action.verb not in ("go", "get", "get_from"):
            return None
        here = self.world.inside.get(actor.name)
        for aim in self.aims(actor):
            if action.verb == "go":
                step = aim.place if here is None else next_place(self.world, here, aim.place)
                wanted = step == action.target
            else:
                wanted = aim.thing == action.thing
            if wanted:
                return aim.state
        return None

    def _remember(self, action: Action, motive: str | None) -> None:
        """Note who is where now, what was given, and why somebody went or got something."""
        world, actor = self.world, action.actor
        if action.verb == "go":
            self.motives[actor, "go", action.target] = motive
            held = [thing for thing in world.things if world.holder_of(thing) == actor]
            for name in (actor, *held):
                if self.visited[name][-1] != action.target:
                    self.visited[name].append(action.target)
        elif action.verb in ("get", "get_from"):
            self.motives[actor, "get", action.thing] = motive
        elif action.verb == "give":
            self.gifts.append(Gift(actor, action.thing, action.target))

    def _must_be(self, name: str, kind: str) -> None:
        known = self.kind_of(name)
        if known not in (None, kind):
            raise Refused(f"{name} is {_a(known)}, not {_a(kind)}")

    def _must_be_known(self, name: str, *kinds: str) -> None:
        if self.kind_of(name) is None:
            expected = " or ".join(_a(kind) for kind in kinds)
            raise Refused(f"nothing is known of {name} yet; expected {expected} named before")
        if len(kinds) == 1:
            self._must_be(name, kinds[0])
        elif self.kind_of(name) not in kinds:
            raise Refused(f"{name} is {_a(self.kind_of(name))}, not {' or '.join(map(_a, kinds))}")


def _goals(described: DescribedWorld | None, lexicon: Lexicon) -> tuple[Seek, ...]:
    if described is not None:
        return described.goals
    states = (entity for entity in lexicon.entities.values() if entity.kind == "states")
    return tuple(Seek(state.id, state.room, state.thing) for state in states)


def _nobody_knows(actor: str) -> str:
    return f"it is not known where {actor} is; {actor} has to go somewhere first"


def _a(kind: str | None) -> str:
    return "an actor" if kind == "actor" else f"a {kind}"
