"""Texts answered one after the other in one thread, with limits on size, number and time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any

from babi_cascade.app.ask import AskError, Conversation
from babi_cascade.app.ask.line_parser import LineParser, NewStory, Query, Refused, Statement
from babi_cascade.app.batch.errors import reading_errors
from babi_cascade.app.explanation_text import TOP

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

MOST_SENTENCES = 300
MOST_QUESTIONS = 20
WAITING = 8
"""Texts that may wait for an answer; the next one is told to come later."""


class BusyError(Exception):
    """Too much is asked at once, or for too long."""


class Answering:
    """Answers whole texts.

    Parameters
    ----------
    cascade : the model; it is used by one thread alone
    seconds : after so many the one who asks is told that it took too long
    """

    def __init__(self, cascade: Cascade, seconds: float) -> None:
        self._cascade = cascade
        self._seconds = seconds
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="answering")
        self._places = BoundedSemaphore(WAITING)

    def answer(self, text: str) -> list[dict[str, Any]]:
        """Return the explanations of all questions of a text, in order, in their JSON form."""
        lines = parsed(text)
        if not self._places.acquire(blocking=False):
            raise BusyError("many questions are waiting; ask again in a moment")
        try:
            future = self._thread.submit(self._answer, lines)
        except BaseException:
            self._places.release()
            raise
        future.add_done_callback(lambda _: self._places.release())
        try:
            return future.result(self._seconds)
        except FutureTimeout:
            future.cancel()
            raise BusyError(f"no answer within {self._seconds:g} s; ask less at once") from None

    def close(self) -> None:
        """Take nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _answer(self, lines: list[Statement | Query | NewStory]) -> list[dict[str, Any]]:
        conversation = Conversation(self._cascade)
        explanations = []
        for said in lines:
            if isinstance(said, NewStory):
                conversation.new()
            elif isinstance(said, Statement):
                conversation.tell(said.text)
            else:
                try:
                    explanations.append(conversation.ask(said).to_json(top=TOP))
                except reading_errors() as error:
                    raise AskError(f"{said.text}: {' '.join(str(error).split())}") from error
        conversation.new()
        return explanations


def parsed(text: str) -> list[Statement | Query | NewStory]:
    """Return what a text says; too much of it is refused before anything is done."""
    lines: list[Statement | Query | NewStory] = []
    for said in LineParser(blank_is_new=True).lines(text):
        if isinstance(said, Refused):
            raise AskError(said.reason)
        lines.append(said)
    counts = [
        (sum(isinstance(said, Query) for said in lines), MOST_QUESTIONS, "questions"),
        (sum(isinstance(said, Statement) for said in lines), MOST_SENTENCES, "sentences"),
    ]
    for count, most, what in counts:
        if count > most:
            raise AskError(f"found {count} {what}, expected at most {most} at a time")
    if not counts[0][0]:
        raise AskError("found no question; a sentence that ends in ? is one")
    return lines
