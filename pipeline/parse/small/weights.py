"""Model files of Stanza read without torch: weights as arrays, vocabularies as they are.

A file is a zip archive with a pickle and the bytes of the weights. The pickle may name nothing but what
weights need (compare `model_files`), and what it names is replaced by functions of this file.
"""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float32]]

_KINDS = {
    "HalfStorage": np.float16, "FloatStorage": np.float32, "DoubleStorage": np.float64,
    "LongStorage": np.int64, "IntStorage": np.int32,
}  # fmt: skip


class UnreadableError(Exception):
    """The file is not one of the kind that is read here."""


def read_model(path: Path) -> dict[str, Any]:
    """Return what `torch.load` would, with arrays for tensors; raise UnreadableError for any other file."""
    data = path.read_bytes()
    if not data.startswith(b"PK\x03\x04"):
        raise UnreadableError(path)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {info.filename.split("/", 1)[1]: info for info in archive.infolist()}
            if any(info.compress_type != zipfile.ZIP_STORED for info in names.values()):
                raise UnreadableError(path)
            values = _Reader(archive, names).load()
    except UnreadableError:
        raise
    except Exception as error:  # a damaged file; Stanza's side tells what is wrong with it
        raise UnreadableError(path) from error
    if not isinstance(values, dict):
        raise UnreadableError(path)
    return values


class _Reader(pickle.Unpickler):
    """Makes arrays and plain values; every other name ends the reading."""

    def __init__(self, archive: zipfile.ZipFile, names: dict[str, zipfile.ZipInfo]) -> None:
        self.archive, self.names = archive, names
        if names.get("byteorder") and archive.read(names["byteorder"]) != b"little":
            raise UnreadableError
        super().__init__(io.BytesIO(archive.read(names["data.pkl"])))

    def find_class(self, module: str, name: str) -> Any:
        """Return what stands for a name that weights need."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _array
        if (module, name) == ("_codecs", "encode"):
            return _bytes
        if module == "torch" and name in _KINDS:
            return _KINDS[name]
        raise UnreadableError(f"{module} {name}")

    def persistent_load(self, pid: Any) -> Any:
        """Return the flat numbers of a tensor: ("storage", kind, key, place, size)."""
        _, kind, key, _, size = pid
        flat = np.frombuffer(self.archive.read(self.names[f"data/{key}"]), kind)
        if len(flat) != size:
            raise UnreadableError
        return flat


def _bytes(text: str, _encoding: str) -> bytes:
    """Return bytes, which these pickles write as text."""
    return text.encode("latin-1")


def _array(
    flat: Any, start: int, shape: tuple[int, ...], strides: tuple[int, ...], *_more: Any
) -> Any:
    """Return a tensor's numbers in its shape; only whole ones in their natural order."""
    size = int(np.prod(shape))
    natural = tuple(int(np.prod(shape[place + 1 :])) for place in range(len(shape)))
    if tuple(strides) != natural and size > 1:
        raise UnreadableError
    return flat[start : start + size].reshape(shape)
