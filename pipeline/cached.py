"""What the cache keeps of each stage as one text, and how it is read back.

Somebody else may have written into the file: what is read is held against the sentence or story that it is
the annotation of, and all that does not fit is a `DamagedEntryError`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from babi_cascade.pipeline.coref.model import ALLOWED, Clusters, Mention
from babi_cascade.pipeline.frames.model import WH, YES_NO, Frame
from babi_cascade.pipeline.trees import Tree
from babi_cascade.pipeline.trees.rows import (
    anything_wrong_is_damage,
    compact_json,
    require,
    tree_of_rows,
    tree_rows,
)

_MENTION = [int, int, int, int, str, str, str, int, str]
_FRAME = {
    "predicate": str, "token": int, "arguments": list, "negated": bool, "time": str, "question": str,
    "asks": dict, "unplaced": list,
}  # fmt: skip
_ARGUMENT = {
    "role": str, "relation": str, "phrase": str, "head": str, "head_id": int, "span": list,
    "text": str, "conjoined": bool, "alternative": bool,
}  # fmt: skip
_ASKED = {"word": str, "relation": str, "role": str, "phrase": str, "token": int}


def kept_texts(sentences: Sequence[str]) -> str:
    """Return the sentences of a text."""
    return compact_json(list(sentences))


def texts_of(value: str, text: str) -> list[str]:
    """Read the sentences of a text."""
    with anything_wrong_is_damage():
        found = json.loads(value)
        require(type(found) is list and all(type(each) is str for each in found))
        require(_letters("".join(found)) == _letters(text))
        return list(found)


def kept_tree(tree: Tree) -> str:
    """Return a tree."""
    return compact_json(tree_rows(tree))


def tree_of(value: str, sentence: str) -> Tree:
    """Read the tree of a sentence."""
    with anything_wrong_is_damage():
        tree = tree_of_rows(json.loads(value))
        require(_letters(tree.text) == _letters(sentence))
        return tree


def kept_clusters(clusters: Clusters) -> str:
    """Return the entities of a story: a row a mention, its fields in order."""
    fields = Mention.__slots__
    return compact_json(
        [[[getattr(m, name) for name in fields] for m in entity] for entity in clusters]
    )


def clusters_of(value: str, story: Sequence[Tree]) -> Clusters:
    """Read the entities of a story."""
    with anything_wrong_is_damage():
        entities = json.loads(value)
        require(type(entities) is list and all(entities))
        allowed = [ALLOWED[name] for name in Mention.__slots__[4:]]
        for entity in entities:
            require(type(entity) is list)
            for row in entity:
                require([*map(type, row)] == _MENTION)
                sentence, start, end, head, *attributes = row
                require(0 <= sentence < len(story))
                words = len(story[sentence])
                require(1 <= start <= end <= words and 1 <= head <= words)
                require(all(own in known for own, known in zip(attributes, allowed, strict=True)))
        return Clusters(tuple([tuple([Mention(*row) for row in entity]) for entity in entities]))


def kept_frames(frames: Sequence[Frame]) -> str:
    """Return the frames of a sentence."""
    return compact_json([frame.to_json() for frame in frames])


def frames_of(value: str, tree: Tree) -> tuple[Frame, ...]:
    """Read the frames of a sentence."""
    with anything_wrong_is_damage():
        records = json.loads(value)
        require(type(records) is list)
        for record in records:
            _check_frame(record, len(tree))
        return tuple([Frame.from_json(record) for record in records])


def _check_frame(frame: Any, words: int) -> None:
    """Frames index their tree; 0 stands for no word."""
    _check_fields(frame, _FRAME)
    numbers = [frame["token"]]
    for argument in frame["arguments"]:
        _check_fields(argument, _ARGUMENT)
        span = argument["span"]
        require(all(type(number) is int for number in span))
        numbers += [argument["head_id"], *span]
    for each in frame.get("unplaced", ()):
        require([*map(type, each)] == [str, str])
    if "asks" in frame:
        _check_fields(frame["asks"], _ASKED)
        numbers.append(frame["asks"]["token"])
    require(frame.get("question", WH) in (WH, YES_NO))
    require(min(numbers) >= 0 and max(numbers) <= words)


def _check_fields(record: Any, kinds: dict[str, type]) -> None:
    for name, value in record.items():
        require(type(value) is kinds[name])


def _letters(text: str) -> str:
    """Return a text without white space, which a parser may change."""
    return "".join(text.split())
