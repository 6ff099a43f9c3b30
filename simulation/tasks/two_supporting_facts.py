"""Task 2: where a thing is, by who had it last and where that person was."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle, Fact
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class TwoSupportingFacts(MovingTask):
    """A thing is where it was dropped, or where its holder has gone with it since."""

    number = 2
    name = "two-supporting-facts"
    actions = ("go", "get", "drop")
    there = {"get": 1.0, "drop": 0.2}  # noqa: RUF012

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask for a recently handled thing whose room the reader can know."""
        known = [
            (fact.thing, place)
            for fact in chronicle.window("get", "drop")
            if (place := self.place(chronicle, fact.thing)) is not None
        ]
        if not known:
            return None
        thing, (touch, move) = chronicle.dice.pick(known)
        return Query(Event("where_thing", what=thing), move.room, (touch.line, move.line))

    def place(self, chronicle: Chronicle, thing: str) -> tuple[Fact, Fact] | None:
        """Return the latest handling of the thing and the move that tells its room."""
        touch = chronicle.touches[thing][-1]
        if touch.kind == "drop":
            moves = chronicle.moves_between(touch.person, -1, touch.order)
        else:
            moves = chronicle.moves_between(touch.person, touch.order, len(chronicle.facts))
        return (touch, moves[-1]) if moves else None
