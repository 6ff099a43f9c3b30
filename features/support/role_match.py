"""Role equality: which role of one sentence is filled by the same as which role of the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.outline import Match, match_text
from babi_cascade.features.wording import asked_words, match_words, shape_words


class RoleMatch(SupportGroup):
    """The set of (role in a, role in b) with equal fillers, alone and with shapes and predicates."""

    name = "role-match"
    description = "which roles of two sentences have the same filler, with their predicates"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Match of the question with a fact."""
        match = match_text(case.match)
        yield ("match", match)
        yield ("match shape", match, case.kind.shape)
        yield ("match predicate", match, case.kind.predicate)
        yield ("match asked", match, case.kind.predicate, case.question_kind)
        yield ("asked predicate", case.kind.predicate, case.question_kind)
        yield ("asked shape", case.kind.shape, case.question_kind)

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Match of two facts."""
        match = match_text(case.match)
        yield ("match", match, case.direction)
        yield ("match shape", match, case.first.shape, case.second.shape, case.direction)
        yield ("match predicate", match, case.first.predicate, case.second.predicate)
        yield (
            "match asked", match, case.first.predicate, case.second.predicate,
            match_text(case.question_match),
        )  # fmt: skip

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return the match in words."""
        template, *rest = attribute
        if template == "asked predicate":
            return f"the {second} says “{rest[0]}”{asked_words(rest[1])}"
        if template == "asked shape":
            return f"the {second} has {shape_words(rest[0])}{asked_words(rest[1])}"
        match, *more = rest
        clause = match_words(match, first, second)
        if template == "match":
            return clause + (f", the {second} {more[0]} the {first}" if more else "")
        if template == "match shape":
            *shapes, place = more if len(more) > 1 else (*more, "")
            shown = " and ".join(f"({shape_words(shape)})" for shape in shapes)
            return f"{clause}, with {shown}" + (f", the {second} {place}" if place else "")
        end = ""
        if template == "match asked":  # a kind of question beside one fact, a match beside two
            *more, last = more
            paired = len(more) > 1
            end = f", {match_words(last, 'question', second)}" if paired else asked_words(last)
        said = " and ".join(f"“{predicate}”" for predicate in more)
        return f"{clause}, saying {said}{end}"


@lru_cache(maxsize=4096)
def loosely(match: Match) -> str:
    """Return only which roles of the first sentence are met in the second."""
    return "; ".join(dict.fromkeys(role for role, _ in match))
