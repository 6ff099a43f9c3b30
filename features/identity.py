"""Identity features: this answer, where the facts say such a thing and match the question like that."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from babi_cascade.features.answer_case import ANY_FACT, AnswerCase
from babi_cascade.features.extended_group import Attribute, told
from babi_cascade.features.wording import MANY, asked_words, facts_words, match_words


class Identity:
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
            match, predicate = told(fact.match), fact.outline.predicate
            yield ("match", part, fact.slot, match)
            yield ("match asked", part, fact.slot, match, asked)
            yield ("predicate", part, fact.slot, predicate, asked)
            yield ("fact", part, fact.slot, predicate, match)
            yield ("fact asked", part, fact.slot, predicate, match, asked)

    def say(self, attribute: Attribute) -> str:
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


class FactPairs:
    """Two facts that follow each other in their slots, conjoined with the answer."""

    name = "answer-fact-pairs"
    description = "predicates and match of two neighbouring facts, with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """Neighbours in the order of the slots."""
        for (p, one), (q, other) in pairwise(enumerate(case.facts)):
            if one.slot == ANY_FACT:
                return  # a chain is a sum over its facts
            between = told(case.between[p, q])
            says = (one.outline.predicate, other.outline.predicate)
            yield ("facts", case.part, one.slot, *says, between)
            yield ("facts asked", case.part, one.slot, *says, between, case.question.kind)

    def say(self, attribute: Attribute) -> str:
        """Return "the first fact says “…” and the next one “…”"."""
        _, _, slot, one, other, between, *asked = attribute
        end = asked_words(asked[0]) if asked else ""
        clause = match_words(between, slot, "next fact")
        return f"the {slot} says “{one}” and the next fact “{other}”, {clause}{end}"
