"""Task 12: two people at once."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.single_supporting_fact import SingleSupportingFact


class Conjunction(SingleSupportingFact):
    """Every statement moves two people to a room where neither of them is."""

    number = 12
    name = "conjunction"
    knobs = SingleSupportingFact.knobs - {"things"}

    def happen(self, chronicle: Chronicle, statements: int) -> None:
        """Move two people together; in the paper's wording one of them may then go on alone."""
        for _ in range(statements):
            people = tuple(chronicle.dice.sample(chronicle.setting.people, 2))
            room = chronicle.other_room(*people)
            for person in people:
                chronicle.move(person, room)
            chronicle.tell(Event("go", who=people, where=room))
            if chronicle.setting.like_paper and chronicle.dice.chance(0.4):
                one = chronicle.dice.pick(people)
                chronicle.tell(chronicle.move(one, chronicle.other_room(one)))
