"""Task 17: above, below, left and right."""

from __future__ import annotations

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.maps import Map
from babi_cascade.simulation.world import OPPOSITE, STEP

DIRECTIONS = ("above", "below", "left", "right")


class PositionalReasoning(Task):
    """Two shapes lie beside a third one; the questions are about those two."""

    number = 17
    name = "positional-reasoning"
    questions_per_story = 8
    knobs = frozenset({"things", "questions_per_story"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Relate each end to the middle, then ask how the ends lie to each other."""
        middle, *ends = dice.sample(setting.shapes, 3)
        cells = dict(zip(ends, dice.sample(DIRECTIONS, 2), strict=True))
        plan = Map()
        for end, direction in cells.items():
            plan.add(middle, direction, end)
        draft = Draft()
        lines: dict[str, int] = {}
        for reference, relation, subject in plan.statements(dice):
            told = Event(OPPOSITE[relation], what=subject, other=reference)
            lines[subject if reference == middle else reference] = draft.say(told)
        for _ in range(self.question_count(setting)):
            if setting.typed and dice.chance(0.3):
                end = dice.pick(ends)
                first, second, relation = end, middle, cells[end]
                if dice.chance(0.5):
                    first, second, relation = middle, end, OPPOSITE[relation]
                if list(cells.values()).count(cells[end]) == 1:
                    draft.ask(Event(f"what_is_{relation}", other=second), first, (lines[end],))
                    continue
            if setting.like_paper and dice.chance(0.5 if setting.typed else 0.25):
                ask_neighbours(draft, middle, dice.pick(ends), cells, lines, dice)
                continue
            first, second = dice.shuffled(ends)
            true = true_relations(cells[first], cells[second])
            if dice.chance(0.5):
                relation, answer = dice.pick(true), "yes"
            else:
                relation, answer = dice.pick(false_relations(true)), "no"
            question = Event(f"is_{relation}", what=first, other=second)
            draft.ask(question, answer, (lines[first], lines[second]))
        return draft


def ask_neighbours(
    draft: Draft, middle: str, end: str, cells: dict[str, str], lines: dict[str, int], dice: Dice
) -> None:
    """Ask about a relation that was told, as the paper's tables do."""
    first, second, true = end, middle, cells[end]
    if dice.chance(0.5):
        first, second, true = middle, end, OPPOSITE[true]
    relation, answer = true, "yes"
    if dice.chance(0.5):
        relation, answer = dice.pick(false_relations([true])), "no"
    draft.ask(Event(f"is_{relation}", what=first, other=second), answer, (lines[end],))


def true_relations(first: str, second: str) -> list[str]:
    """Return how a shape in the first cell beside the middle lies to one in the second cell."""
    dx = STEP[first][0] - STEP[second][0]
    dy = STEP[first][1] - STEP[second][1]
    across = ["right"] if dx > 0 else ["left"] if dx < 0 else []
    along = ["above"] if dy > 0 else ["below"] if dy < 0 else []
    return across + along


def false_relations(true: list[str]) -> list[str]:
    """Return what may be asked to hear no: the opposite of a true relation; in a row, anything untrue."""
    if len(true) == 2:
        return [OPPOSITE[relation] for relation in true]
    return [relation for relation in DIRECTIONS if relation not in true]
