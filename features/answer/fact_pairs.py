"""Two facts that follow each other in their slots: this answer, where one says this and the next one that."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import asked_words, match_words


class AnswerFactPairs(AnswerGroup):
    """Two facts that follow each other in their slots, conjoined with the answer."""

    name = "answer-fact-pairs"
    description = "predicates and match of two neighbouring facts, with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """Neighbours in the order of the slots."""
        for (p, one), (q, other) in pairwise(enumerate(case.facts)):
            if one.slot == ANY_FACT:
                return  # a chain is a sum over its facts
            between = match_text(case.between[p, q])
            says = (one.outline.predicate, other.outline.predicate)
            yield ("facts", case.part, one.slot, *says, between)
            yield ("facts asked", case.part, one.slot, *says, between, case.question.kind)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact says “…” and the next one “…”"."""
        _, _, slot, one, other, between, *asked = attribute
        end = asked_words(asked[0]) if asked else ""
        clause = match_words(between, slot, "next fact")
        return f"the {slot} says “{one}” and the next fact “{other}”, {clause}{end}"
