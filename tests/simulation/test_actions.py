"""The constraints of section 4, one test for each, and what the actions do when they are allowed."""

import copy

import pytest

from babi_cascade.simulation.actions import (
    CONSTRAINTS,
    EFFECTS,
    VERBS,
    Action,
    Refused,
    describe,
    perform,
    random_action,
    refusal,
)
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.world import Actor, Thing, World


@pytest.fixture
def world() -> World:
    """Ann and Ben in the kitchen, Cleo in the attic; the attic is above the hall, the hall north."""
    world = World(
        places={"kitchen": {}, "hall": {}, "attic": {}},
        actors={name: Actor(name) for name in ("ann", "ben", "cleo")},
        things={
            "cup": Thing("cup"),
            "pin": Thing("pin", size=0.1),
            "box": Thing("box", size=5, container=True),
            "bag": Thing("bag", size=3, container=True),
            "table": Thing("table", size=9, supporter=True, portable=False),
            "kite": Thing("kite"),
            "coin": Thing("coin", size=0.1),
        },
        inside={
            "ann": "kitchen", "ben": "kitchen", "cleo": "attic",
            "cup": "kitchen", "pin": "ann", "box": "ann", "bag": "ann", "table": "kitchen",
            "kite": "attic", "coin": "ben",
        },
    )  # fmt: skip
    world.connect("kitchen", "north", "hall")
    world.connect("hall", "above", "attic")
    return world


def refused(world: World, action: Action) -> str:
    """Do something that must be refused: the world stays as it is, and the reason is returned."""
    before = copy.deepcopy(world)
    with pytest.raises(Refused) as error:
        perform(world, action)
    assert world == before
    reason = refusal(world, action)
    assert reason is not None
    assert str(error.value) == f"{describe(action)}: {reason}"
    return reason


def test_what_is_as_big_as_a_container_does_not_go_into_it(world: World) -> None:
    world.things["bag"] = Thing("bag", size=world.things["box"].size, container=True)
    put = Action("ann", "put_in", "bag", "box")
    assert refused(world, put) == "the bag is too big for the box"
    world.things["bag"] = Thing("bag", size=world.things["box"].size - 0.1, container=True)
    assert refusal(world, put) is None


@pytest.mark.parametrize(
    ("action", "constraint"),
    [
        (Action("ann", "go", target="moon"), "moon is no place"),
        (Action("ann", "go", target="kitchen"), "ann is already in the kitchen"),
        (Action("ann", "go", target="attic"), "the attic is not connected to the kitchen"),
        (Action("ann", "get", "moon"), "moon is no thing"),
        (Action("ann", "get", "ben"), "ben is no thing"),
        (Action("ann", "get", "coin"), "ben has the coin"),
        (Action("ann", "get", "pin"), "ann already has the pin"),
        (Action("ann", "get", "kite"), "the kite is not in the kitchen, where ann is"),
        (Action("ann", "get", "table"), "the table cannot be carried"),
        (Action("ann", "get_from", "cup", "table"), "the cup is neither in nor on the table"),
        (Action("ann", "get_from", "cup", "moon"), "moon is no thing"),
        (Action("ann", "put_in", "cup", "box"), "ann does not have the cup"),
        (Action("ann", "put_in", "pin", "table"), "nothing goes into the table"),
        (Action("ann", "put_on", "pin", "box"), "nothing goes onto the box"),
        (Action("ann", "put_in", "box", "bag"), "the box is too big for the bag"),
        (Action("ann", "put_in", "box", "box"), "the box cannot go into itself"),
        (Action("ann", "put_in", "pin", "kite"), "the kite is not in the kitchen"),
        (Action("ann", "put_in", "pin", "coin"), "ben has the coin"),
        (Action("ann", "give", "cup", "ben"), "ann does not have the cup"),
        (Action("ann", "give", "pin", "cup"), "cup is nobody who can take something"),
        (Action("ann", "give", "pin", "ann"), "ann cannot give something to himself or herself"),
        (Action("ann", "give", "pin", "cleo"), "cleo is not in the kitchen, where ann is"),
        (Action("ann", "drop", "cup"), "ann does not have the cup"),
        (Action("ann", "drop", "moon"), "moon is no thing"),
        (Action("ann", "set", target="cleo", state="sad"), "cleo is not in the kitchen"),
        (Action("ann", "set", target="kite", state="wet"), "the kite is not in the kitchen"),
        (Action("ann", "set", target="ann"), "no state is given"),
        (Action("ann", "examine", "kite"), "the kite is not in the kitchen"),
        (Action("ann", "examine", "coin"), "ben has the coin"),
        (Action("cup", "look"), "cup is nobody who can act"),
        (Action("ann", "fly"), "there is no action 'fly'; expected one of go, get"),
    ],
    ids=lambda value: describe(value) if isinstance(value, Action) else "",
)
def test_a_constraint_refuses_and_changes_nothing(
    world: World, action: Action, constraint: str
) -> None:
    assert constraint in refused(world, action)


