"""The labeller's file: arrays and a JSON header in one ``.npz``, no pickle, checked when loaded.

Vectors of features are stored as signed bytes with a scale a row, matrices as 16-bit numbers: nothing
measurable is lost, and the file stays under the 4 MB that may ship.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from babi_cascade.pipeline.srl.model_header import FORMAT, read_header
from babi_cascade.pipeline.srl.model_header import LabellerError as LabellerError
from babi_cascade.pipeline.srl.network import Floats, Network, Table


def save_network(path: Path, network: Network, header: dict[str, Any]) -> None:
    """Write a network with a header that says how it came to be."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, table in (("words", network.words), ("pairs", network.pairs)):
        arrays |= {f"{name}.{part}": array for part, array in _packed(table).items()}
    for name, weights in network.weights.items():
        arrays[f"network.{name}"] = weights.astype(np.float16)
    arrays["nominal"] = np.array(sorted(network.nominal), dtype=np.uint32)
    full = header | {"format": FORMAT, "roles": list(network.roles), "sha256": _digest(arrays)}
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


def load_network(path: Path) -> tuple[Network, dict[str, Any]]:
    """Read what `save_network` wrote; anything else is refused with the reason."""
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
        weights = {
            name.removeprefix("network."): array.astype(np.float32)
            for name, array in arrays.items()
            if name.startswith("network.")
        }
        roles = tuple(map(str, header["roles"]))
        if weights["roles.weight"].shape[0] != len(roles):
            raise ValueError(f"{len(roles)} roles for {weights['roles.weight'].shape[0]} scores")
        nominal = frozenset(map(int, arrays["nominal"]))
        words, pairs = _unpacked("words", arrays), _unpacked("pairs", arrays)
        network = Network(words, pairs, weights, roles, nominal)
    except (KeyError, ValueError, IndexError, TypeError, AttributeError) as error:
        raise LabellerError(f"{path}: damaged: {error!r}") from error
    return network, header


def table(checksums: NDArray[Any], vectors: Floats) -> Table:
    """Make a table from the checksums of its features and their vectors."""
    padded = np.vstack([vectors, np.zeros((1, vectors.shape[1]))]).astype(np.float32)
    return Table({int(c): row for row, c in enumerate(checksums)}, padded)


def _packed(known: Table) -> dict[str, NDArray[Any]]:
    order = np.array(sorted(known.rows), dtype=np.uint32)
    vectors = known.vectors[[known.rows[int(c)] for c in order]]
    scales = np.maximum(np.abs(vectors).max(axis=1), 1e-6) / 127
    return {
        "features": order,
        "vectors": np.round(vectors / scales[:, None]).astype(np.int8),
        "scales": scales.astype(np.float32),
    }


def _unpacked(name: str, arrays: dict[str, NDArray[Any]]) -> Table:
    vectors = arrays[f"{name}.vectors"] * arrays[f"{name}.scales"][:, None]
    return table(arrays[f"{name}.features"], vectors.astype(np.float32))


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
