"""Running text as sentences, without a parser: the same in a file, in a shell and in Python."""

from __future__ import annotations

import re

_ABBREVIATIONS = r"(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\b[A-Z]\.)"
_BETWEEN = re.compile(rf"((?<=[.!?])[\"'”’)\]]*){_ABBREVIATIONS}\s+(?=\S)")


def split_sentences(text: str) -> list[str]:
    """Split text at its line breaks and after full stops, question and exclamation marks."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return [part for line in lines if line for part in _BETWEEN.sub(r"\1\n", line).split("\n")]
