"""Task 3: where a thing was before, by the one who carried it through two rooms."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle, Fact
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class ThreeSupportingFacts(MovingTask):
    """Somebody carried the thing into a room and, just before that, into another one."""

    number = 3
    name = "three-supporting-facts"
    actions = ("go", "get", "drop")
    there = {"get": 0.2, "drop": 0.2}  # noqa: RUF012

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask for a recently handled thing that has been carried through two rooms."""
        known = [
            (fact.thing, journey)
            for fact in chronicle.window("get", "drop")
            if (journey := self.journey(chronicle, fact.thing)) is not None
        ]
        if not known:
            return None
        thing, (touch, last, before) = chronicle.dice.pick(known)
        question = Event("where_thing_before", what=thing, where=last.room)
        return Query(question, before.room, (touch.line, last.line, before.line))

    def journey(self, chronicle: Chronicle, thing: str) -> tuple[Fact, Fact, Fact] | None:
        """Return the latest handling and two moves in a row made with the thing in hand, the later first."""
        touches = chronicle.touches[thing]
        touch = touches[-1]
        if touch.kind == "get":
            since, until = touch.order, len(chronicle.facts)
        else:
            since, until = touches[-2].order, touch.order
        moves = chronicle.moves_between(touch.person, since, until)
        if len(moves) < 2:
            return None
        # Any two moves in a row may be asked about; of several visits to a room the last one is meant.
        room = chronicle.dice.pick(moves[1:]).room
        last = max(position for position, move in enumerate(moves) if move.room == room)
        return touch, moves[last], moves[last - 1]
