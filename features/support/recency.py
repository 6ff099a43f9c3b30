"""Recency of what the question names: not "5 sentences ago" but "the latest that says this of her"."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import OLDER, ItemCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.outline import match_text
from babi_cascade.features.wording import asked_words, match_words, shape_words


class Recency(SupportGroup):
    """Whether a fact is the latest, the second latest or an older one of its kind."""

    name = "recency"
    description = "whether a fact is the latest one that matches the question in this way"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Rank among the facts of the same match and shape, and for each thing of the question."""
        match, kind = match_text(case.match), case.kind
        yield ("rank", match, kind.shape, case.rank)
        yield ("rank predicate", match, kind.predicate, case.rank)
        yield ("rank asked", match, kind.shape, case.rank, case.question_kind)
        for mention in case.mentions:
            roles = f"{mention.asked_role}={mention.role}"
            yield ("mention", roles, kind.shape, mention.rank)
            yield ("mention asked", roles, kind.shape, mention.rank, case.question_kind)
            yield ("mention predicate", roles, kind.predicate, mention.rank)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the second fact is the latest one where both have the same subject"."""
        template, match, of, rank, *asked = attribute
        what = f"“{of}”" if template.endswith("predicate") else shape_words(of)
        clause = match_words(match, first, second)
        end = asked_words(asked[0]) if asked else ""
        which = "an" if rank == OLDER else "the"
        return f"the {second} is {which} {rank} one ({what}) where {clause}{end}"
