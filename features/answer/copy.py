"""Copy features: the candidate fills this role of that fact."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase, Place
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import MANY, asked_words, facts_words, match_words, role_words


class AnswerCopy(AnswerGroup):
    """Where a candidate stands, with what the fact says and how it matches the question.

    It knows nothing of the candidate's name, so it works for names never met in training.
    """

    name = "answer-copy"
    description = (
        "which role of which fact the candidate fills, and how that fact matches the question"
    )

    def of_places(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        """Attributes of each place, and of the candidate's roles in the question."""
        asked, size = case.question.kind, str(min(len(case.facts), MANY))
        in_question = [role for role, filler in case.question.roles if filler == candidate]
        if not places:
            yield ("nowhere", case.part)
        for role in in_question:
            yield ("in question", role, case.part)
        for place in places:
            fact = case.facts[place.fact]
            match, predicate = match_text(fact.match), fact.outline.predicate
            at = (case.part, fact.slot, place.role)
            yield ("place", *at, size, place.form)
            yield ("place asked", *at, size, asked)
            # Whatever the preposition: what is known of "to" is a guess for "in".
            function = (case.part, fact.slot, place.role.partition(":")[0])
            yield ("place", *function, size, place.form)
            yield ("place asked", *function, size, asked)
            yield ("place predicate", *at, predicate)
            yield ("place match", *at, match)
            yield ("place match asked", *at, match, asked)
            yield ("place match predicate", *at, match, predicate)
        for one in places:
            for other in places:
                if one.fact < other.fact:
                    yield ("both", case.part, case.facts[one.fact].slot, one.role,
                           case.facts[other.fact].slot, other.role)  # fmt: skip

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "it is the obl:to of the second fact, …"."""
        template, *rest = attribute
        if template == "nowhere":
            return "it stands in no chosen fact"
        if template == "in question":
            return f"it is the {role_words(rest[0])} of the question"
        if template == "both":
            _, one, role, other, role_too = rest
            return (
                f"it is the {role_words(role)} of the {one} and the {role_words(role_too)} "
                f"of the {other}"
            )
        _, slot, role, *more = rest
        start = f"it is the {role_words(role)} of the {slot}"
        if template == "place":
            size, form = more
            return f"{start}, with {facts_words(size)} in all, as {form}"
        if template == "place asked":
            return f"{start}, with {facts_words(more[0])} in all{asked_words(more[1])}"
        if template == "place predicate":
            return f"{start}, which says “{more[0]}”"
        clause = match_words(more[0], "question", slot)
        if template == "place match asked":
            return f"{start}, where {clause}{asked_words(more[1])}"
        said = f", which says “{more[1]}”" if len(more) > 1 else ""
        return f"{start}{said}, where {clause}"
