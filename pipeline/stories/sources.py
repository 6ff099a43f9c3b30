"""Stories from wherever they are: a path, standard input, a stream, in either format."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath

from babi_cascade.pipeline.stories.babi import parse_babi
from babi_cascade.pipeline.stories.checks import LONGEST_LINE, LONGEST_RECORD
from babi_cascade.pipeline.stories.errors import ErrorHandler, StoryError
from babi_cascade.pipeline.stories.jsonl import parse_jsonl
from babi_cascade.pipeline.stories.lines import (
    BLOCK,
    ByteStream,
    Origin,
    name_of,
    opened,
    read_bytes,
    read_lines,
)
from babi_cascade.pipeline.stories.model import Question, Story

STANDARD_INPUT = "-"
JSONL_NAMES = (".jsonl", ".json", ".ndjson")

NumberedLines = Iterable[tuple[int, "str | StoryError"]]


def read_stories(origin: Origin, *, on_error: ErrorHandler | None = None) -> Iterator[Story]:
    """Give the stories of a path, of "-" (standard input) or of a stream of bytes.

    Files called .jsonl, .json or .ndjson hold JSON lines; anything else is looked at: what begins
    with ``{`` is JSON lines, the rest is bAbI text. A question from JSON lines makes a story of
    its own. `on_error` is for skipping bad lines, as in `parse_babi` and `parse_jsonl`.
    A file that cannot be opened is an error in either case.
    """
    name = _name(origin)
    with numbered_lines(origin, name) as (is_jsonl, lines):
        if is_jsonl:
            for number, question in parse_jsonl(lines, name, on_error):
                yield Story((*question.facts, question), number)
        else:
            yield from parse_babi(lines, name, on_error)


def read_questions(origin: Origin, *, on_error: ErrorHandler | None = None) -> Iterator[Question]:
    """Give the questions of a path, of "-" or of a stream; see `read_stories`."""
    name = _name(origin)
    with numbered_lines(origin, name) as (is_jsonl, lines):
        if is_jsonl:
            for _, question in parse_jsonl(lines, name, on_error):
                yield question
        else:
            for story in parse_babi(lines, name, on_error):
                yield from story.questions


class _Replayed:
    """A stream that gives once more what was read from it to look at it.

    Standard input cannot be wound back.
    """

    def __init__(self, head: bytes, rest: ByteStream, name: str) -> None:
        self._head = head
        self._rest = rest
        self._name = name

    def read(self, size: int, /) -> bytes:
        """Give at most `size` bytes, those already seen first."""
        if self._head:
            given, self._head = self._head[:size], self._head[size:]
            return given
        return read_bytes(self._rest, size, self._name)


@contextmanager
def numbered_lines(origin: Origin, name: str) -> Iterator[tuple[bool, NumberedLines]]:
    """Open a path, "-" or a stream, and tell whether the lines are JSON."""
    if origin == STANDARD_INPUT:
        origin = sys.stdin.buffer
    with opened(origin, name) as stream:
        if isinstance(origin, (str, PathLike)) and fspath(origin).lower().endswith(JSONL_NAMES):
            yield True, read_lines(stream, name, limit=LONGEST_RECORD)
        else:
            head = _head(stream, name)
            is_jsonl = _meaning(head).startswith(b"{")
            limit = LONGEST_RECORD if is_jsonl else LONGEST_LINE
            yield is_jsonl, read_lines(_Replayed(head, stream, name), name, limit=limit)


def _name(origin: Origin) -> str:
    """Say what messages should call the origin."""
    return "<stdin>" if origin == STANDARD_INPUT else name_of(origin)


def _head(stream: ByteStream, name: str) -> bytes:
    """Read until something other than white space comes, or so much of it that it matters not."""
    head = b""
    while len(head) < BLOCK and not _meaning(head):
        chunk = read_bytes(stream, BLOCK, name)
        if not chunk:
            break
        head += chunk
    return head


def _meaning(head: bytes) -> bytes:
    """Give the first bytes that are neither a byte order mark nor white space."""
    # Two bytes of a byte order mark alone decide nothing.
    if len(head) < 3 and b"\xef\xbb\xbf".startswith(head):
        return b""
    return head[:BLOCK].removeprefix(b"\xef\xbb\xbf").lstrip()
