"""What mental states make actors do."""

import copy

import pytest

from babi_cascade.simulation.actions import Action, perform, refusal
from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.rules import FindFood, Seek, act, next_place, steps_between
from babi_cascade.simulation.world import Actor, Thing, World


@pytest.fixture
def world() -> World:
    """A corridor of five rooms in a row; Ann stands in the middle, a pear at each end."""
    world = World(places={room: {} for room in ("r1", "r2", "r3", "r4", "r5")})
    for west, east in (("r1", "r2"), ("r2", "r3"), ("r3", "r4"), ("r4", "r5")):
        world.connect(west, "east", east)
    world.actors = {"ann": Actor("ann"), "ben": Actor("ben")}
    world.things = {
        "far_pear": Thing("far_pear", edible=True),
        "near_pear": Thing("near_pear", edible=True),
        "juice": Thing("juice", drinkable=True),
        "basket": Thing("basket", size=5, container=True),
    }
    world.inside = {
        "ann": "r3", "ben": "r1", "far_pear": "r1", "near_pear": "r4", "juice": "r2", "basket": "r4",
    }  # fmt: skip
    return world


def test_nobody_is_driven_without_a_state(world: World) -> None:
    assert FindFood()(world, "ann") is None
    assert Seek("bored", "r1", "juice")(world, "ann") is None


def test_a_hungry_actor_takes_the_nearest_food(world: World) -> None:
    world.actors["ann"].states.add("hungry")
    assert FindFood()(world, "ann") == Action("ann", "go", target="r4")
    world.inside["ann"] = "r4"
    assert FindFood()(world, "ann") == Action("ann", "get", "near_pear")


def test_food_in_a_basket_is_got_from_it(world: World) -> None:
    world.actors["ann"].states.add("hungry")
    world.inside |= {"near_pear": "basket", "ann": "r4"}
    step = FindFood()(world, "ann")
    assert step == Action("ann", "get_from", "near_pear", "basket")
    perform(world, step)
    assert FindFood()(world, "ann") is None


def test_food_that_somebody_else_has_is_left_alone(world: World) -> None:
    world.actors["ann"].states.add("hungry")
    world.inside["near_pear"] = "ben"
    assert FindFood()(world, "ann") == Action("ann", "go", target="r2")


def test_food_that_cannot_be_reached_or_carried_is_no_goal(world: World) -> None:
    world.actors["ann"].states.add("hungry")
    world.places["island"] = {}
    world.inside |= {"near_pear": "island", "far_pear": "island"}
    assert FindFood()(world, "ann") is None
    world.inside["far_pear"] = "r3"
    world.things["far_pear"].portable = False
    assert FindFood()(world, "ann") is None


def test_who_is_hungry_and_thirsty_and_has_food_looks_for_a_drink(world: World) -> None:
    world.actors["ann"].states |= {"hungry", "thirsty"}
    world.inside["near_pear"] = "ann"
    assert FindFood()(world, "ann") == Action("ann", "go", target="r2")
    aim = FindFood().aim(world, world.actors["ann"])
    assert aim == Seek("thirsty", "r2", "juice")


def test_seek_goes_gets_and_is_content(world: World) -> None:
    rule = Seek("bored", "r1", "far_pear")
    world.actors["ann"].states.add("bored")
    steps = []
    while (step := rule(world, "ann")) is not None:
        perform(world, step)
        steps.append(step.target or step.thing)
    assert steps == ["r2", "r1", "far_pear"]


def test_seek_proposes_a_thing_that_does_not_exist_yet(world: World) -> None:
    world.actors["ann"].states.add("bored")
    step = Seek("bored", "r3", "ball")(world, "ann")
    assert step == Action("ann", "get", "ball")
    assert refusal(world, step) == "ball is no thing"


def test_distances_in_a_map_and_in_an_open_world(world: World) -> None:
    assert steps_between(world, "r1", "r5") == 4
    assert steps_between(world, "r1", "r1") == 0
    assert steps_between(world, None, "r5") == 0
    assert next_place(world, "r1", "r5") == "r2"
    world.places["island"] = {}
    assert steps_between(world, "r1", "island") is None
    world.places, world.has_map = {"r1": {}, "r5": {}}, False
    assert steps_between(world, "r1", "r5") == 1
    assert next_place(world, "r1", "r5") == "r5"


def test_a_refused_proposal_falls_back_on_something_valid(world: World) -> None:
    world.actors["ann"].states.add("bored")
    stuck = Seek("bored", "r3", "ball")
    action = act(world, "ann", [stuck], Dice(3))
    assert action is not None
    assert refusal(world, action) is None


@pytest.mark.parametrize("seed", range(20))
def test_random_actions_are_always_allowed_and_repeatable(world: World, seed: int) -> None:
    again = copy.deepcopy(world)
    dice, same_dice = Dice(seed), Dice(seed)
    for _ in range(30):
        action = act(world, "ann", [], dice)
        assert action is not None
        assert action == act(again, "ann", [], same_dice)
        perform(world, action)
        perform(again, action)


def test_who_can_do_nothing_does_nothing() -> None:
    world = World(places={"cell": {}}, actors={"ann": Actor("ann")}, inside={"ann": "cell"})
    assert act(world, "ann", [], Dice(0)) is None


def test_a_way_out_is_found_in_a_large_map() -> None:
    world = World(places={f"r{n}": {} for n in range(500)}, actors={"ann": Actor("ann")})
    world.connect("r0", "east", "r1")
    world.inside["ann"] = "r0"
    assert act(world, "ann", [], Dice(0)) == Action("ann", "go", target="r1")


def test_only_four_verbs_are_done_at_random(world: World) -> None:
    with pytest.raises(SimulationError, match="expected go, get, drop or give"):
        act(world, "ann", [], Dice(0), verbs=["look"])
