"""Documents for CoreNLP put together from sentences that it has parsed, in its own protobuf format.

Every question is resolved with all that comes before it, so the released tasks hold 77 times as many
sentences as different ones, and parsing is nine tenths of the work. How CoreNLP tags and parses a sentence
does not depend on its neighbours: each is parsed once, and a document is its sentences with their places
moved. Of the five dependency graphs of a sentence only the one that dcoref reads is kept.

Field numbers are those of ``CoreNLP.proto``, which its makers keep stable.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial

# Of a document, and of a sentence in it.
_TEXT, _SENTENCE = 1, 2
_TOKEN, _FIRST_TOKEN, _PAST_TOKEN, _NUMBER, _FIRST_LETTER, _PAST_LETTER = 1, 2, 3, 4, 5, 6
_LINE, _GRAPH = 20, 17
_OTHER_GRAPHS = frozenset({8, 9, 10, 13, 18})
# Of a token: its letters, and its place among all tokens.
_LETTERS, _PLACES = (11, 12), (17, 18)
# Of a graph, and of a node in it: the number of its sentence.
_NODE, _OF_SENTENCE = 1, 1

_VARINT, _BYTES = 0, 2
_FIXED = {1: 8, 5: 4}

_Place = tuple[int, int, int]
"""Sentences, tokens and letters before a sentence."""


class WireError(ValueError):
    """Bytes are no message of protobuf."""


def sentences_of(answer: bytes) -> list[bytes]:
    """Return the sentences of a document that CoreNLP has written, the first at place 0, without graphs."""
    size, start = _varint(answer, 0)
    if start + size > len(answer):
        raise WireError("cut short")
    found = []
    for field, kind, value in _fields(answer[start : start + size]):
        if field == _SENTENCE and kind == _BYTES and isinstance(value, bytes):
            first = {f: v for f, _, v in _fields(value) if isinstance(v, int)}
            try:
                place = -first[_NUMBER], -first[_FIRST_TOKEN], -first[_FIRST_LETTER]
            except KeyError as error:
                raise WireError("a sentence without its place") from error
            found.append(_moved(value, place))
    return found


def document_of(sentences: Sequence[tuple[str, int, bytes]]) -> bytes:
    """Return a document of sentences, each with its text and number of words, as CoreNLP reads it."""
    number = tokens = letters = 0
    parts = []
    for text, size, parsed in sentences:
        parts.append(_field(_SENTENCE, _placed(parsed, (number, tokens, letters))))
        number, tokens, letters = number + 1, tokens + size, letters + _utf16(text) + 1
    whole = "\n".join(text for text, _, _ in sentences)
    message = b"".join([_field(_TEXT, whole.encode()), *parts])
    return _number(len(message)) + message


@lru_cache(maxsize=4096)
def _placed(sentence: bytes, place: _Place) -> bytes:
    """Move a sentence; the questions about a story share the sentences before them."""
    return _moved(sentence, place)


def _moved(sentence: bytes, place: _Place) -> bytes:
    """Return a sentence with so many more sentences, tokens and letters before it."""
    sentences, tokens, letters = place
    places = {
        _FIRST_TOKEN: tokens,
        _PAST_TOKEN: tokens,
        _NUMBER: sentences,
        _LINE: sentences,
        _FIRST_LETTER: letters,
        _PAST_LETTER: letters,
    }
    inside = {
        _TOKEN: partial(
            _shifted, by=dict.fromkeys(_LETTERS, letters) | dict.fromkeys(_PLACES, tokens)
        ),
        _GRAPH: partial(
            _shifted, by={}, inside={_NODE: partial(_shifted, by={_OF_SENTENCE: sentences})}
        ),
    }
    return _shifted(sentence, places, inside, without=_OTHER_GRAPHS)


def _shifted(
    message: bytes,
    by: Mapping[int, int],
    inside: Mapping[int, Callable[[bytes], bytes]] | None = None,
    without: Collection[int] = (),
) -> bytes:
    """Add to numbers of a message; what lies inside some fields is changed in its own way."""
    parts = []
    for field, kind, value in _fields(message):
        if isinstance(value, int):
            parts.append(_number(field << 3 | kind) + _number(value + by.get(field, 0)))
        elif kind != _BYTES:
            parts.append(_number(field << 3 | kind) + value)
        elif field not in without:
            change = inside.get(field) if inside else None
            parts.append(_field(field, value if change is None else change(value)))
    return b"".join(parts)


def _fields(message: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """Yield field, wire type and value."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        field, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield field, kind, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise WireError(f"a field of type {kind}")
        if at + size > len(message):
            raise WireError("cut short")
        yield field, kind, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise WireError("cut short")


def _number(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    found.append(value)
    return bytes(found)


def _field(field: int, value: bytes) -> bytes:
    return _number(field << 3 | _BYTES) + _number(len(value)) + value


def _utf16(text: str) -> int:
    """Count letters as Java does."""
    return len(text.encode("utf-16-le")) // 2
