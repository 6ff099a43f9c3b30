"""Task 11: he and she."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class BasicCoreference(MovingTask):
    """Somebody moves, and moves again under a pronoun."""

    number = 11
    name = "basic-coreference"
    knobs = MovingTask.knobs - {"things", "statements_per_question"} | {"pronoun_distance"}
    statements_per_question = 1  # pairs of statements

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Tell a move by name and the next one by pronoun; in between others move if the knob asks for it."""
        people = self.movers(chronicle)
        for pronoun in (False, True):
            if pronoun:
                chronicle.step_aside(people)
            room = chronicle.other_room(*people)
            for person in people:
                chronicle.move(person, room)
            moved = Event("go", who=people, where=room, pronoun=pronoun)
            chronicle.tell(moved, None if pronoun else self.stated(chronicle, moved))
        if chronicle.setting.like_paper and len(people) == 1 and chronicle.dice.chance(0.3):
            self.tell_of_another(chronicle, people[0])

    def stated(self, chronicle: Chronicle, moved: Event) -> Event | None:
        """Return a move as "was in", as often as not, as the paper's tables tell it."""
        alone = len(moved.who) == 1
        if chronicle.setting.like_paper and alone and chronicle.dice.chance(0.5):
            return moved._replace(predicate="be_in")
        return None

    def tell_of_another(self, chronicle: Chronicle, person: str) -> None:
        """Tell where somebody else was."""
        others = [other for other in chronicle.setting.people if other != person]
        other = chronicle.dice.pick(others)
        moved = chronicle.move(other, chronicle.other_room(other))
        chronicle.tell(moved, moved._replace(predicate="be_in"))

    def movers(self, chronicle: Chronicle) -> tuple[str, ...]:
        """Draw who moves."""
        return (chronicle.dice.pick(chronicle.setting.people),)

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask where the person of a recent fact is.

        Both sentences of the latest pair are needed; one is enough where the latest one has the name.
        """
        recent = chronicle.window()
        if not recent:
            return None
        person = chronicle.dice.pick(recent).person
        needed = chronicle.moves[person][-2:]
        told = chronicle.draft.lines[needed[-1].line - 1]
        if not (isinstance(told, Event) and told.pronoun):
            needed = needed[-1:]
        support = tuple(move.line for move in needed)
        return Query(Event("where_person", who=(person,)), needed[-1].room, support)
