"""State features: the candidate is what the state of the world says, or goes with what it says."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase, Place
from babi_cascade.features.answer_parts import LIST
from babi_cascade.features.group import AnswerGroup, Attribute
from babi_cascade.features.wording import asked_words
from babi_cascade.features.world.states import COUNT, WORDS

HEAVY = 6
"""How often an attribute is listed. Facts explain the answers of training as well as the state does, but less
often those of other compositions: where both are right, most of the weight goes to what is listed more."""


class AnswerState(AnswerGroup):
    """What was read out of the state: a candidate by itself, a verdict or a number with each known answer."""

    name = "answer-state"
    description = "whether the learned state of the world says so"
    speaks_alone = True

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """A verdict or a number."""
        said = case.said
        if said is not None and said.word:
            for _ in range(HEAVY):
                yield ("says", case.part, said.readout, said.word, said.right)
                yield ("says asked", case.part, said.readout, said.word, case.question.kind)

    def of_places(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        """Whether the candidate is named."""
        said = case.said
        if said is None:
            return
        inside = candidate in said.values or candidate in said.texts
        if inside or (case.part == LIST and not said.readout.startswith(COUNT)):
            for _ in range(HEAVY):
                yield ("named" if inside else "not named", case.part, said.readout, said.right)
                yield ("named asked" if inside else "not named asked", case.part, said.readout,
                       case.question.kind)  # fmt: skip

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return "the state of the world names it (end of its pointers, …)"."""
        template, _, readout, *more = attribute
        asked = (
            asked_words(more[-1])
            if template.endswith("asked")
            else f" (right in training: {more[-1]})"
        )
        what = WORDS[readout.partition(":")[0]]
        if template.startswith("says"):
            return f"the state of the world says ({what}): {more[0]}{asked}"
        denied = "does not name" if template.startswith("not") else "names"
        return f"the state of the world {denied} it ({what}){asked}"
