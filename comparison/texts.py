"""How the comparison systems see questions: words in lower case without punctuation, rows of numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from babi_cascade.pipeline.stories import Prefix, Question, tokenize


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


def texts_of(questions: Sequence[Question]) -> set[str]:
    """Return every different sentence of questions and their stories."""
    facts = {fact.text for asked in questions for fact in asked.facts}
    return facts | {asked.text for asked in questions}


def padded(rows: Sequence[Sequence[int]], filling: int) -> NDArray[np.int64]:
    """Return rows of one length, at least 1, so that nothing needs a special case for empty ones."""
    width = max([1, *map(len, rows)])
    table = np.full((len(rows), width), filling, dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table


def story_numbers(questions: Sequence[Question]) -> NDArray[np.int64]:
    """Number the story of each question, so that held-out questions come from stories not trained on."""
    numbers: dict[tuple[str, int], int] = {}
    return np.array(
        [numbers.setdefault(_story_key(q, i), len(numbers)) for i, q in enumerate(questions)],
        dtype=np.int64,
    )


def _story_key(asked: Question, index: int) -> tuple[str, int]:
    facts = asked.facts
    return ("story", facts.story) if isinstance(facts, Prefix) else ("question", index)
