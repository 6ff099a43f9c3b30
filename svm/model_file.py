"""One-file models: a JSON header and arrays, checked in every part before anything is believed.

Layout: eight bytes of magic, the length of the header (little-endian 64 bit), the header (UTF-8 JSON), the
bytes of the arrays one after the other. The header names every array with type, shape, place and SHA-256, and
carries ``meta``, any JSON value that the owner of the model wants to keep; its last two entries are its own
SHA-256 and the version of the format. Nothing is ever unpickled.

Memory is taken in steps, and each step is paid for by the file before it is made:

1. the header's checksum and version are read off its bytes: what is damaged is never parsed;
2. what parsing can take is counted (`svm.parse_cost`) and may not be more than the file, and a little;
3. sizes in the header are held against the size of the file, then each array is read to where it stays.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.errors import UserError
from babi_cascade.svm.parse_cost import parse_cost

MAGIC = b"BABICASC"
VERSION = 2
TYPES = ("<f8", "<f4", "<i8", "<i4")
MOST_DIMENSIONS = 32
LARGEST_EMPTY = 2**31
SPARE = 1_000_000
"""Bytes that the parsed header of any model may take besides as many as its file has."""

_PREFIX = len(MAGIC) + 8
_ADVICE = "expected a model that babi-cascade saved"
_TAIL = re.compile(rb', "sha256": "([0-9a-f]{64})"(, "version": ([^"]{1,40}|"[^"]{0,40}")\})\Z')
_LONGEST_TAIL = 200


class ModelFileError(UserError):
    """A model file that cannot be used; the text says which, and what is wrong with it."""

    def __init__(self, path: Path, problem: str, advice: str = _ADVICE) -> None:
        super().__init__(f"{path}: {problem}; {advice}")


def save_model(path: Path, arrays: Mapping[str, NDArray[Any]], meta: Any) -> None:
    """Write a model, in full or not at all."""
    parts, listed, offset = [], {}, 0
    for name, array in sorted(arrays.items()):
        kind = np.dtype(array.dtype).newbyteorder("<").str
        if kind not in TYPES:
            raise TypeError(f"array {name!r}: found type {kind}, expected one of {TYPES}")
        data = np.ascontiguousarray(array, dtype=kind).tobytes()
        listed[name] = {
            "type": kind,
            "shape": list(array.shape),
            "offset": offset,
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        parts.append(data)
        offset += len(data)
    header = header_bytes({"version": VERSION, "arrays": listed, "meta": meta})
    if parse_cost(header) > _PREFIX + len(header) + offset + SPARE:
        raise ModelFileError(path, "the header would take more memory than the file has")
    draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with draft.open("xb") as stream:
            stream.write(MAGIC + len(header).to_bytes(8, "little") + header)
            stream.writelines(parts)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def header_bytes(body: Mapping[str, Any]) -> bytes:
    """Return a header with its checksum: that of all its bytes but the checksum's own entry."""
    text = json.dumps(body, ensure_ascii=False, sort_keys=True).encode()
    told = hashlib.sha256(text).hexdigest()
    return json.dumps({**body, "sha256": told}, ensure_ascii=False, sort_keys=True).encode()


def load_model(path: Path) -> tuple[dict[str, NDArray[Any]], Any]:
    """Read a model; whatever is not as it was saved is refused with ModelFileError."""
    try:
        opened = path.open("rb")
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror}") from error
    with opened as stream:
        size = os.fstat(stream.fileno()).st_size
        prefix = stream.read(_PREFIX)
        if len(prefix) < _PREFIX or prefix[: len(MAGIC)] != MAGIC:
            raise ModelFileError(path, "found no model file")
        length = int.from_bytes(prefix[len(MAGIC) :], "little")
        if length > size - _PREFIX:
            raise ModelFileError(path, "the file ends before its header does")
        body = _header(path, stream, length, size)
        expected = 0
        for name, entry in body["arrays"].items():
            _check_entry(path, name, entry, expected)
            expected += entry["bytes"]
        if expected != size - _PREFIX - length:
            found = size - _PREFIX - length
            raise ModelFileError(path, f"found {found} bytes of arrays, expected {expected}")
        arrays = {name: _array(path, name, entry, stream) for name, entry in body["arrays"].items()}
    return arrays, body["meta"]


def _header(path: Path, stream: BufferedReader, length: int, size: int) -> dict[str, Any]:
    """Read, check and only then parse the header."""
    data = stream.read(length)
    tail = _TAIL.search(data, max(0, len(data) - _LONGEST_TAIL))
    if tail is None:
        raise ModelFileError(path, "the header is damaged")
    if tail[3] != str(VERSION).encode():
        found = tail[3].decode(errors="replace").encode("unicode_escape").decode()
        raise ModelFileError(
            path, f"found version {found} of the format, this program reads {VERSION}; "
            "train the model again",
        )  # fmt: skip
    summed = hashlib.sha256(memoryview(data)[: tail.start()])
    summed.update(tail[2])
    if summed.hexdigest().encode() != tail[1]:
        raise ModelFileError(path, "the header is damaged")
    if parse_cost(data) > size + SPARE:
        raise ModelFileError(path, "the header would take more memory than the file has")
    try:
        text = data.decode()
        del data, tail  # one form of it at a time
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(path, "the header is damaged") from error
    if not isinstance(body, dict) or not isinstance(body.get("arrays"), dict) or "meta" not in body:
        raise ModelFileError(path, "the header is damaged")
    return body


def _array(path: Path, name: str, entry: Mapping[str, Any], stream: BufferedReader) -> NDArray[Any]:
    """Read an array to where it stays; nothing is copied."""
    array = np.empty(entry["shape"], entry["type"])
    data = array.reshape(-1).view(np.uint8).data
    if stream.readinto(data) != entry["bytes"]:
        raise ModelFileError(path, "the file became shorter while it was read")
    if hashlib.sha256(data).hexdigest() != entry.get("sha256"):
        raise ModelFileError(path, f"array {name!r} is damaged")
    native = array.dtype.newbyteorder("=")
    return array if array.dtype == native else array.astype(native)


def _check_entry(path: Path, name: str, entry: Any, offset: int) -> None:
    """Refuse an entry whose parts do not fit together."""
    good = (
        isinstance(entry, dict)
        and entry.get("type") in TYPES
        and isinstance(entry.get("shape"), list)
        and len(entry["shape"]) <= MOST_DIMENSIONS
        and all(type(n) is int and n >= 0 for n in entry["shape"])
        and type(entry.get("bytes")) is int
        and entry.get("offset") == offset
        and math.prod(entry["shape"]) * np.dtype(entry["type"]).itemsize == entry["bytes"]
        # An array without elements may still have sides, but none that numpy could not count.
        and math.prod(max(n, 1) for n in entry["shape"]) <= max(entry["bytes"], LARGEST_EMPTY)
    )
    if not good:
        raise ModelFileError(path, f"array {name!r} is wrongly described")
