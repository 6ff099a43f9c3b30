"""What can go wrong with serving, and how the server's own errors are told."""

from __future__ import annotations

import sys

from babi_cascade.pipeline.stories.errors import escaped


class NotLoadedError(Exception):
    """The model process ended before it was ready; it has told why, and ``code`` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"the model could not be loaded (exit code {code})")
        self.code = code


class BusyError(Exception):
    """Too much is asked at once, or for too long; worth another try."""


class FailedError(Exception):
    """A text that could not be answered although it should have been; the terminal has been told why."""


class GoneError(Exception):
    """Nobody waits for the answer any more."""


def complain(text: str) -> None:
    """Tell an error of the server on stderr; a traceback may quote what a client sent, so it is escaped."""
    lines = [escaped(line) for line in text.splitlines()]
    print("\n".join(lines), file=sys.stderr, flush=True)
