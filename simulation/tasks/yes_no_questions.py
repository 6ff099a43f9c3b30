"""Task 6: whether somebody is in a room."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class YesNoQuestions(MovingTask):
    """ "Is P in the room?": yes and no are equally frequent."""

    number = 6
    name = "yes-no-questions"
    actions = ("go", "get", "drop")
    there = {"get": 1.0, "drop": 0.2}  # noqa: RUF012

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask about the person of a recent move."""
        recent = chronicle.window("go")
        if not recent:
            return None
        dice = chronicle.dice
        person = dice.pick(recent).person
        last = chronicle.moves[person][-1]
        true = dice.chance(0.5)
        room = (
            last.room if true else dice.pick([r for r in chronicle.setting.rooms if r != last.room])
        )
        question = Event("person_in_room", who=(person,), where=room)
        return Query(question, "yes" if true else "no", (last.line,))
