"""Questions from files and pipes, one by one, in the order of the input, as soon as they are there.

Every question gets an id that says where it stands; what cannot be read is handed on too, in its place.
"""

from __future__ import annotations

import select
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Sentence, StoryError
from babi_cascade.pipeline.stories.babi import asks, parse_babi
from babi_cascade.pipeline.stories.jsonl import parse_jsonl
from babi_cascade.pipeline.stories.lines import ByteStream, Origin, opened
from babi_cascade.pipeline.stories.sources import STANDARD_INPUT, numbered_lines
from babi_cascade.pipeline.stories.strict_json import JsonError, read_json
from babi_cascade.pipeline.stories.tasks import task_of


@dataclass(frozen=True, slots=True)
class FileQuestion:
    """A question, the number of its story in its file, and the line of the file that it stands on."""

    source: str
    story: int
    line: int
    question: Question


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that cannot be answered, and why; ``line`` is None if it is the whole file."""

    source: str
    line: int | None
    said: str
    id: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return the record that takes the place of a prediction."""
        record = {"id": self.id, "error": self.said, "source": self.source, "line": self.line}
        return {name: value for name, value in record.items() if value is not None}


Take = Callable[[FileQuestion | Fault], object]


def read_into(
    take: Take, path: str, *, stream: ByteStream | None = None,
    before_waiting: Callable[[], object] | None = None, unanswered: bool = False,
) -> None:  # fmt: skip
    """Hand every question and every fault of a file to ``take``.

    Parameters
    ----------
    take : gets them in the order of the file
    path : a file, or "-" for standard input
    stream : where the bytes come from, if not from there
    before_waiting : called whenever there is nothing to read for now
    unanswered : whether a bAbI line without TAB that ends in "?" is a question without answer, for those
        who only want to know the answer, and not a statement; nor need the answer of a JSON line be one of
        its choices then
    """
    name = "<stdin>" if path == STANDARD_INPUT else path
    if path == STANDARD_INPUT and stream is None:
        stream = sys.stdin.buffer
    try:
        with ExitStack() as open_files:
            origin: Origin = path
            if stream is None and Path(path).exists() and not Path(path).is_file():
                stream = open_files.enter_context(opened(path, name))  # a pipe with a name
            if stream is not None:
                origin = _Patient(stream, before_waiting or _nothing)
            is_jsonl, lines = open_files.enter_context(numbered_lines(origin, name))
            if is_jsonl:
                _read_jsonl(take, name, id_prefix(path), lines, unanswered=unanswered)
            else:
                _read_babi(take, name, id_prefix(path), lines, unanswered=unanswered)
    except StoryError as error:  # of the whole file: empty, or it cannot be read on
        take(Fault(name, error.line, str(error)))


def questions_of(path: str, *, unanswered: bool = False) -> Iterator[Question]:
    """Yield the questions of a file, see `read_into`; the first thing that is wrong with it is raised."""
    found: list[FileQuestion | Fault] = []
    read_into(found.append, path, unanswered=unanswered)
    for item in found:
        if isinstance(item, Fault):
            raise UserError(item.said)
        yield item.question


def id_prefix(path: str) -> str:
    """Return how the ids of questions without one begin: as in a run, or with the name of the file."""
    if path == STANDARD_INPUT:
        return "stdin"
    task = task_of(Path(path))
    return Path(path).stem if task is None else f"qa{task.number}-{task.split}"


class _Patient:
    """A stream that tells before it makes its reader wait."""

    def __init__(self, stream: ByteStream, before_waiting: Callable[[], object]) -> None:
        self._stream = stream
        self._before_waiting = before_waiting

    def read(self, size: int, /) -> bytes:
        """Give what is there."""
        return self.read1(size)

    def read1(self, size: int, /) -> bytes:
        """Give what is there, at most ``size`` bytes."""
        if not _ready(self._stream):
            self._before_waiting()
        read: Callable[[int], bytes] = getattr(self._stream, "read1", self._stream.read)
        return read(size)


def _ready(stream: Any) -> bool:
    """Tell whether bytes, or the end, can be read at once."""
    try:
        return bool(select.select([stream], [], [], 0)[0])
    except (OSError, ValueError, TypeError):  # nothing that the system could tell about
        return False


def _nothing() -> None:
    """Do nothing before waiting."""


Lines = Iterable[tuple[int, "str | StoryError"]]


class _Watched:
    """Lines, and which of them is being looked at."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.number = 0
        self.text = ""

    def __iter__(self) -> Iterator[tuple[int, str | StoryError]]:
        for number, text in self._lines:
            self.number = number
            self.text = text if isinstance(text, str) else ""
            yield number, text


def _read_jsonl(take: Take, name: str, prefix: str, lines: Lines, *, unanswered: bool) -> None:
    watched = _Watched(lines)

    def fault(error: StoryError) -> None:
        take(Fault(name, error.line, str(error), _id_in(watched.text)))

    found = parse_jsonl(watched, name, fault, unanswered=unanswered)
    for count, (line, question) in enumerate(found, start=1):
        take(FileQuestion(name, count, line, _identified(question, prefix, count)))


def _read_babi(take: Take, name: str, prefix: str, lines: Lines, *, unanswered: bool) -> None:
    watched = _Watched(lines)
    faults = _BabiFaults(take, name, prefix, watched, unanswered)
    for _ in parse_babi(watched, name, faults, faults.sound, unanswered=unanswered):
        pass


class _BabiFaults:
    """Hands on sound questions, and what is wrong, of bAbI text."""

    def __init__(
        self, take: Take, name: str, prefix: str, watched: _Watched, unanswered: bool
    ) -> None:
        self._take = take
        self._name = name
        self._prefix = prefix
        self._watched = watched
        self._unanswered = unanswered
        self._story = 0
        self._whole = False  # whether the story is known to which the next line belongs
        self._cause = 0

    def sound(self, number: int, line: Sentence | Question) -> None:
        """Take a line that is as it should be."""
        if line.line == 1:
            self._story += 1
            self._whole = True
        if isinstance(line, Question):
            asked = _identified(line, self._prefix, self._story)
            self._take(FileQuestion(self._name, self._story, number, asked))

    def __call__(self, error: StoryError) -> None:
        """Take a bad line; a bad question goes alone, any other takes the rest of its story along."""
        head, _, body = self._watched.text.partition(" ")
        self._cause = self._watched.number
        if "\t" not in body or head == "1":
            self._whole = False
        known = self._whole and head.isdecimal() and len(head) < 10
        asked = f"{self._prefix}-{self._story}-{head}" if known else None
        self._take(Fault(self._name, error.line, str(error), asked))

    def dropped(self, lines: int) -> None:
        """Take a sound line that is left out; it matters if it asks something."""
        text = self._watched.text
        if "\t" in text or (self._unanswered and asks(text)):
            number = self._watched.number
            self._take(Fault(
                self._name, number,
                f"{self._name}:{number}: left out, because line {self._cause}, on which the answer "
                "may depend, cannot be read",
            ))  # fmt: skip


def _identified(question: Question, prefix: str, story: int) -> Question:
    if question.id is not None:
        return question
    return replace(question, id=f"{prefix}-{story}-{question.line}")


def _id_in(text: str) -> str | None:
    """Return the id of a JSON line that is wrong in some other way."""
    try:
        record = read_json(text)
    except JsonError:
        return None
    found = record.get("id") if isinstance(record, dict) else None
    return found if isinstance(found, str) else None
