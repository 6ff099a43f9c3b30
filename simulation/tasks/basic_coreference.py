"""Task 11: he and she."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class BasicCoreference(MovingTask):
    """Somebody moves, and moves again under a pronoun."""

    number = 11
    name = "basic-coreference"
    knobs = MovingTask.knobs - {"things", "statements_per_question"}
    statements_per_question = 1  # pairs of statements

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Tell a move by name and the next one by pronoun."""
        people = self.movers(chronicle)
        for pronoun in (False, True):
            room = chronicle.other_room(*people)
            for person in people:
                chronicle.move(person, room)
            chronicle.tell(Event("go", who=people, where=room, pronoun=pronoun))

    def movers(self, chronicle: Chronicle) -> tuple[str, ...]:
        """Draw who moves."""
        return (chronicle.dice.pick(chronicle.setting.people),)

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask where the person of a recent fact is; both sentences of the latest pair are needed."""
        recent = chronicle.window()
        if not recent:
            return None
        person = chronicle.dice.pick(recent).person
        first, last = chronicle.moves[person][-2:]
        return Query(Event("where_person", who=(person,)), last.room, (first.line, last.line))
