"""Words of the question: one indicator for each, conjoined with the answer."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.features.answer_case import AnswerCase
from babi_cascade.features.group import AnswerGroup, Attribute


class AnswerQuestionWords(AnswerGroup):
    """The "words" of appendix B's response stage; it looks at the question alone."""

    name = "answer-question-words"
    description = "each word of the question with the answer"

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """The distinct words of the question."""
        return (("word", case.part, word) for word in case.sentences[0].words)

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return a word in quotes."""
        return f"“{attribute[2]}” in the question"
