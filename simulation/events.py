"""What is told and what is asked, before it is put into words.

An event names entities by their ids, never by words, so that one story can be told in any language
and an independent reader can compare what it understood with what was meant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Event(NamedTuple):
    """A statement, or the content of a question: a predicate and its participants.

    ``who`` are people (two for "A and B"), ``what`` a thing, place, shape or kind of animal that is the
    subject or object, ``other`` the second member of a relation ("north of the *kitchen*", "is a
    *mouse*", "is *green*"). ``there`` is the room that the word "there" points to. ``pronoun`` says that
    the people are named by a pronoun.
    """

    predicate: str
    who: tuple[str, ...] = ()
    what: str | None = None
    where: str | None = None
    to: str | None = None
    other: str | None = None
    when: str | None = None
    negated: bool = False
    alternatives: tuple[str, ...] = ()
    there: str | None = None
    pronoun: bool = False


class Asked(NamedTuple):
    """A question with its true answer and the numbers of the lines that support it, in reasoning order."""

    question: Event
    answer: tuple[str, ...]
    support: tuple[int, ...]


class Draft:
    """A story before it has words: statements and questions; line n is ``lines[n - 1]``."""

    __slots__ = ("lines",)

    def __init__(self) -> None:
        self.lines: list[Event | Asked] = []

    def say(self, event: Event) -> int:
        """Add a statement and return its line number."""
        self.lines.append(event)
        return len(self.lines)

    def ask(self, question: Event, answer: tuple[str, ...] | str, support: tuple[int, ...]) -> None:
        """Add a question."""
        if isinstance(answer, str):
            answer = (answer,)
        self.lines.append(Asked(question, answer, support))

    @property
    def questions(self) -> int:
        """How many questions the story has."""
        return sum(isinstance(line, Asked) for line in self.lines)

    def cut_after_question(self, count: int) -> None:
        """Drop everything after the ``count``-th question."""
        seen = 0
        for position, line in enumerate(self.lines):
            seen += isinstance(line, Asked)
            if seen == count:
                del self.lines[position + 1 :]
                return

    def with_insertions(self, block: Callable[[list[Event]], list[tuple[int, Event]]]) -> Draft:
        """Return a copy with statements inserted into each block of statements before a question.

        ``block`` gets the statements since the last question and returns (position, event) pairs;
        support line numbers are moved along.
        """
        told = Draft()
        new_line: dict[int, int] = {}
        pending: list[tuple[int, Event]] = []
        for number, line in enumerate(self.lines, start=1):
            if not isinstance(line, Asked):
                pending.append((number, line))
                continue
            extra = sorted(block([event for _, event in pending]), key=lambda item: item[0])
            for position, (old, event) in enumerate(pending):
                while extra and extra[0][0] <= position:
                    told.say(extra.pop(0)[1])
                new_line[old] = told.say(event)
            for _, event in extra:
                told.say(event)
            pending = []
            support = tuple(new_line[old] for old in line.support)
            told.ask(line.question, line.answer, support)
        for old, event in pending:
            new_line[old] = told.say(event)
        return told
