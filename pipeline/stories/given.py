"""What somebody hands to a system as questions, held against what a question is.

Systems are called from notebooks and scripts: a text in the place of a question is the first thing that
people try. It is told in words here rather than by an AttributeError from somewhere inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from babi_cascade.pipeline.stories.model import Question, Sentence

_ADVICE = (
    "read_questions(FILE) reads some from a file, Question(line, text, answer, support, facts) is one, its "
    "facts a list of Sentence(line, text)"
)


def questions_in(given: Any, method: str) -> list[Question]:
    """Return what was given to ``method`` as a list of questions; a TypeError says what it is instead."""
    if isinstance(given, (str, bytes, Mapping, Question)) or not isinstance(given, Iterable):
        raise TypeError(f"{method}: found {_told(given)}, expected a list of Question; {_ADVICE}")
    found = list(given)
    for place, each in enumerate(found, start=1):
        _check(each, f"{method}: element {place}: ")
    return found


def question_in(given: Any, method: str) -> Question:
    """Return what was given to ``method`` as one question; a TypeError says what it is instead."""
    _check(given, f"{method}: ")
    question: Question = given
    return question


def _check(given: Any, where: str) -> None:
    if not isinstance(given, Question):
        raise TypeError(f"{where}found {_told(given)}, expected a Question; {_ADVICE}")
    facts = given.facts
    if isinstance(facts, (str, bytes, Mapping)) or not hasattr(facts, "__len__"):
        raise TypeError(f"{where}found facts that are {_told(facts)}, expected a list; {_ADVICE}")
    # The first fact stands for the others: a story of a thousand is asked about a thousand times.
    if len(facts) and not isinstance(facts[0], Sentence):
        raise TypeError(f"{where}found a fact that is {_told(facts[0])}, expected one; {_ADVICE}")


def _told(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"a text ({value!r:.60})"
    if isinstance(value, Question):
        return f"a single question ({value.text!r:.60})"
    kind = type(value).__name__
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind} ({value!r:.60})"
