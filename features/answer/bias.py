"""Bias: how frequent an answer is."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute


class AnswerBias(AnswerGroup):
    """One weight for each answer, whatever the question and the facts."""

    name = "answer-bias"
    description = "how often it is the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """There for every question."""
        yield ("bias", case.part)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return what it is."""
        return self.description
