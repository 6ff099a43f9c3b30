"""Task 4: what lies north of a room, and what a room lies north of."""

from __future__ import annotations

from babi_cascade.simulation.dice import Dice
from babi_cascade.simulation.events import Draft, Event
from babi_cascade.simulation.setting import Setting
from babi_cascade.simulation.tasks.base import Task
from babi_cascade.simulation.tasks.maps import Map
from babi_cascade.simulation.world import OPPOSITE


class TwoArgRelations(Task):
    """Three rooms in a row; each end is related to the middle one."""

    number = 4
    name = "two-arg-relations"
    questions_per_story = 1
    knobs = frozenset({"places", "questions_per_story"})

    def story(self, setting: Setting, dice: Dice) -> Draft:
        """Tell both relations and ask back one of them, with either room left out."""
        middle, one, other = dice.sample(setting.rooms, 3)
        direction = dice.pick(("north", "south", "east", "west"))
        row = Map()
        row.add(middle, direction, one)
        row.add(middle, OPPOSITE[direction], other)
        draft = Draft()
        told = [
            (
                subject,
                relation,
                reference,
                draft.say(Event(relation, what=subject, other=reference)),
            )
            for subject, relation, reference in row.statements(dice)
        ]
        for _ in range(self.question_count(setting)):
            subject, relation, reference, line = dice.pick(told)
            if setting.like_paper and dice.chance(0.5):
                # "The bedroom is north of the bathroom. What is the bedroom north of?"
                subject, relation, reference = reference, OPPOSITE[relation], subject
            if dice.chance(0.5):
                question = Event(f"what_is_{relation}", other=reference)
            else:
                question = Event(f"{OPPOSITE[relation]}_of_what", what=reference)
            draft.ask(question, subject, (line,))
        return draft
