"""Words of the question: one indicator for each, conjoined with the answer."""

from __future__ import annotations

from collections.abc import Iterable

from babi_cascade.pipeline.read import ReadSentence


class QuestionWords:
    """The "words" of appendix B's response stage; it looks at the question alone."""

    name = "answer-question-words"
    description = "each word of the question with the answer"

    def of_question(self, question: ReadSentence) -> Iterable[str]:
        """Return the distinct words of the question."""
        return question.words

    def say(self, attribute: str) -> str:
        """Return a word in quotes."""
        return f"“{attribute}” in the question"
