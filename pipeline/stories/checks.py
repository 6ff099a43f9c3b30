"""What both file formats can carry, checked in one place so that neither says more than the other.

A text has no control characters and no line breaks of any kind (many programs would cut a line
there), is not empty and has no white space around it. Line numbers ascend, and support points to
earlier statements only.
"""

from __future__ import annotations

import re
from collections.abc import Container

from babi_cascade.pipeline.stories.errors import StoryError, shown
from babi_cascade.pipeline.stories.model import Question, Sentence

LARGEST_ID = 999_999_999
LONGEST_LINE = 1 << 20
LONGEST_RECORD = 1 << 26
"""Bytes of a line of JSON, which holds a whole story."""

# Inside a line: C0 and C1 controls, the Unicode line and paragraph separators, lone surrogates.
# In a line a TAB may stand between fields, in a text it may not.
_SEPARATORS = "\u2028\u2029\ud800-\udfff"
FORBIDDEN_IN_LINE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_SEPARATORS}]")
FORBIDDEN_IN_TEXT = re.compile(f"[\x00-\x1f\x7f-\x9f{_SEPARATORS}]")

TEXT = "one line of text"


def character_fault(text: str) -> str | None:
    """Say which character of a text no story file can carry; None when there is none."""
    bad = FORBIDDEN_IN_TEXT.search(text)
    if bad is None:
        return None
    return f"the character U+{ord(bad[0]):04X} at column {bad.start() + 1} of {shown(text)}"


def text_fault(text: str) -> str | None:
    """Say what keeps a text from being written and read back as it is; None when nothing does."""
    if not text:
        return "an empty text"
    if text != text.strip():
        return f"white space around {shown(text)}"
    return character_fault(text)


def check_sentence(sentence: Sentence, after: int, source: str) -> None:
    """Refuse a statement that cannot be written after the line numbered `after`."""
    _check_ascends(sentence.line, after, source)
    fault = text_fault(sentence.text)
    if fault:
        raise StoryError(source, sentence.line, fault, TEXT)


def check_question(question: Question, after: int, known: Container[int], source: str) -> None:
    """Refuse a question that cannot be written after line `after`, where `known` can support it."""
    _check_ascends(question.line, after, source)
    fault = text_fault(question.text)
    if fault:
        raise StoryError(source, question.line, fault, "a question in " + TEXT)
    if question.answer is not None:
        fault = text_fault(question.answer)
        if fault:
            raise StoryError(source, question.line, fault, "an answer in " + TEXT)
    if question.pad and (question.pad.strip() or character_fault(question.pad)):
        found = f"the pad {shown(question.pad)}"
        raise StoryError(source, question.line, found, "white space without TABs and line breaks")
    choices = question.choices
    if choices is not None:
        faults = filter(None, map(text_fault, choices))
        fault = next(faults, None) if choices else "no choices"
        if fault:
            raise StoryError(source, question.line, fault, "choices in " + TEXT)
        if len(set(choices)) != len(choices):
            raise StoryError(source, question.line, "a choice twice", "each choice once")
        if question.answer is not None and question.answer not in choices:
            found = f"the answer {shown(question.answer)}"
            raise StoryError(source, question.line, found, "one of the choices")
    support = question.support or ()
    for line in support:
        if line not in known:
            found = f"support {line}"
            raise StoryError(source, question.line, found, "numbers of earlier statements")
    if len(set(support)) != len(support):
        found = f"support {', '.join(map(str, support))}"
        raise StoryError(source, question.line, found, "each number once")


def check_length(text: str, line: int | None, source: str, longest: int = LONGEST_LINE) -> None:
    """Refuse a finished line that is too long to be read back."""
    # No character takes more than four bytes, so that most lines need no encoding to be measured.
    if len(text) * 4 > longest and len(text.encode()) > longest:
        expected = f"at most {longest} bytes"
        raise StoryError(source, line, f"a line of {len(text.encode())} bytes", expected)


def _check_ascends(line: int, after: int, source: str) -> None:
    """Refuse a line number that does not continue the story."""
    if not after < line <= LARGEST_ID:
        expected = f"a number over {after}" if line <= after else f"at most {LARGEST_ID}"
        raise StoryError(source, line, f"line number {line}", expected)
