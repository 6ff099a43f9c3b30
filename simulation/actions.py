"""The ten actions of the paper and the constraints that keep the world coherent.

``refusal`` says which constraint an action would break (or nothing); ``perform`` changes the world and
returns the event to tell. An action that is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.events import Event
from babi_cascade.simulation.world import World

VERBS = (
    "go",
    "get",
    "get_from",
    "put_in",
    "put_on",
    "give",
    "drop",
    "set",
    "look",
    "inventory",
    "examine",
)


class Action(NamedTuple):
    """An actor, a verb and its objects: ``go target``, ``give thing target``, ``set target state``."""

    actor: str
    verb: str
    thing: str = ""
    target: str = ""
    state: str = ""


class Refused(SimulationError):  # noqa: N818 - it is not an error to try
    """The action breaks a constraint of the world."""


def perform(world: World, action: Action) -> Event:
    """Carry out an action, or raise ``Refused`` with the constraint and leave the world as it is."""
    reason = refusal(world, action)
    if reason is not None:
        raise Refused(f"{describe(action)}: {reason}")
    return carry_out(world, action)


def carry_out(world: World, action: Action) -> Event:
    """Carry out an action that is known to be allowed."""
    return EFFECTS[action.verb](world, action)


def refusal(world: World, action: Action) -> str | None:
    """Return the constraint that the action breaks, in words, or None when it may be done."""
    check = CONSTRAINTS.get(action.verb)
    if check is None:
        return f"there is no action {action.verb!r}; expected one of {', '.join(VERBS)}"
    if action.actor not in world.actors:
        return f"{action.actor} is nobody who can act"
    return check(world, action)


def random_action(world: World, verb: str, actor: str, dice: Dice) -> Action | None:
    """Draw the arguments of an action; None when there are none to draw.

    A ``give`` is drawn among all givers, objects and receivers of the world, whoever the actor is.
    """
    if verb == "go":
        return Action(actor, "go", target=dice.pick(list(world.places)))
    if verb == "get":
        here = world.lying_in(world.inside[actor])
        return Action(actor, "get", dice.pick(here)) if here else None
    if verb == "drop":
        held = world.carried_by(actor)
        return Action(actor, "drop", dice.pick(held)) if held else None
    if verb == "give":
        gifts = list(possible_gifts(world))
        return dice.pick(gifts) if gifts else None
    raise SimulationError(f"{verb!r} is not drawn at random; expected go, get, drop or give")


def possible_gifts(world: World) -> Iterator[Action]:
    """Yield every gift that can be made now, by thing and receiver in the order in which they exist."""
    for thing in world.things:
        holder = world.inside[thing]
        if holder in world.actors:
            for receiver in world.actors:
                if receiver != holder and world.inside[receiver] == world.inside[holder]:
                    yield Action(holder, "give", thing, receiver)


def describe(action: Action) -> str:
    """Return the action as a command."""
    preposition = {"get_from": "from", "put_in": "in", "put_on": "on"}.get(action.verb)
    words = [
        action.actor,
        action.verb.split("_")[0],
        action.thing,
        preposition,
        action.target,
        action.state,
    ]
    return " ".join(word for word in words if word)


def _cannot_go(world: World, action: Action) -> str | None:
    place, here = action.target, world.inside[action.actor]
    if place not in world.places:
        return f"{place} is no place"
    if place == here:
        return f"{action.actor} is already in the {place}"
    if not world.reachable(here, place):
        return f"the {place} is not connected to the {here}"
    return None


def _cannot_touch(world: World, action: Action, thing: str) -> str | None:
    """Constraints common to everything done to a thing: it exists, is here, and nobody else holds it."""
    if thing not in world.things:
        return f"{thing} is no thing"
    holder = world.holder_of(thing)
    if holder is not None and holder != action.actor:
        return f"{holder} has the {thing}"
    if world.place_of(thing) != world.inside[action.actor]:
        return f"the {thing} is not in the {world.inside[action.actor]}, where {action.actor} is"
    return None


def _cannot_get(world: World, action: Action) -> str | None:
    reason = _cannot_touch(world, action, action.thing)
    if reason is not None:
        return reason
    if world.inside[action.thing] == action.actor:
        return f"{action.actor} already has the {action.thing}"
    if not world.things[action.thing].portable:
        return f"the {action.thing} cannot be carried"
    if world.inside[action.thing] in world.things:
        return f"the {action.thing} is in or on the {world.inside[action.thing]}: get it from there"
    return None


def _cannot_get_from(world: World, action: Action) -> str | None:
    for thing in (action.target, action.thing):
        reason = _cannot_touch(world, action, thing)
        if reason is not None:
            return reason
    if world.inside[action.thing] != action.target:
        return f"the {action.thing} is neither in nor on the {action.target}"
    if not world.things[action.thing].portable:
        return f"the {action.thing} cannot be carried"
    return None


def _cannot_put(world: World, action: Action) -> str | None:
    reason = _must_have(world, action) or _cannot_touch(world, action, action.target)
    if reason is not None:
        return reason
    thing, target = world.things[action.thing], world.things[action.target]
    if action.verb == "put_in" and not target.container:
        return f"nothing goes into the {target.name}: it is no container"
    if action.verb == "put_on" and not target.supporter:
        return f"nothing goes onto the {target.name}: it carries nothing"
    if thing is target or _is_inside(world, target.name, thing.name):
        return f"the {thing.name} cannot go into itself"
    if action.verb == "put_in" and thing.size >= target.size:
        return f"the {thing.name} is too big for the {target.name}"
    return None


def _cannot_give(world: World, action: Action) -> str | None:
    reason = _must_have(world, action)
    if reason is not None:
        return reason
    if action.target not in world.actors:
        return f"{action.target} is nobody who can take something"
    if action.target == action.actor:
        return f"{action.actor} cannot give something to himself or herself"
    if world.inside[action.target] != world.inside[action.actor]:
        return (
            f"{action.target} is not in the {world.inside[action.actor]}, where {action.actor} is"
        )
    return None


def _must_have(world: World, action: Action) -> str | None:
    if action.thing not in world.things:
        return f"{action.thing} is no thing"
    if world.inside[action.thing] != action.actor:
        return f"{action.actor} does not have the {action.thing}"
    return None


def _cannot_set(world: World, action: Action) -> str | None:
    if action.target in world.actors:
        if world.inside[action.target] != world.inside[action.actor]:
            return f"{action.target} is not in the {world.inside[action.actor]}"
    else:
        reason = _cannot_touch(world, action, action.target)
        if reason is not None:
            return reason
    if not action.state:
        return "no state is given"
    if action.state in _states(world, action.target):
        return f"{action.target} is already {action.state}"
    return None


def _cannot_examine(world: World, action: Action) -> str | None:
    return _cannot_touch(world, action, action.thing)


def _always(world: World, action: Action) -> str | None:
    return None


def _is_inside(world: World, name: str, holder: str) -> bool:
    while name in world.things:
        name = world.inside[name]
        if name == holder:
            return True
    return False


def _states(world: World, name: str) -> set[str]:
    return world.actors[name].states if name in world.actors else world.things[name].states


def _go(world: World, action: Action) -> Event:
    world.inside[action.actor] = action.target
    return Event("go", who=(action.actor,), where=action.target)


def _get(world: World, action: Action) -> Event:
    source = action.target or None
    world.inside[action.thing] = action.actor
    return Event(action.verb, who=(action.actor,), what=action.thing, other=source)


def _put(world: World, action: Action) -> Event:
    world.inside[action.thing] = action.target
    return Event(action.verb, who=(action.actor,), what=action.thing, other=action.target)


def _give(world: World, action: Action) -> Event:
    world.inside[action.thing] = action.target
    return Event("give", who=(action.actor,), what=action.thing, to=action.target)


def _drop(world: World, action: Action) -> Event:
    world.inside[action.thing] = world.inside[action.actor]
    return Event("drop", who=(action.actor,), what=action.thing)


def _set(world: World, action: Action) -> Event:
    _states(world, action.target).add(action.state)
    if action.target in world.actors:
        return Event("feel", who=(action.target,), other=action.state)
    return Event("be_state", what=action.target, other=action.state)


def _look(world: World, action: Action) -> Event:
    here = world.inside[action.actor]
    people = [name for name in world.actors if world.inside[name] == here and name != action.actor]
    return Event(
        "see", who=(action.actor,), where=here, alternatives=(*people, *world.lying_in(here))
    )


def _inventory(world: World, action: Action) -> Event:
    return Event("carry", who=(action.actor,), alternatives=tuple(world.carried_by(action.actor)))


def _examine(world: World, action: Action) -> Event:
    return Event("examine", who=(action.actor,), what=action.thing)


CONSTRAINTS: dict[str, Callable[[World, Action], str | None]] = {
    "go": _cannot_go,
    "get": _cannot_get,
    "get_from": _cannot_get_from,
    "put_in": _cannot_put,
    "put_on": _cannot_put,
    "give": _cannot_give,
    "drop": _must_have,
    "set": _cannot_set,
    "look": _always,
    "inventory": _always,
    "examine": _cannot_examine,
}
EFFECTS: dict[str, Callable[[World, Action], Event]] = {
    "go": _go,
    "get": _get,
    "get_from": _get,
    "put_in": _put,
    "put_on": _put,
    "give": _give,
    "drop": _drop,
    "set": _set,
    "look": _look,
    "inventory": _inventory,
    "examine": _examine,
}
