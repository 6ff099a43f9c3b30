"""Length: how many facts a question of this kind usually rests on."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.group import Attribute, Rule, SupportGroup
from babi_cascade.features.wording import asked_words

COUNTED = ("no fact", "one fact", "two facts", "three facts")


class Length(SupportGroup):
    """One weight for each number of facts and kind of question; numbers not met in training are ruled out."""

    name = "length"
    description = "how many facts are chosen, by the kind of the question"
    rule = Rule.NUMBERS_OF_KIND

    def of_size(self, kind: str | None, size: int) -> Iterable[Attribute]:
        """The number of facts, for a kind that training had."""
        return () if kind is None else ((kind, str(size)),)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "two facts chosen (question: …)"."""
        kind, size = attribute
        return f"{COUNTED[int(size)]} chosen{asked_words(kind)}"
