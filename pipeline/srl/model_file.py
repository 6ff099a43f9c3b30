"""The labeller's file: arrays and a JSON header in one ``.npz``, no pickle, checked when loaded.

A linear model is stored sparsely: the checksums of the features it knows, how many weights each has,
and for each weight its class (one byte) and its value (one signed byte times a common scale). 8 bits
lose nothing measurable and keep the file under the 4 MB that may ship.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.pipeline.srl.model_header import FORMAT, read_header
from babi_cascade.pipeline.srl.model_header import LabellerError as LabellerError

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class LinearModel:
    """Scores of the classes for sets of features: ``weights[row of feature] -> one score a class``.

    ``weights`` has one row more than there are features: the last is zero and stands for all features
    that the model does not know.
    """

    classes: tuple[str, ...]
    rows: dict[int, int]
    weights: Floats

    def scores(self, instances: list[list[int]]) -> Floats:
        """Return an array (instances × classes) for instances given as checksums of features."""
        unknown = len(self.weights) - 1
        rows = [self.rows.get(c, unknown) for checksums in instances for c in checksums]
        if not rows:
            return np.zeros((len(instances), len(self.classes)), dtype=np.float32)
        # Every instance has at least the bias feature, so no segment is empty (reduceat needs that).
        starts = np.cumsum([0] + [len(i) for i in instances[:-1]])
        return np.add.reduceat(self.weights[np.array(rows)], starts, axis=0)


def save_models(path: Path, models: dict[str, LinearModel], header: dict[str, Any]) -> None:
    """Write named linear models with a header that says how they came to be."""
    arrays: dict[str, NDArray[Any]] = {}
    sizes: dict[str, Any] = {}
    for name, model in models.items():
        arrays |= {f"{name}.{part}": array for part, array in _packed(model).items()}
        scale = float(np.abs(model.weights).max()) / 127 or 1.0
        sizes[name] = {"classes": list(model.classes), "scale": scale}
    full = header | {"format": FORMAT, "models": sizes, "sha256": _digest(arrays)}
    text = json.dumps(full, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        # Fixed dates: the same training gives the same bytes.
        _add(archive, "header.json", text.encode())
        for name, array in arrays.items():
            _add(archive, f"{name}.npy", _npy(array))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(buffer.getvalue())
    partial.replace(path)


def load_models(path: Path) -> tuple[dict[str, LinearModel], dict[str, Any]]:
    """Read what `save_models` wrote; anything else is refused with the reason."""
    header = read_header(path)
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = {
                name.removesuffix(".npy"): np.load(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name != "header.json"
            }
    except Exception as error:  # zlib.error and struct.error are neither ValueError nor OSError
        raise LabellerError(f"{path}: not a role model, or a damaged one: {error}") from error
    if header.get("sha256") != _digest(arrays):
        raise LabellerError(f"{path}: damaged: the arrays do not fit the checksum in the header")
    try:
        models = {name: _unpacked(name, size, arrays) for name, size in header["models"].items()}
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise LabellerError(f"{path}: damaged: {error!r}") from error
    return models, header


def linear_model(classes: tuple[str, ...], checksums: NDArray[Any], weights: Floats) -> LinearModel:
    """Make a model from the checksums of its features and their rows of weights."""
    padded = np.vstack([weights, np.zeros((1, len(classes)), dtype=np.float32)]).astype(np.float32)
    return LinearModel(classes, {int(c): row for row, c in enumerate(checksums)}, padded)


def _packed(model: LinearModel) -> dict[str, NDArray[Any]]:
    scale = float(np.abs(model.weights).max()) / 127 or 1.0
    order = np.array(sorted(model.rows), dtype=np.uint32)
    rows = np.array([model.rows[int(c)] for c in order], dtype=np.int64)
    quantised = np.round(model.weights[rows] / scale).astype(np.int8)
    kept = np.flatnonzero(quantised.any(axis=1))
    quantised, order = quantised[kept], order[kept]
    feature, which = np.nonzero(quantised)
    return {
        "features": order,
        "counts": np.bincount(feature, minlength=len(order)).astype(np.uint8),
        "classes": which.astype(np.uint8),
        "values": quantised[feature, which],
    }


def _unpacked(name: str, size: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> LinearModel:
    classes = tuple(size["classes"])
    features = arrays[f"{name}.features"]
    weights = np.zeros((len(features), len(classes)), dtype=np.float32)
    feature = np.repeat(np.arange(len(features)), arrays[f"{name}.counts"])
    weights[feature, arrays[f"{name}.classes"]] = arrays[f"{name}.values"] * np.float32(
        size["scale"]
    )
    return linear_model(classes, features, weights)


def _digest(arrays: dict[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _npy(array: NDArray[Any]) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
