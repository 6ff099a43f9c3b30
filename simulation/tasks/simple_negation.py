"""Task 9: where somebody is, is said to be, and is not any more."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class SimpleNegation(MovingTask):
    """Everybody keeps moving; half of the moves are told as a state, half of those by negation."""

    number = 9
    name = "simple-negation"
    knobs = MovingTask.knobs - {"things"}

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Move somebody and tell it as a move, as a state, or as what is no longer so."""
        dice = chronicle.dice
        for _ in range(statements):
            person = dice.pick(chronicle.setting.people)
            left = chronicle.world.inside[person]
            moved = chronicle.move(person, chronicle.other_room(person))
            wording = dice.below(4)
            if wording < 2:
                chronicle.tell(moved)
            elif wording == 2:
                chronicle.tell(moved._replace(predicate="be_in"))
            else:
                chronicle.tell(self.indirectly(chronicle, moved, left))

    def indirectly(self, chronicle: Chronicle, moved: Event, left: str) -> Event:
        """Tell a move by naming the room that was left."""
        return moved._replace(predicate="be_in", where=left, negated=True)

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask whether somebody is in a room, by the latest statement about that person."""
        recent = chronicle.window()
        if not recent:
            return None
        dice = chronicle.dice
        person = dice.pick(recent).person
        last = next(fact for fact in reversed(chronicle.facts) if fact.person == person)
        told = chronicle.draft.lines[last.line - 1]
        assert isinstance(told, Event)
        room, answer = self.room_and_answer(chronicle, told)
        return Query(Event("person_in_room", who=(person,), where=room), answer, (last.line,))

    def room_and_answer(self, chronicle: Chronicle, told: Event) -> tuple[str, str]:
        """Choose the room to ask about; nothing follows from a negation but that it is not that room."""
        dice, room = chronicle.dice, told.where or ""
        if told.negated:
            return room, "no"
        if dice.chance(0.5):
            return room, "yes"
        return dice.pick([r for r in chronicle.setting.rooms if r != room]), "no"
