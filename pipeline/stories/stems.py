"""Words as an index knows them: what a parser may give the same lemma has the same stem.

A stem may join words that have nothing to do with each other ("does" and "doe"), never the other way round:
whoever looks a name up finds too many sentences rather than too few.
"""

from __future__ import annotations

import re
from functools import lru_cache

PLURALS = {
    "mice": "mouse", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "teeth": "tooth", "geese": "goose", "people": "person", "oxen": "ox", "lice": "louse",
}  # fmt: skip
"""Irregular plurals of English, for words that a dictionary lemmatizer has never seen."""

_INSIDE = re.compile(r"['’-]")


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the stem of one lower-case word."""
    word = PLURALS.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 4 and word.endswith("ve"):  # knives; leave too, which does no harm
        word = word[:-2] + "f"
    if len(word) > 3 and word.endswith("ie"):
        word = word[:-2] + "y"
    if len(word) > 2 and word.endswith("fe"):
        word = word[:-1]
    return word.rstrip("e") or word


@lru_cache(maxsize=1 << 17)
def stems(token: str) -> tuple[str, ...]:
    """Return the stems in a word as it is written: "Ana's" has two."""
    return tuple([stem(part) for part in _INSIDE.split(token.lower()) if part])
