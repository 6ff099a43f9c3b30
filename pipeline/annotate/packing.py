"""Trees, frames and entities as short JSON: what the cache keeps and worker processes send.

Values without field names, since a run over cached stories does little else than read them back. Whatever
is read has the types that were packed, and every number of a word or a character is one of the sentence:
all else is a `DamagedEntryError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from babi_cascade.pipeline.coref import Clusters, Mention
from babi_cascade.pipeline.coref.model import ALLOWED
from babi_cascade.pipeline.srl import Frame
from babi_cascade.pipeline.srl.frames import WH, YES_NO
from babi_cascade.pipeline.trees import Token, Tree

_ROW = [str, str, str, str, int, str, str, int, int]
_MENTION = [int, int, int, int, str, str, str, int, str]
_FRAME = {
    "predicate": str, "token": int, "arguments": list, "negated": bool, "time": str, "question": str,
    "asks": dict,
}  # fmt: skip
_ARGUMENT = {
    "role": str, "relation": str, "phrase": str, "head": str, "head_id": int, "span": list,
    "text": str, "conjoined": bool, "alternative": bool,
}  # fmt: skip
_ASKED = {"word": str, "relation": str, "role": str, "phrase": str, "token": int}


class DamagedEntryError(ValueError):
    """What was read is not what this module writes."""


def packed(value: Any) -> str:
    """Return JSON without spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pack_tree(tree: Tree) -> list[Any]:
    """Return a tree as plain lists: its text, and a row a word."""
    rows = [
        [t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel, t.feats, t.start, t.end] for t in tree
    ]
    return [tree.text, rows]


def unpack_tree(value: Any) -> Tree:
    """Read what `pack_tree` gave."""
    with _anything_wrong_is_damage():
        return _tree(value)


def pack_sentence(tree: Tree, frames: Sequence[Frame]) -> str:
    """Return the annotation of a sentence as one text."""
    return packed([pack_tree(tree), [frame.to_json() for frame in frames]])


def unpack_sentence(text: str) -> tuple[Tree, tuple[Frame, ...]]:
    """Read what `pack_sentence` gave."""
    with _anything_wrong_is_damage():
        rows, frames = json.loads(text)
        tree = _tree(rows)
        _require(type(frames) is list)
        for frame in frames:
            _check_frame(frame, len(tree))
        return tree, tuple([Frame.from_json(frame) for frame in frames])


def pack_clusters(clusters: Clusters) -> str:
    """Return the entities of a story as one text: a row a mention, its fields in order."""
    fields = Mention.__slots__
    return packed([[[getattr(m, name) for name in fields] for m in entity] for entity in clusters])


def unpack_clusters(text: str, sizes: Sequence[int]) -> Clusters:
    """Read what `pack_clusters` gave of a story whose sentences have so many words."""
    with _anything_wrong_is_damage():
        entities = json.loads(text)
        _require(type(entities) is list and all(entities))
        allowed = [ALLOWED[name] for name in Mention.__slots__[4:]]
        for entity in entities:
            _require(type(entity) is list)
            for row in entity:
                _require([*map(type, row)] == _MENTION)
                sentence, start, end, head, *attributes = row
                _require(0 <= sentence < len(sizes))
                _require(1 <= start <= end <= sizes[sentence] and 1 <= head <= sizes[sentence])
                _require(
                    all(value in known for value, known in zip(attributes, allowed, strict=True))
                )
        return Clusters(tuple([tuple([Mention(*row) for row in entity]) for entity in entities]))


def pack_texts(texts: Sequence[str]) -> str:
    """Return the sentences of a text as one text."""
    return packed(list(texts))


def unpack_texts(text: str) -> list[str]:
    """Read what `pack_texts` gave."""
    with _anything_wrong_is_damage():
        found = json.loads(text)
        _require(type(found) is list and all(type(each) is str for each in found))
        return list(found)


def _tree(value: Any) -> Tree:
    text, rows = value
    _require(type(text) is str and type(rows) is list)
    words, end = len(rows), len(text)
    tokens = []
    for number, row in enumerate(rows, 1):
        good = [*map(type, row)] == _ROW and 0 <= row[4] <= words and row[4] != number
        _require(good and 0 <= row[7] <= row[8] <= end)
        tokens.append(Token(number, *row))
    return Tree(tuple(tokens), text)


def _check_frame(frame: Any, words: int) -> None:
    """Frames index their tree; 0 stands for no word."""
    _check_fields(frame, _FRAME)
    numbers = [frame["token"]]
    for argument in frame["arguments"]:
        _check_fields(argument, _ARGUMENT)
        span = argument["span"]
        _require(all(type(number) is int for number in span))
        numbers += [argument["head_id"], *span]
    if "asks" in frame:
        _check_fields(frame["asks"], _ASKED)
        numbers.append(frame["asks"]["token"])
    _require(frame.get("question", WH) in (WH, YES_NO))
    _require(min(numbers) >= 0 and max(numbers) <= words)


def _check_fields(record: Any, kinds: dict[str, type]) -> None:
    for name, value in record.items():
        _require(type(value) is kinds[name])


def _require(good: bool) -> None:
    if not good:
        raise DamagedEntryError("found other values than were packed")


@contextmanager
def _anything_wrong_is_damage() -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedEntryError(str(error)) from error
