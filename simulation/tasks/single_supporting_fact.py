"""Task 1: where somebody is, by the one statement that says so."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class SingleSupportingFact(MovingTask):
    """People move about; "Where is P?" is answered by P's latest move."""

    number = 1
    name = "single-supporting-fact"

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask where the person of a recent fact is."""
        recent = chronicle.window()
        if not recent:
            return None
        person = chronicle.dice.pick(recent).person
        last = chronicle.moves[person][-1]
        return Query(Event("where_person", who=(person,)), last.room, (last.line,))
