"""Rules that drive actors: what somebody in a mental state does next.

A rule looks at the world and proposes an action, or nothing. An actor follows the first rule that
proposes something allowed, and otherwise acts at random. Rules are shared by everybody, unless an
actor has ``Habits`` of his or her own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from babi_cascade.simulation.actions import Action, refusal
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.world import Actor, World


class Rule(Protocol):
    """Something that may propose an action for an actor."""

    def __call__(self, world: World, actor: str) -> Action | None:
        """Return what the actor should do now, or None."""
        ...


@dataclass(frozen=True)
class Seek:
    """Whoever is in ``state`` goes to ``place`` and gets ``thing`` there."""

    state: str
    place: str
    thing: str

    def __call__(self, world: World, actor: str) -> Action | None:
        """Propose the step towards the thing, the getting of it, or nothing."""
        if self.aim(world, world.actors[actor]) is None:
            return None
        here = world.inside[actor]
        if here != self.place:
            return Action(actor, "go", target=next_place(world, here, self.place))
        holder = world.inside.get(self.thing)
        if holder in world.things:
            return Action(actor, "get_from", self.thing, holder)
        return Action(actor, "get", self.thing)

    def aim(self, world: World, actor: Actor) -> Seek | None:
        """Return what drives the actor: this rule, or None when it is not felt or satisfied."""
        satisfied = world.inside.get(self.thing) == actor.name
        return self if self.state in actor.states and not satisfied else None


@dataclass(frozen=True)
class Habits:
    """The rules of one actor: what he or she does in a mental state, and what otherwise.

    ``goals`` take the place of what everybody does in those states. ``verbs``, ``places`` and
    ``things`` say what the actor does, where he or she goes and what he or she gets when nothing
    drives him or her; None leaves it free.
    """

    goals: tuple[Seek, ...] = ()
    verbs: tuple[str, ...] | None = None
    places: tuple[str, ...] | None = None
    things: tuple[str, ...] | None = None

    def allow(self, action: Action) -> bool:
        """Say whether the actor does this of his or her own accord."""
        if self.verbs is not None and action.verb not in self.verbs:
            return False
        if action.verb == "go":
            return self.places is None or action.target in self.places
        return action.verb != "get" or self.things is None or action.thing in self.things


@dataclass(frozen=True)
class FindFood:
    """A hungry actor looks for something edible, a thirsty one for something to drink."""

    states: tuple[str, ...] = ("hungry", "thirsty")

    def __call__(self, world: World, actor: str) -> Action | None:
        """Propose the way to the nearest free food or drink."""
        aim = self.aim(world, world.actors[actor])
        return None if aim is None else aim(world, actor)

    def aim(self, world: World, actor: Actor) -> Seek | None:
        """Return the nearest free food or drink as something to seek; None when one is at hand."""
        food = [thing.name for thing in world.things.values() if thing.edible]
        drink = [thing.name for thing in world.things.values() if thing.drinkable]
        for state, wanted in (("hungry", food), ("thirsty", drink)):
            if state not in actor.states or state not in self.states:
                continue
            holders = {thing: world.holder_of(thing) for thing in wanted}
            if actor.name in holders.values():
                continue
            here = world.inside.get(actor.name)
            near = [
                (steps, place, thing)
                for thing, holder in holders.items()
                if holder is None and world.things[thing].portable
                for place in (world.place_of(thing),)
                if (steps := steps_between(world, here, place)) is not None
            ]
            if near:
                _, place, thing = min(near, key=lambda found: found[0])
                return Seek(state, place, thing)
        return None


def rules_of(habits: Habits, shared: Sequence[FindFood | Seek]) -> tuple[FindFood | Seek, ...]:
    """Return the rules that an actor follows: his or her own, then the shared ones for other states."""
    own = {goal.state for goal in habits.goals}
    rest: list[FindFood | Seek] = []
    for rule in shared:
        if isinstance(rule, FindFood):
            rest.append(FindFood(tuple(state for state in rule.states if state not in own)))
        elif rule.state not in own:
            rest.append(rule)
    return (*habits.goals, *rest)


def next_place(world: World, here: str, goal: str) -> str:
    """Return the next place on the way to a goal: the goal itself in an open world."""
    way = world.path(here, goal)
    return world.places[here][way[0]] if way else goal


def steps_between(world: World, here: str | None, goal: str) -> int | None:
    """Return how many steps lead to a goal, or None; who is nowhere yet is near everything."""
    if here is None or here == goal:
        return 0
    if not world.has_map:
        return 1
    way = world.path(here, goal)
    return None if way is None else len(way)


def act(
    world: World,
    actor: str,
    rules: Sequence[Rule],
    dice: Dice,
    verbs: Sequence[str] = ("go", "get", "drop", "give"),
    habits: Habits | None = None,
) -> Action | None:
    """Return what the actor does next: by a rule if one applies, else a random valid action.

    ``habits`` say which of the random actions the actor does.
    """
    for rule in rules:
        action = rule(world, actor)
        if action is not None and refusal(world, action) is None:
            return action
    for verb in dice.shuffled(verbs):
        choices = valid_actions(world, verb, actor)
        if habits is not None:
            choices = [action for action in choices if habits.allow(action)]
        if choices:
            return dice.pick(choices)
    return None


def valid_actions(world: World, verb: str, actor: str) -> list[Action]:
    """Return everything that an actor may do with one of the verbs go, get, drop and give."""
    if verb == "go":
        actions = [Action(actor, "go", target=place) for place in world.places]
    elif verb == "get":
        actions = [Action(actor, "get", thing) for thing in world.lying_in(world.inside[actor])]
    elif verb == "drop":
        actions = [Action(actor, "drop", thing) for thing in world.carried_by(actor)]
    elif verb == "give":
        held = world.carried_by(actor)
        actions = [Action(actor, "give", thing, other) for thing in held for other in world.actors]
    else:
        raise SimulationError(f"{verb!r} is not done at random; expected go, get, drop or give")
    return [action for action in actions if refusal(world, action) is None]
