"""Trees as short JSON: what the cache keeps and worker processes send.

Values without field names, since a run over cached stories does little else than read them back. Whatever
is read has the types that were written, and every number of a word or a character is one of the sentence:
all else is a `DamagedEntryError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from babi_cascade.pipeline.trees.model import Token, Tree

_ROW = [str, str, str, str, int, str, str, int, int]


class DamagedEntryError(ValueError):
    """What was read is not what this project writes."""


def compact_json(value: Any) -> str:
    """Return JSON without spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tree_rows(tree: Tree) -> list[Any]:
    """Return a tree as plain lists: its text, and a row a word."""
    rows = [
        [t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel, t.feats, t.start, t.end] for t in tree
    ]
    return [tree.text, rows]


def tree_of_rows(value: Any) -> Tree:
    """Read what `tree_rows` gave."""
    with anything_wrong_is_damage():
        text, rows = value
        require(type(text) is str and type(rows) is list)
        words, end = len(rows), len(text)
        tokens = []
        for number, row in enumerate(rows, 1):
            good = [*map(type, row)] == _ROW and 0 <= row[4] <= words and row[4] != number
            require(good and 0 <= row[7] <= row[8] <= end)
            tokens.append(Token(number, *row))
        return Tree(tuple(tokens), text)


def require(good: bool) -> None:
    """Refuse values that were never written."""
    if not good:
        raise DamagedEntryError("found other values than were written")


@contextmanager
def anything_wrong_is_damage() -> Iterator[None]:
    """Whatever goes wrong while an entry is read, the entry is at fault."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedEntryError(str(error)) from error