def test_what_lies_in_a_thing_is_got_from_there(world: World) -> None:
    perform(world, Action("ann", "put_in", "pin", "box"))
    assert "is in or on the box" in refused(world, Action("ann", "get", "pin"))
    perform(world, Action("ann", "get_from", "pin", "box"))
    assert world.inside["pin"] == "ann"


def test_a_box_cannot_go_into_what_it_holds(world: World) -> None:
    perform(world, Action("ann", "put_in", "bag", "box"))
    assert "cannot go into itself" in refused(world, Action("ann", "put_in", "box", "bag"))


def test_nobody_reaches_into_what_somebody_else_carries(world: World) -> None:
    perform(world, Action("ann", "put_in", "pin", "box"))
    assert "ann has the box" in refused(world, Action("ben", "get_from", "pin", "box"))


def test_a_thing_that_cannot_be_carried_stays_on_its_table(world: World) -> None:
    world.things["vase"] = Thing("vase", portable=False)
    world.inside["vase"] = "table"
    reason = refused(world, Action("ann", "get_from", "vase", "table"))
    assert reason == "the vase cannot be carried"


def test_a_state_is_set_once(world: World) -> None:
    perform(world, Action("ann", "set", target="ben", state="happy"))
    assert world.actors["ben"].states == {"happy"}
    assert "already happy" in refused(world, Action("ann", "set", target="ben", state="happy"))
    perform(world, Action("ann", "set", target="cup", state="clean"))
    assert world.things["cup"].states == {"clean"}


def test_what_is_carried_goes_along(world: World) -> None:
    perform(world, Action("ann", "put_in", "pin", "box"))
    perform(world, Action("ann", "go", target="hall"))
    assert {world.place_of(thing) for thing in ("pin", "box", "bag")} == {"hall"}
    assert world.holder_of("pin") == "ann"


def test_a_gift_and_a_drop_change_hands_and_places(world: World) -> None:
    perform(world, Action("ann", "give", "pin", "ben"))
    assert sorted(world.carried_by("ben")) == ["coin", "pin"]
    perform(world, Action("ben", "drop", "pin"))
    assert "pin" in world.lying_in("kitchen")


def test_looking_changes_nothing_and_shows_what_is_there(world: World) -> None:
    before = copy.deepcopy(world)
    seen = perform(world, Action("ann", "look"))
    held = perform(world, Action("ann", "inventory"))
    found = perform(world, Action("ann", "examine", "cup"))
    assert world == before
    assert seen.alternatives == ("ben", "cup", "table")
    assert held.alternatives == ("pin", "box", "bag")
    assert found.what == "cup"


def test_a_world_without_exits_is_open() -> None:
    world = World.at_random(["ann"], ["kitchen", "moon"], [], Dice("open"))
    goal = "moon" if world.inside["ann"] == "kitchen" else "kitchen"
    assert refusal(world, Action("ann", "go", target=goal)) is None


def test_every_verb_has_a_constraint_and_an_effect() -> None:
    assert set(VERBS) == set(CONSTRAINTS) == set(EFFECTS)


def test_random_actions_are_drawn_for_four_verbs_only(world: World) -> None:
    with pytest.raises(SimulationError, match="expected go, get, drop or give"):
        random_action(world, "look", "ann", Dice(1))
    assert random_action(world, "drop", "cleo", Dice(1)) is None
    assert random_action(world, "get", "cleo", Dice(1)) == Action("cleo", "get", "kite")
