"""Task 8: which things somebody carries."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle, Fact
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class ListsSets(MovingTask):
    """The things in the order in which the person first touched them; so are the supporting facts grouped."""

    number = 8
    name = "lists-sets"
    actions = ("go", "get", "drop")
    there = {"get": 1.0, "drop": 0.2}  # noqa: RUF012

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask about somebody who handled a thing recently."""
        recent = chronicle.window("get", "drop")
        if not recent:
            return None
        person = chronicle.dice.pick(recent).person
        handled: dict[str, list[Fact]] = {}
        for fact in chronicle.facts:
            if fact.thing and fact.person == person:
                handled.setdefault(fact.thing, []).append(fact)
        held = tuple(thing for thing, facts in handled.items() if facts[-1].kind == "get")
        support = tuple(fact.line for facts in handled.values() for fact in facts)
        return Query(Event("what_carried", who=(person,)), held or "nothing", support)
