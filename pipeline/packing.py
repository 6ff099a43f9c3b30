"""Trees, frames and entities as short JSON: what the cache keeps and worker processes send.

Values without field names, since a run over cached stories does little else than read them back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babi_cascade.pipeline.coref import Clusters, Mention
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.trees import Token, Tree


def packed(value: Any) -> str:
    """Return JSON without spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pack_tree(tree: Tree) -> list[Any]:
    """Return a tree as plain lists: its text, and a row a word."""
    rows = [
        [t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel, t.feats, t.start, t.end] for t in tree
    ]
    return [tree.text, rows]


def unpack_tree(value: Sequence[Any]) -> Tree:
    """Read what `pack_tree` gave."""
    text, rows = value
    return Tree(tuple([Token(number, *row) for number, row in enumerate(rows, 1)]), text)


def pack_sentence(tree: Tree, frames: Sequence[Frame]) -> str:
    """Return the annotation of a sentence as one text."""
    return packed([pack_tree(tree), [frame.to_json() for frame in frames]])


def unpack_sentence(text: str) -> tuple[Tree, tuple[Frame, ...]]:
    """Read what `pack_sentence` gave."""
    tree, frames = json.loads(text)
    return unpack_tree(tree), tuple([Frame.from_json(frame) for frame in frames])


def pack_clusters(clusters: Clusters) -> str:
    """Return the entities of a story as one text: a row a mention, its fields in order."""
    fields = Mention.__slots__
    return packed([[[getattr(m, name) for name in fields] for m in entity] for entity in clusters])


def unpack_clusters(text: str) -> Clusters:
    """Read what `pack_clusters` gave."""
    return Clusters(
        tuple([tuple([Mention(*row) for row in entity]) for entity in json.loads(text)])
    )
