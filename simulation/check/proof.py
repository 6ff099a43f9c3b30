"""Proving a story: every answer must follow from the text, and from the supporting facts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from babi_cascade.simulation.check.knowledge import (
    Answer,
    contradictions,
    reader_answer,
    shared_cells,
)
from babi_cascade.simulation.check.order import reasoning_order
from babi_cascade.simulation.check.pronouns import Told, resolved
from babi_cascade.simulation.check.reading import Comprehension

WHOLE_HISTORY = ("how_many_carried", "what_carried")
"""Questions whose supporting facts are all that ever involved the person, not a smallest set."""


OVERTAKEN = (
    "where_person", "where_thing", "person_in_room", "thing_in_room", "what_given", "who_gave",
    "who_gave_to", "who_received", "who_given_to",
)  # fmt: skip
"""Questions that the latest statement decides, not an earlier one that happens to say the same."""


class Line(NamedTuple):
    """A line of a story as it stands in a file; a statement has no answer."""

    number: int
    text: str
    answer: str | None = None
    support: tuple[int, ...] = ()


@dataclass
class Report:
    """What was found: ``problems`` are untrue or unreadable, ``notes`` merely odd."""

    questions: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, other: Report, where: str) -> None:
        """Take over what was found elsewhere, saying where."""
        self.questions += other.questions
        self.problems += [f"{where}: {problem}" for problem in other.problems]
        self.notes += [f"{where}: {note}" for note in other.notes]


def check_story(lines: Sequence[Line], language: Comprehension) -> Report:
    """Read a story from its words and prove its answers and supporting facts."""
    report = Report()
    told: list[Told] = []
    goals = {
        entity.id: (entity.room, entity.thing)
        for entity in language.lexicon.entities.values()
        if entity.kind == "states"
    }
    for line in lines:
        if line.answer is None:
            understood = language.statement(line.text)
            if understood is None:
                report.problems.append(f"line {line.number}: cannot be read: {line.text!r}")
            else:
                told.append(Told(line.number, *understood))
            continue
        report.questions += 1
        problem = disproof(line, told, goals, language)
        if problem is not None:
            report.problems.append(f"line {line.number}: {line.text!r} {problem}")
    facts = resolved(told, language.genders)
    report.problems += contradictions(facts)
    report.notes += shared_cells(facts)
    return report


def disproof(
    line: Line, told: list[Told], goals: dict[str, tuple[str, str]], language: Comprehension
) -> str | None:
    """Return why the answer or its support does not hold, or None when both do."""
    asked = language.question(line.text)
    if asked is None:
        return "is a question that cannot be read"
    given = language.answer(line.answer or "")
    if given is None:
        return f"has an answer that cannot be read: {line.answer!r}"
    question = asked.event

    def follows_from(some: Sequence[Told]) -> Answer:
        return reader_answer(resolved(some, language.genders), question, goals)

    true = follows_from(told)
    if true != given:
        return f"is answered {line.answer!r}, but the story says {shown(true)}"
    chosen = [fact for fact in told if fact.line in line.support]
    if len(chosen) != len(line.support):
        return f"has support {line.support}, which are not all statements before it"
    if line.support != reasoning_order(resolved(chosen, language.genders), question):
        return f"has support {line.support}, which is not the order of the reasoning"
    if question.predicate in WHOLE_HISTORY:
        person = question.who[0]
        involved = {
            line
            for line, event in resolved(told, language.genders)
            if event.what and person in (*event.who, event.to)
        }
        if involved != set(line.support):
            return f"has support {line.support}, expected all that {person} handled: {sorted(involved)}"
        return None
    if follows_from(chosen) != given:
        return f"does not follow from its support {line.support} alone"
    since = [fact for fact in told if fact.line > max(line.support, default=0)]
    if question.predicate in OVERTAKEN and follows_from(since) == given:
        return f"has support {line.support}, which was overtaken by what was said since"
    for fact in chosen:
        if follows_from([other for other in chosen if other is not fact]) == given:
            return f"has support {line.support}, of which line {fact.line} is not needed"
    return None


def shown(answer: Answer) -> str:
    """Return an answer as a person would read it."""
    return "nothing about it" if answer is None else ",".join(answer)
