"""Task 7: how many things somebody carries."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle
from babi_cascade.simulation.tasks.moving import MovingTask, Query

NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Counting(MovingTask):
    """Every get, drop and gift that involves the person counts, and is a supporting fact."""

    number = 7
    name = "counting"
    actions = ("go", "get", "drop", "give")
    there = {"get": 1.0, "drop": 0.2}  # noqa: RUF012

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask about somebody who handled a thing recently (who merely received one is not asked about)."""
        recent = chronicle.window("get", "drop", "give")
        if not recent:
            return None
        person = chronicle.dice.pick(recent).person
        support = tuple(
            fact.line for fact in chronicle.facts if fact.thing and person in (fact.person, fact.to)
        )
        count = len(chronicle.world.carried_by(person))
        return Query(Event("how_many_carried", who=(person,)), NUMBERS[count], support)
