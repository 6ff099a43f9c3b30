"""Model files: what was saved comes back; whatever was changed is refused, and nothing is unpickled."""

from __future__ import annotations

import hashlib
import random
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from babi_cascade.svm.model_file import (
    MAGIC,
    SPARE,
    VERSION,
    ModelFileError,
    header_bytes,
    load_model,
    save_model,
)

ARRAYS = {"weights": np.linspace(-1, 1, 40), "codes": np.arange(7, dtype=np.int64)}
META = {"answers": ["pier", "größer"], "cost": 0.1, "nothing": None}


def header_of(path: Path) -> bytes:
    data = path.read_bytes()
    return data[16 : 16 + int.from_bytes(data[8:16], "little")]


def write(path: Path, header: bytes) -> None:
    path.write_bytes(MAGIC + len(header).to_bytes(8, "little") + header)


def refused(path: Path) -> tuple[str, int]:
    """Return why a file is refused, and how much memory that took."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError) as caught:
            load_model(path)
        return str(caught.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save_model(path, ARRAYS, META)
    return path


def test_a_model_comes_back_as_it_was(saved: Path) -> None:
    found, meta = load_model(saved)
    assert meta == META
    assert list(found) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


@given(
    array=arrays.arrays(
        st.sampled_from([np.float64, np.float32, np.int64, np.int32]),
        arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
    ),
    meta=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5
    ),
)
def test_any_array_and_any_text_come_back(
    tmp_path_factory: pytest.TempPathFactory, array: np.ndarray, meta: object
) -> None:
    path = tmp_path_factory.mktemp("m") / "model"
    try:
        save_model(path, {"a": array}, meta)
    except UnicodeEncodeError:  # half a character is no text
        return
    found, told = load_model(path)
    assert found["a"].tobytes() == array.tobytes()
    assert told == meta


def test_ten_thousand_mutations_are_refused_or_change_nothing(saved: Path) -> None:
    whole, rng = saved.read_bytes(), random.Random(5)
    for _ in range(10_000):
        data = bytearray(whole)
        kind = rng.randrange(4)
        if kind == 0:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[rng.randrange(len(data)) :]
        elif kind == 2:
            place = rng.randrange(len(data))
            data[place:place] = rng.randbytes(rng.randrange(1, 9))
        else:
            data[len(MAGIC) : len(MAGIC) + 8] = rng.randbytes(8)
        if data == whole:
            continue
        saved.write_bytes(data)
        with pytest.raises(ModelFileError):
            load_model(saved)


def test_a_newer_format_says_what_to_do(saved: Path) -> None:
    header = header_of(saved)
    for version in ("1", "3", '"2"'):
        told = f'"version": {version}}}'.encode()
        write(saved, header.replace(b'"version": 2}', told))
        with pytest.raises(
            ModelFileError, match=f"found version {version} of the format.*train the model again"
        ):
            load_model(saved)


def test_a_failed_save_leaves_the_old_model(saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(TypeError, match="array 'bad': found type"):
        save_model(saved, {"bad": np.array(["text"])}, {})
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["model"]


@pytest.mark.parametrize(
    "shape", [[0, 2**70], [2**70, 0], [0, 2**40, 2**40], [0] + [1] * 70, [0] * 100, [False], [-0.0]]
)
def test_an_array_of_nothing_with_impossible_sides_is_refused(tmp_path: Path, shape: Any) -> None:
    entry = {"type": "<f8", "shape": shape, "offset": 0, "bytes": 0}
    entry["sha256"] = hashlib.sha256(b"").hexdigest()
    path = tmp_path / "model"
    write(path, header_bytes({"version": VERSION, "arrays": {"a": entry}, "meta": {}}))
    with pytest.raises(ModelFileError, match="array 'a' is wrongly described"):
        load_model(path)


LITTLE = 100_000
"""What a message, an exception and an open file take."""


def test_a_damaged_file_takes_no_more_memory_than_it_has(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_model(path, {"a": np.arange(300_000.0)}, {"words": ["a", "b"] * 5_000})
    whole = path.read_bytes()
    header = len(header_of(path))
    for place, told in (
        (20, "the header"),
        (16 + header // 2, "the header"),
        (-5, "'a' is damaged"),
    ):
        data = bytearray(whole)
        data[place] ^= 1
        path.write_bytes(data)
        message, taken = refused(path)
        assert told in message
        assert taken <= len(data) + LITTLE
        if told == "the header":  # and is not even parsed
            assert taken <= header + LITTLE
    path.write_bytes(whole[:-1])
    message, taken = refused(path)
    assert "bytes of arrays" in message
    assert taken <= len(whole) + LITTLE


@pytest.mark.parametrize("dear", ["[]", "{}", '{"a":[]}', "[[[[[[[[]]]]]]]]", '"aa"', "0.5"])
def test_a_header_that_is_dear_to_parse_is_not_parsed(tmp_path: Path, dear: str) -> None:
    body = {"version": VERSION, "arrays": {}, "meta": "HERE"}
    text = header_bytes(body)
    many = (",".join([dear] * (1_000_000 // len(dear)))).encode()
    text = text.replace(b'"HERE"', b"[" + many + b"]")
    start = text.index(b', "sha256"')
    told = hashlib.sha256(text[:start] + text[start + 78 :]).hexdigest()
    write(tmp_path / "model", text[: start + 13] + told.encode() + text[start + 77 :])
    message, taken = refused(tmp_path / "model")
    assert "more memory than the file has" in message
    assert taken <= len(text) + LITTLE


def test_what_could_not_be_loaded_is_not_saved(saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(ModelFileError, match="more memory than the file has"):
        save_model(saved, {}, [[] for _ in range(SPARE // 50)])
    assert saved.read_bytes() == before


def test_arrays_are_read_to_where_they_stay(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_model(path, {"a": np.arange(300_000.0), "b": np.arange(9, dtype=np.int32)}, {})
    tracemalloc.start()
    found, _ = load_model(path)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken <= path.stat().st_size + LITTLE
    assert all(array.flags.aligned and array.flags.writeable for array in found.values())
