"""What the answer groups see: question, chosen facts, and where a candidate stands in them."""

from __future__ import annotations

from dataclasses import dataclass

from babi_cascade.features.outline import Match, Outline
from babi_cascade.features.world.states import Said
from babi_cascade.pipeline.read import ReadSentence

ANY_FACT = "fact"


@dataclass(frozen=True, slots=True)
class ChosenFact:
    """A fact in its slot, and its match with the question."""

    slot: str
    outline: Outline
    match: Match


@dataclass(frozen=True, slots=True)
class AnswerCase:
    """A question with its chosen facts; ``between`` has the match of facts p < q.

    ``sentences`` are the question and the facts as they were read.

    ``said`` is what the state of the world says about the question.

    ``part`` says what is looked for: the whole answer, an item of a list, a position of a sequence.
    """

    question: Outline
    facts: tuple[ChosenFact, ...]
    between: dict[tuple[int, int], Match]
    part: str
    sentences: tuple[ReadSentence, ...]
    said: Said | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a candidate is found: in which fact (by number) and role; ``form`` tells lemma from text."""

    fact: int
    role: str
    form: str
