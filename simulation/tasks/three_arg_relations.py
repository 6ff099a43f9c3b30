"""Task 5: who gave what to whom."""

from __future__ import annotations

from babi_cascade.simulation.events import Event
from babi_cascade.simulation.tasks.chronicle import Chronicle, Fact
from babi_cascade.simulation.tasks.moving import MovingTask, Query


class ThreeArgRelations(MovingTask):
    """A recent gift is asked about with one or two of its three participants left out."""

    number = 5
    name = "three-arg-relations"
    actions = ("go", "get", "drop", "give")
    there = {"get": 1.0, "drop": 0.2}  # noqa: RUF012
    kinds = ("what_given", "what_given", "who_gave", "who_gave_to", "who_received", "who_given_to")

    def query(self, chronicle: Chronicle) -> Query | None:
        """Ask about a recent gift; the latest one that fits the question's words is meant."""
        gifts = chronicle.window("give")
        if not gifts:
            return None
        # The thing of a recent gift is drawn; asked about is the latest gift of that thing.
        gift = chronicle.dice.pick(gifts)
        if not chronicle.setting.like_paper:  # whose tables ask about earlier gifts of a thing too
            thing = gift.thing
            gift = next(
                f for f in reversed(chronicle.facts) if f.kind == "give" and f.thing == thing
            )
        question = ask_about(chronicle.dice.pick(self.kinds), gift)
        meant = next(fact for fact in reversed(chronicle.facts) if fits(question, fact))
        return Query(question, answer(question, meant), (meant.line,))


def ask_about(kind: str, gift: Fact) -> Event:
    """Return the question of a kind about a gift."""
    giver, thing, receiver = (gift.person,), gift.thing, gift.to
    if kind == "what_given":
        return Event(kind, who=giver, to=receiver)
    if kind == "who_gave_to":
        return Event(kind, what=thing, to=receiver)
    if kind == "who_given_to":
        return Event(kind, who=giver, what=thing)
    return Event(kind, what=thing)


def fits(question: Event, fact: Fact) -> bool:
    """Say whether a fact is a gift that matches all that the question names."""
    return (
        fact.kind == "give"
        and question.who in ((), (fact.person,))
        and question.what in (None, fact.thing)
        and question.to in (None, fact.to)
    )


def answer(question: Event, gift: Fact) -> str:
    """Return the participant that the question asks for."""
    if question.predicate == "what_given":
        return gift.thing
    return gift.person if question.predicate in ("who_gave", "who_gave_to") else gift.to
