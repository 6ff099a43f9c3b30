"""Time expressions: "yesterday" beside "this morning", whatever the order in which they are told."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import match_words


class Times(SupportGroup):
    """The time that a fact gives, and those of two facts that match."""

    name = "times"
    description = "the times that facts give, one beside the other"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Time of a fact, with its match; whether it is the one that the question names."""
        if case.same_time is not None:
            yield ("asked", "the same" if case.same_time else "another", match_text(case.match))
        if case.kind.time:
            yield ("time", case.kind.time, match_text(case.match))

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Times of two facts."""
        if case.first.time or case.second.time:
            yield ("times", case.first.time, case.second.time, match_text(case.match))

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact is “yesterday”, the second fact “this morning”"."""
        if attribute[0] == "asked":
            _, which, match = attribute
            return f"the {second} has {which} time as the question, {match_words(match, first, second)}"
        if attribute[0] == "time":
            _, time, match = attribute
            return f"the {second} is “{time}”, {match_words(match, first, second)}"
        one, other = (f"“{time}”" if time else "without a time" for time in attribute[1:3])
        match = match_words(attribute[3], first, second)
        return f"the {first} is {one}, the {second} {other}, {match}"
