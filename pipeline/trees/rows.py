"""Trees as short JSON: what the cache keeps and worker processes send.

Values without field names, since a run over cached stories does little else than read them back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babi_cascade.pipeline.trees.model import Token, Tree


def compact_json(value: Any) -> str:
    """Return JSON without spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tree_rows(tree: Tree) -> list[Any]:
    """Return a tree as plain lists: its text, and a row a word."""
    rows = [
        [t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel, t.feats, t.start, t.end] for t in tree
    ]
    return [tree.text, rows]


def tree_of_rows(value: Sequence[Any]) -> Tree:
    """Read what `tree_rows` gave."""
    text, rows = value
    return Tree(tuple([Token(number, *row) for number, row in enumerate(rows, 1)]), text)
