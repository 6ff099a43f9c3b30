"""Task 10: somebody is either here or there; the answer may be maybe."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.simple_negation import SimpleNegation


class IndefiniteKnowledge(SimpleNegation):
    """As simple negation, but the last quarter of the moves leaves two rooms open."""

    number = 10
    name = "indefinite-knowledge"

    def indirectly(self, chronicle: Chronicle, moved: Event, left: str) -> Event:
        """Tell a move by naming the true room and any other one (even the same), in random order."""
        rooms = (moved.where or "", chronicle.dice.pick(chronicle.setting.rooms))
        if chronicle.dice.chance(0.5):
            rooms = (rooms[1], rooms[0])
        return Event("be_in", who=moved.who, alternatives=rooms)

    def room_and_answer(self, chronicle: Chronicle, told: Event) -> tuple[str, str]:
        """Ask about the true room or another one, with equal chance."""
        dice = chronicle.dice
        true = chronicle.world.inside[told.who[0]]
        room = true
        if dice.chance(0.5):
            room = dice.pick([r for r in chronicle.setting.rooms if r != true])
        if told.alternatives:
            return room, "maybe" if room in told.alternatives else "no"
        return room, "yes" if room == true else "no"
