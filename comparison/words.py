"""How the comparison systems see a text: its words in lower case, without punctuation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from babi_cascade.pipeline.stories import tokenize


def spelled_words(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    return [token for token in tokenize(text) if any(letter.isalnum() for letter in token)]


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [word.lower() for word in spelled_words(text)]


def ngrams(tokens: Sequence[str], longest: int) -> Iterator[str]:
    """Yield every run of 1 to ``longest`` words, the words of a run joined by a space."""
    for length in range(1, min(longest, len(tokens)) + 1):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])
