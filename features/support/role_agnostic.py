"""Role-agnostic back-off: the same recency where only being mentioned counts, for when roles are misread."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import AFTER, BEFORE, ItemCase, PairCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.support.role_match import loosely
from babi_cascade.features.wording import role_words, shape_words


class RoleAgnostic(SupportGroup):
    """Which parts of one sentence are mentioned anywhere in the other, and whether for the last time."""

    name = "role-agnostic"
    description = "recency and nearness where only being mentioned counts, whatever the role"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Parts of the question that are mentioned."""
        parts, kind = loosely(case.match), case.kind
        yield ("mentions", parts, case.loose_rank, kind.shape)
        yield ("mentions predicate", parts, case.loose_rank, kind.predicate)
        for mention in case.mentions:
            yield ("any mention", mention.asked_role, mention.any_rank)
            yield ("any mention shape", mention.asked_role, mention.any_rank, kind.shape)
            yield ("any mention predicate", mention.asked_role, mention.any_rank, kind.predicate)

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Parts of the first fact that the second mentions."""
        parts, place = loosely(case.match), case.direction
        flags = case.flags.words if parts else ""
        yield ("mentions", parts, place, flags)
        yield ("mentions predicate", parts, place, flags, case.first.predicate, case.second.shape)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact mentions the subject of the question (latest, …)"."""
        template, parts, at, *rest = attribute
        roles = " and the ".join(role_words(part) for part in parts.split("; ") if part)
        what = f"the {roles} of the {first}" if roles else f"nothing of the {first}"
        if at in (BEFORE, AFTER):  # of two facts
            flags, *more = rest
            told = [f"{at} it", f"{flags} of those" if flags else ""]
            if template == "mentions predicate":
                predicate, shape = more
                told += [f"after “{predicate}”", shape_words(shape)]
        elif template.endswith("predicate"):
            told = [at, f"“{rest[0]}”"]
        else:
            told = [at, *map(shape_words, rest)]
        return f"the {second} mentions {what} ({'; '.join(filter(None, told))})"
