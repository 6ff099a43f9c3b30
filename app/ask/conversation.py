"""A story that grows while it is told, and answers to questions about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from babi_cascade.app.ask.line_parser import TypedQuestion
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade, Explanation
    from babi_cascade.pipeline.read import ReadQuestion
    from babi_cascade.pipeline.stories.book import Book

MOST_SENTENCES = 2000
KEPT = 5000
"""Sentences that are remembered when a new story begins."""


class Conversation:
    """Takes sentences and questions; lines are numbered as in a bAbI file, questions too.

    A question before anything was told is about ``book``, where there is one.
    """

    def __init__(self, cascade: Cascade, book: Book | None = None) -> None:
        self.cascade = cascade
        self.book = book
        self.facts: list[Sentence] = []
        self._line = 0

    def tell(self, text: str) -> Sentence:
        """Add a sentence to the story."""
        if len(self.facts) >= MOST_SENTENCES:
            raise UserError(f"the story has {MOST_SENTENCES} sentences; begin a new one")
        self._line += 1
        self.facts.append(Sentence(self._line, text))
        return self.facts[-1]

    def ask(self, query: TypedQuestion) -> Explanation:
        """Answer a question about the story so far."""
        if self.book is not None and not self.facts:
            return self.answer(Question(len(self.book) + 1, query.text, None, None, self.book))
        self._line += 1
        known = {fact.line for fact in self.facts}
        support = query.support
        if support is not None and not set(support) <= known:
            support = None  # of a story that was cut, or numbered otherwise
        return self.answer(
            Question(self._line, query.text, query.expected, support, tuple(self.facts))
        )

    def answer(self, question: Question) -> Explanation:
        """Answer a question that brings its own story."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(limits=1):
            return self.cascade.explain_read(self.read(question))

    def warm_up(self) -> None:
        """Load parser and learner now, so that the first question does not wait for them."""
        self.answer(Question(2, "Where is it?", None, None, (Sentence(1, "This is here."),)))

    def read(self, question: Question) -> ReadQuestion:
        """Return a question as the reading stages see it."""
        (asked,) = self.cascade.read([question])
        return asked

    def undo(self) -> Sentence | None:
        """Take back the last sentence."""
        return self.facts.pop() if self.facts else None

    def new(self) -> None:
        """Begin a new story."""
        self.facts = []
        self._line = 0
        self.cascade.forget(KEPT)
