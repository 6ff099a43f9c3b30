"""What the extended answer groups see: question, chosen facts, and where a candidate stands in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from babi_cascade.features.extended_group import Attribute
from babi_cascade.features.outline import Outline, Signature

ANY_FACT = "fact"


@dataclass(frozen=True, slots=True)
class ChosenFact:
    """A fact in its slot, and its role equality with the question."""

    slot: str
    outline: Outline
    match: Signature


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """A question with its chosen facts; ``between`` has the role equality of facts p < q.

    ``part`` says what is looked for: the whole answer, an item of a list, a position of a sequence.
    """

    question: Outline
    facts: tuple[ChosenFact, ...]
    between: dict[tuple[int, int], Signature]
    part: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a candidate is found: in which fact (by number) and role; ``form`` tells lemma from text."""

    fact: int
    role: str
    form: str


@runtime_checkable
class ContextGroup(Protocol):
    """Features that are conjoined with the answer: each attribute has a weight for every answer."""

    name: str
    description: str

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """Return the attributes of a question with its facts; one listed twice counts twice."""
        ...

    def say(self, attribute: Attribute) -> str:
        """Return an attribute in words."""
        ...


@runtime_checkable
class CopyGroup(Protocol):
    """Features of where a candidate stands, whatever it is called."""

    name: str
    description: str

    def of_places(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        """Return the attributes of a candidate that stands in these places (none: in no fact)."""
        ...

    def say(self, attribute: Attribute) -> str:
        """Return an attribute in words."""
        ...
