"""The order in which supporting facts are listed: that of the reasoning, as in the released files."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.simulation.check.knowledge import TIMES, Fact
from babi_cascade.simulation.events import Event


def reasoning_order(facts: Sequence[Fact], question: Event) -> tuple[int, ...]:
    """Return the lines of the supporting facts in the order in which the question uses them.

    Questions that are not named here list their facts as the story does.
    """
    kind = question.predicate
    ordered = sorted(facts, key=lambda fact: fact.line)
    if kind in ("where_thing", "thing_in_room"):
        ordered.sort(key=lambda fact: fact.event.what != question.what)
    elif kind == "where_thing_before":
        ordered.sort(key=lambda fact: (fact.event.what != question.what, -fact.line))
    elif kind == "where_person_before":
        ordered.sort(key=lambda fact: (-_slot(fact), -fact.line))
    elif kind == "where_person_after":
        ordered.sort(key=lambda fact: (_slot(fact), fact.line))
    elif kind == "what_carried":
        touched = [fact.event.what for fact in ordered]
        ordered.sort(key=lambda fact: touched.index(fact.event.what))
    elif kind == "afraid_of_what":
        ordered.sort(key=lambda fact: fact.event.predicate != "be_a")
    elif kind == "which_colour":
        ordered.sort(
            key=lambda fact: (fact.event.predicate != "be_a", fact.event.who != question.who)
        )
    elif kind == "does_fit":
        ordered = _chain(ordered, question.other)
    elif kind == "which_way" or kind.startswith("is_"):
        ordered = _chain(ordered, question.what)
    return tuple(fact.line for fact in ordered)


def _slot(fact: Fact) -> int:
    return TIMES.index(fact.event.when) if fact.event.when in TIMES else 0


def _chain(facts: list[Fact], start: str | None) -> list[Fact]:
    """Order relations so that each shares a member with the one before, beginning at ``start``."""
    left, ordered, at = list(facts), [], start
    while left:
        step = next((f for f in left if at in (f.event.what, f.event.other)), left[0])
        left.remove(step)
        ordered.append(step)
        at = step.event.other if step.event.what == at else step.event.what
    return ordered
