"""Who is meant by he, she and they, as a reader finds out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from babi_cascade.simulation.check.knowledge import Fact
from babi_cascade.simulation.events import Event


class Told(NamedTuple):
    """A statement as it was understood: pronouns are still open, but agree with somebody."""

    line: int
    event: Event
    agreement: str = ""


def resolved(told: Sequence[Told], genders: Mapping[str, str]) -> list[Fact]:
    """Replace every pronoun by whom it refers to: the nearest people before it that agree with it.

    A pronoun that finds nobody stands for somebody unknown: the fact then tells nothing about anybody.
    """
    facts: list[Fact] = []
    for line, event, agreement in told:
        if event.pronoun:
            antecedents = (fact.event.who for fact in reversed(facts))
            who = next((who for who in antecedents if agrees(who, agreement, genders)), ())
            event = event._replace(who=who)
        facts.append(Fact(line, event))
    return facts


def agrees(people: tuple[str, ...], agreement: str, genders: Mapping[str, str]) -> bool:
    """Say whether a pronoun of that gender and number can refer to the people."""
    if agreement == "pl" or len(people) != 1:
        return agreement == "pl" and len(people) > 1
    return agreement in ("", genders[people[0]])
