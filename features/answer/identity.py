"""Identity features: this answer, where the facts say such a thing and match the question like that."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import MANY, asked_words, facts_words, match_words


class AnswerIdentity(AnswerGroup):
    """Predicates and matches of the facts, conjoined with the answer; additive over the facts.

    A sum over facts is enough to count, to walk a way and to weigh signed displacements.
    """

    name = "answer-identity"
    description = "what the facts say and how they match the question, with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """The question's kind, and every fact with its predicate and match."""
        asked, part = case.question.kind, case.part
        yield ("asked", part, asked)
        yield ("size", part, str(min(len(case.facts), MANY)), asked)
        for fact in case.facts:
            match, predicate = match_text(fact.match), fact.outline.predicate
            yield ("match", part, fact.slot, match)
            yield ("match asked", part, fact.slot, match, asked)
            yield ("predicate", part, fact.slot, predicate, asked)
            yield ("fact", part, fact.slot, predicate, match)
            yield ("fact asked", part, fact.slot, predicate, match, asked)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact says “be in” …"."""
        template, _, *rest = attribute
        if template == "asked":
            return f"the question is: {rest[0]}"
        if template == "size":
            there = "there is" if rest[0] == "1" else "there are"
            return f"{there} {facts_words(rest[0])}{asked_words(rest[1])}"
        slot, *more = rest
        said = ""
        if template in ("predicate", "fact", "fact asked"):
            said = f" says “{more.pop(0)}”"
        if template != "predicate":
            clause = match_words(more.pop(0), "question", slot)
            said = f"{said}, {clause}" if said else f": {clause}"
        return f"the {slot}{said}{asked_words(more[0]) if more else ''}"
