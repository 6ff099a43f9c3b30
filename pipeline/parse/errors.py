"""The error of parsing: one line that says what is wrong and what to do."""

from __future__ import annotations

from babi_cascade.pipeline.errors import ReadingError


class ParserError(ReadingError):
    """The parser cannot be used; the message says what is missing and the command that gets it."""
