"""Running text as sentences, without a parser: the same in a file, in a shell and in Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ABBREVIATIONS = r"(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)"
_BETWEEN = re.compile(rf"((?<=[.!?])[\"'”’)\]]*){_ABBREVIATIONS}\s+(?=\S)")
_PARAGRAPHS = re.compile(r"\n\s*\n")
_UNWRITABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def split_sentences(text: str) -> list[str]:
    """Split text at its line breaks and after full stops, question and exclamation marks."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [part for line in lines if line for part in _BETWEEN.sub(r"\1\n", line).split("\n")]


def split_book(text: str) -> Iterator[str]:
    """Yield the sentences of a text whose lines may be broken anywhere: only empty lines end a paragraph.

    Characters that no story file can carry are blanks.
    """
    for paragraph in _PARAGRAPHS.split(text):
        line = " ".join(paragraph.split())
        if line:
            parts = _BETWEEN.sub(r"\1\n", line).split("\n")
            yield from (_UNWRITABLE.sub(" ", part).strip() or "-" for part in parts)
