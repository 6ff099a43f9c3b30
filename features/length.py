"""Length bias: how many facts a question of this kind usually rests on."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.extended_group import Attribute
from babi_cascade.features.wording import asked_words

COUNTED = ("no fact", "one fact", "two facts", "three facts")


class LengthBias:
    """One weight for each number of facts and kind of question; numbers not met in training are ruled out."""

    name = "length"
    description = "how many facts are chosen, by the kind of the question"

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Nothing: the encoder counts."""
        return ()

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Nothing: the encoder counts."""
        return ()

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "two facts chosen (question: …)"."""
        kind, size = attribute
        return f"{COUNTED[int(size)]} chosen{asked_words(kind)}"
