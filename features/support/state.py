"""State features: a fact made what the state of the world says about the question."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import ItemCase
from babi_cascade.features.group import Attribute, SupportGroup
from babi_cascade.features.wording import asked_words


class State(SupportGroup):
    """Which pointer of the state a fact set, where the state says something about the question."""

    name = "state"
    description = "whether a fact made what the learned state of the world says about the question"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """What the fact did, with the kind of the question and with what the fact says."""
        if case.made:
            yield ("made", case.made)
            yield ("made asked", case.made, case.question_kind)
            yield ("made predicate", case.made, case.kind.predicate, case.question_kind)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the first fact set pointer 1"."""
        template, made, *more = attribute
        says = f", which says “{more[0]}”," if template == "made predicate" else ""
        asked = asked_words(more[-1]) if more else ""
        return f"the {second}{says} set what the state rests on: {made}{asked}"
