"""Typed and pasted text as statements and questions: a sentence that ends in ``?`` is a question.

Lines of bAbI files are understood too: their numbers are left out, 1 begins a new story, and what stands
behind a TAB is the expected answer with its facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.checks import LONGEST_LINE, character_fault
from babi_cascade.pipeline.stories.lines import ByteStream
from babi_cascade.pipeline.stories.splitting import split_sentences

_NUMBERED = re.compile(r"([1-9]\d{0,8})\s+(\S.*)", re.DOTALL)
_CLOSING = "\"'”’)]"
_MARKS = "?!"
LONGEST_SENTENCE = 2000


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the story."""

    text: str


@dataclass(frozen=True, slots=True)
class TypedQuestion:
    """A question, and what is known of its answer."""

    text: str
    expected: str | None = None
    support: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class NewStory:
    """What was told before no longer counts."""


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A sentence or a line that cannot be taken, and why; what stands around it still counts."""

    reason: str


Item = Statement | TypedQuestion | NewStory | RefusedLine


class LineParser:
    """Turns lines into what they say; remembers whether they are numbered.

    Parameters
    ----------
    blank_is_new : whether an empty line begins a new story, as it does in a file; between lines whose numbers
        go on it does not, as files of stories may have them anywhere
    """

    def __init__(self, *, blank_is_new: bool = False) -> None:
        self.blank_is_new = blank_is_new
        self._last = 0  # number of the last line, 0 in text without numbers
        self._told = False
        self._blank = False  # whether the last line was an empty one that counts

    def lines(self, text: str) -> Iterator[Item]:
        """Yield what several lines say."""
        for line in text.splitlines():
            yield from self.line(line)

    def line(self, line: str) -> Iterator[Item]:
        """Yield what one line says."""
        body, *fields = (" ".join(part.split()) for part in line.split("\t"))
        if not body:
            self._blank = self.blank_is_new
            return
        fault = next(filter(None, map(character_fault, (body, *fields))), None)
        if fault:
            yield RefusedLine(f"found {fault}, expected one line of text")
            return
        number = _NUMBERED.fullmatch(body)
        goes_on = number is not None and self._last and int(number[1]) > self._last
        if self._blank and self._told and not goes_on:
            self.fresh()
            yield NewStory()
        if number and self._counts(int(number[1]), bool(fields)):
            if int(number[1]) == 1 and self._told:
                yield NewStory()
            self._last, body = int(number[1]), number[2]
        self._told, self._blank = True, False
        if fields:
            yield query(body, fields)
        else:
            yield from map(sentence, split_sentences(body))

    def fresh(self) -> None:
        """Begin again: the next line may have a number or none."""
        self._last, self._told, self._blank = 0, False, False

    def _counts(self, number: int, answered: bool) -> bool:
        """Say whether the number at the beginning of a line is that of the line."""
        if self._last:
            return number == 1 or number > self._last
        return answered or (number == 1 and not self._told)


def sentence(text: str) -> Statement | TypedQuestion | RefusedLine:
    """Tell a question from a statement; a statement without an end gets a full stop.

    Of several marks at the end ("?!", "??") any ``?`` makes a question, and one is left of them: that is how
    questions were written in training.
    """
    if len(text) > LONGEST_SENTENCE:
        return RefusedLine(
            f"found a sentence of {len(text)} characters, expected at most {LONGEST_SENTENCE}"
        )
    bare = text.rstrip(_CLOSING + " ")
    unmarked = bare.rstrip(_MARKS)
    if "?" in bare[len(unmarked) :]:
        if not any(map(str.isalnum, bare)):
            return RefusedLine(f"found {text!r}, expected a question in words")
        return TypedQuestion(f"{unmarked}?")
    return Statement(text if bare.endswith((".", "!", "…", ":", ";")) else text + ".")


def query(text: str, fields: list[str]) -> TypedQuestion | RefusedLine:
    """Read a question with the fields of a bAbI line: the answer, and the numbers of its facts."""
    known = fields[1].split() if len(fields) > 1 else None
    if known is not None and not all(part.isdecimal() and len(part) < 10 for part in known):
        return RefusedLine(f"found facts {fields[1]!r}, expected line numbers")
    support = None if known is None else tuple(map(int, known))
    return TypedQuestion(text, fields[0] or None, support)


def text_lines(stream: ByteStream, source: str) -> Iterator[str]:
    """Yield the lines of a pipe as soon as they are there; what is no text is refused with its place."""
    readline = getattr(stream, "readline", None)
    raw: Iterable[bytes] = iter(lambda: readline(LONGEST_LINE + 1), b"") if readline else ()
    for number, line in enumerate(raw, start=1):
        if len(line) > LONGEST_LINE:
            raise UserError(f"{source}:{number}: found a line of more than {LONGEST_LINE} bytes")
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise UserError(
                f"{source}:{number}: not UTF-8 text at byte {error.start + 1}"
            ) from error
