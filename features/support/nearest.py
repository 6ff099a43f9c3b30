"""Nearest flags: of the facts that match another fact in one way, the nearest before or after it."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import PairCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import asked_words, match_words, shape_words


class Nearest(SupportGroup):
    """Whether the second of two facts is the nearest, or the last, that matches the first like this."""

    name = "nearest"
    description = "whether a fact is the nearest, or the last, that matches another one in this way"

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Flags with the match and what the facts say, and with the match of the question."""
        if not case.match:
            return
        match, asked = match_text(case.match), match_text(case.question_match)
        shape, place, flags = case.second.shape, case.direction, case.flags.words
        yield ("flags", match, place, flags, shape)
        yield ("flags predicate", match, place, flags, shape, case.first.predicate)
        yield ("flags shape", match, place, flags, shape, case.first.shape)
        yield ("flags asked", match, place, flags, shape, case.first.predicate, case.question_kind)
        flags = case.question_flags.words
        yield ("asked flags", match, place, flags, shape, asked)
        yield ("asked flags predicate", match, place, flags, shape, asked, case.first.predicate)
        back = case.back_flags.words
        yield ("back flags", match, place, back, case.first.shape, shape)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the second fact stands before the first fact, nearest of those where …"."""
        template, match, place, flags, shape, *more = attribute
        one, other = first, second
        if template == "back flags":
            one, other, place = second, first, {"after": "before", "before": "after"}[place]
            shown = f", {shape_words(more[0])}"
        elif template.startswith("asked"):
            shown = f", {match_words(more[0], 'question', second)}"
            shown += "".join(f", after “{predicate}”" for predicate in more[1:])
        elif template == "flags shape":
            shown = f", after {shape_words(more[0])}"
        else:
            shown = "".join(f", after “{predicate}”" for predicate in more[:1])
            shown += "".join(asked_words(kind) for kind in more[1:])
        return (
            f"the {other} stands {place} the {one}, {flags} of those ({shape_words(shape)}) where "
            f"{match_words(match, first, second)}{shown}"
        )
