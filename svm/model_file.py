"""One-file models: a JSON header and arrays, checked in every part before anything is believed.

Layout: eight bytes of magic, the length of the header (little-endian 64 bit), the header (UTF-8 JSON), the
bytes of the arrays one after the other. The header names every array with type, shape, place and SHA-256, and
carries ``meta``, any JSON value that the owner of the model wants to keep. Nothing is ever unpickled, and no
more is allocated than the file itself holds.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"BABICASC"
VERSION = 1
TYPES = ("<f8", "<f4", "<i8", "<i4")
MOST_DIMENSIONS = 32
LARGEST_EMPTY = 2**31
_PREFIX = len(MAGIC) + 8
_ADVICE = "expected a model that babi-cascade saved"


class ModelFileError(ValueError):
    """A model file that cannot be used; the text says which, and what is wrong with it."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}; {_ADVICE}")


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
    body = {"version": VERSION, "arrays": listed, "meta": meta}
    body["sha256"] = _header_sum(body)
    header = json.dumps(body, ensure_ascii=False, sort_keys=True).encode()
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


def load_model(path: Path) -> tuple[dict[str, NDArray[Any]], Any]:
    """Read a model; whatever is not as it was saved is refused with ModelFileError."""
    with path.open("rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        prefix = stream.read(_PREFIX)
        if len(prefix) < _PREFIX or prefix[: len(MAGIC)] != MAGIC:
            raise ModelFileError(path, "found no model file")
        length = int.from_bytes(prefix[len(MAGIC) :], "little")
        if length > size - _PREFIX:
            raise ModelFileError(path, "the file ends before its header does")
        body = _header(path, stream.read(length))
        data_size = size - _PREFIX - length
        arrays, expected = {}, 0
        for name, entry in body["arrays"].items():
            _check_entry(path, name, entry, expected)
            expected += entry["bytes"]
        if expected != data_size:
            raise ModelFileError(path, f"found {data_size} bytes of arrays, expected {expected}")
        for name, entry in body["arrays"].items():
            data = stream.read(entry["bytes"])
            if hashlib.sha256(data).hexdigest() != entry["sha256"]:
                raise ModelFileError(path, f"array {name!r} is damaged")
            array = np.frombuffer(data, dtype=entry["type"]).reshape(entry["shape"])
            arrays[name] = array.astype(array.dtype.newbyteorder("="))
    return arrays, body["meta"]


def _header(path: Path, data: bytes) -> dict[str, Any]:
    try:
        body = json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise ModelFileError(path, "the header is damaged") from error
    if not isinstance(body, dict) or "version" not in body:
        raise ModelFileError(path, "the header is damaged")
    if body["version"] != VERSION:
        raise ModelFileError(
            path, f"found version {body['version']!r} of the format, this program reads {VERSION}; "
            "train the model again",
        )  # fmt: skip
    told = body.pop("sha256", None)
    try:
        found = _header_sum(body)
    except RecursionError as error:
        raise ModelFileError(path, "the header is damaged") from error
    if told != found or not isinstance(body.get("arrays"), dict) or "meta" not in body:
        raise ModelFileError(path, "the header is damaged")
    return body


def _header_sum(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


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
