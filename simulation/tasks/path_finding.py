"""Task 19: how to go from one room to another."""

from __future__ import annotations

from itertools import pairwise

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.maps import Map
from babi_cascade.simulation.world import OPPOSITE

DIRECTIONS = ("north", "south", "east", "west")


class PathFinding(Task):
    """A way of two steps without turning back; every other room lies beside one of its rooms."""

    number = 19
    name = "path-finding"
    questions_per_story = 1
    knobs = frozenset({"places"})
    steps = 2

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Lay out the way and the rooms beside it, tell all neighbours, ask for the way."""
        if len(setting.rooms) <= self.steps:
            raise self.impossible(
                f"a way of {self.steps} steps needs {self.steps + 1} places, found {len(setting.rooms)}"
            )
        rooms = dice.shuffled(setting.rooms)
        way, beside = rooms[: self.steps + 1], rooms[self.steps + 1 :]
        town = Map()
        answer: list[str] = []
        for here, there in pairwise(way):
            back = OPPOSITE[answer[-1]] if answer else ""
            answer.append(dice.pick([d for d in DIRECTIONS if d != back]))
            town.add(here, answer[-1], there)
        for room in beside:
            # Any free side of a room of the way; in a large town also of the rooms beside it.
            free = [(place, d) for place in way for d in town.free(place, DIRECTIONS)]
            if not free:
                free = [(p, d) for p in list(town.neighbours) for d in town.free(p, DIRECTIONS)]
            place, direction = dice.pick(free)
            town.add(place, direction, room)
        draft = Draft()
        lines = {
            frozenset((subject, reference)): draft.say(
                Event(relation, what=subject, other=reference)
            )
            for subject, relation, reference in town.statements(dice)
        }
        support = tuple(lines[frozenset(pair)] for pair in pairwise(way))
        draft.ask(Event("which_way", what=way[0], other=way[-1]), tuple(answer), support)
        return draft
