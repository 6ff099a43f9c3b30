"""Fillers by name: this answer, where the fact names that thing. What must be learned by heart."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.wording import asked_words, role_words


class AnswerFillers(AnswerGroup):
    """What fills the roles of the facts, by name, conjoined with the answer."""

    name = "answer-fillers"
    description = "what the facts name in each role, with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """Every role of every fact with its filler."""
        for fact in case.facts:
            for role, filler in fact.outline.roles:
                yield (case.part, fact.slot, role, case.question.kind, filler)

    def named(self, attribute: Attribute) -> tuple[Attribute, str]:
        """Return the role of a fact, for a kind of question, and who or what fills it."""
        *place, filler = attribute
        return tuple(place), filler

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the attr of the first fact is “…”"."""
        _, slot, role, kind, filler = attribute
        return f"the {role_words(role)} of the {slot} is “{filler}”{asked_words(kind)}"
