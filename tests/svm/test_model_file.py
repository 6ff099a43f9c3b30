"""Model files: what was saved comes back; whatever was changed is refused, and nothing is unpickled."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from svm.model_file import MAGIC, ModelFileError, load_model, save_model

ARRAYS = {"weights": np.linspace(-1, 1, 40), "codes": np.arange(7, dtype=np.int64)}
META = {"answers": ["pier", "größer"], "cost": 0.1, "nothing": None}


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
    saved.write_bytes(saved.read_bytes().replace(b'"version": 1', b'"version": 2'))
    with pytest.raises(
        ModelFileError, match=r"found version 2 of the format.*train the model again"
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
    body: dict[str, Any] = {"version": 1, "arrays": {"a": entry}, "meta": {}}
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    body["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    header = json.dumps(body).encode()
    path = tmp_path / "model"
    path.write_bytes(MAGIC + len(header).to_bytes(8, "little") + header)
    with pytest.raises(ModelFileError, match="array 'a' is wrongly described"):
        load_model(path)
