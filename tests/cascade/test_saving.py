"""Model files whose bytes are whole and whose content is not: refused in words, or good for predictions."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from babi_cascade.cascade import Cascade, CascadeError
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.svm.model_file import ModelFileError, load_model, save_model

FACTS = (
    Sentence(1, "Ana walked to the harbour."),
    Sentence(2, "Tom went to the mill."),
    Sentence(3, "Ana took the lantern."),
)
QUESTIONS = [
    Question(4, "Where is Ana?", "harbour", (1,), FACTS),
    Question(4, "Where is Tom?", "mill", (2,), FACTS),
    Question(4, "Where is the lantern?", "harbour", (3, 1), FACTS),
]
HOSTILE = [
    None, True, -1, 0, 1, 4, 10**6, 2**40, 10**400, 0.5, float("nan"), float("inf"), -1e308, "",
    "word", [], ["word", "word"], [1], [[]], {}, {"a\nb\x1b": []}, "a\nb\x1b", "\ud800",
]  # fmt: skip


CHOICES: dict[str, dict[str, Any]] = {
    "extended": {},
    "paper": {"preset": "paper"},
    "both": {"preset": "paper", "features": ("+recency", "+nearest", "+chain", "+answer-copy")},
}


def saved(folder: Path, choice: str) -> Path:
    path = folder / "small"
    trained = Cascade(cost=0.1, **CHOICES[choice]).fit(QUESTIONS)
    trained.save(path, origin={"data": "by hand", "questions": 3})
    return path


@pytest.fixture(scope="module", params=CHOICES)
def model(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    return saved(tmp_path_factory.mktemp("model"), request.param)


@pytest.fixture(scope="module")
def paper_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return saved(tmp_path_factory.mktemp("paper"), "paper")


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything inside a JSON value, the longest lists only in part."""
    if above:
        yield above
    if isinstance(value, dict):
        inside: Any = value.items()
    elif isinstance(value, list):
        inside = list(enumerate(value))[:2]
    else:
        return
    for key, each in inside:
        yield from places(each, (*above, key))


def changed(meta: Any, place: tuple[Any, ...], value: Any, *, gone: bool = False) -> Any:
    other = copy.deepcopy(meta)
    holder = other
    for key in place[:-1]:
        holder = holder[key]
    if gone:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return other


def refused_or_good(path: Path, arrays: Any, meta: Any) -> bool:
    """Save, load, ask; anything but a refusal or an answer is a failure of the test."""
    try:
        save_model(path, arrays, meta)
    except UnicodeEncodeError:  # cannot be in a file at all
        return True
    cascade, refusal = None, ""
    try:
        cascade = Cascade.load(path, reader=StoryReader())
    except (ModelFileError, CascadeError) as error:
        refusal = str(error)
    if cascade is None:
        assert refusal.isprintable()
        return True
    for question in QUESTIONS:
        told = cascade.explain(question)
        assert np.isfinite(told.prediction.score)
    return False


def test_the_origin_is_kept(model: Path) -> None:
    assert Cascade.load(model).origin_ == {"data": "by hand", "questions": 3}


def test_a_model_of_an_older_format_says_how_to_go_on(model: Path, tmp_path: Path) -> None:
    arrays, meta = load_model(model)
    save_model(tmp_path / "old", arrays, {**meta, "format": 1})
    with pytest.raises(ModelFileError, match=r"found format .1. .* train the model again"):
        Cascade.load(tmp_path / "old")


@pytest.mark.parametrize("choice", CHOICES)
def test_the_same_training_gives_the_same_bytes(choice: str, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    one, other = (saved(folder, choice) for folder in folders)
    assert one.read_bytes() == other.read_bytes()


def test_chosen_groups_survive(tmp_path: Path) -> None:
    groups = ("word-pairs", "pair-order", "recency", "answer-word-pairs", "answer-copy")
    cascade = Cascade(cost=0.1, preset="paper", features=groups, max_facts=2).fit(QUESTIONS)
    cascade.save(tmp_path / "model")
    again = Cascade.load(tmp_path / "model")
    assert again.features == groups
    assert again.answer(QUESTIONS) == cascade.answer(QUESTIONS)


def test_weights_keep_their_meaning_whatever_was_asked_first(tmp_path: Path) -> None:
    asked = [
        Question(4, "Where is Ana?", "harbour", (1,), FACTS),
        Question(4, "Is Tom there?", "yes", (2, 1), FACTS),
        Question(4, "Did Ana go?", "no", (3, 1, 2), FACTS),
        Question(4, "Where is Tom?", "mill", (1, 2), FACTS),
    ]
    cascade = Cascade(cost=0.1).fit(asked)
    cascade.save(tmp_path / "model")
    again = Cascade.load(tmp_path / "model")
    kinds = list(cascade.support_stage_.encoder.sizes_)
    assert len(kinds) > 2
    assert list(again.support_stage_.encoder.sizes_) == kinds
    assert again.answer(asked) == cascade.answer(asked)


def test_every_part_of_the_header_may_be_anything(model: Path, tmp_path: Path) -> None:
    arrays, meta = load_model(model)
    refused = 0
    every = list(places(meta))
    assert len(every) > 40
    for place in every:
        refused += refused_or_good(
            tmp_path / "model", arrays, changed(meta, place, None, gone=True)
        )
        for value in HOSTILE:
            refused += refused_or_good(tmp_path / "model", arrays, changed(meta, place, value))
    assert refused > 0.8 * len(every) * len(HOSTILE)


@pytest.mark.parametrize("name", ["support.weights", "answer.weights", "answer.codes"])
def test_arrays_must_be_as_large_as_the_features_need(
    paper_model: Path, tmp_path: Path, name: str
) -> None:
    arrays, meta = load_model(paper_model)
    array = arrays[name]
    not_finite = array.astype("f8")
    not_finite[1] = np.inf
    for wrong in (
        array[:-1], array[:0], np.append(array, array[-1]), array.reshape(1, -1), array[0],
        array.astype("f4"), array.astype("i4"), array[::-1] - 1, -array - 1, not_finite,
        array * 1000 + np.arange(len(array)) * 10**6 - 1,
    ):  # fmt: skip
        other = {**arrays, name: wrong}
        if wrong.dtype == array.dtype and wrong.shape == array.shape and np.isfinite(wrong).all():
            refused_or_good(tmp_path / "model", other, meta)
        else:
            assert refused_or_good(tmp_path / "model", other, meta), (wrong.dtype, wrong.shape)
    assert refused_or_good(tmp_path / "model", {**arrays, "more": array}, meta)
    less = {each: array for each, array in arrays.items() if each != name}
    assert refused_or_good(tmp_path / "model", less, meta)


def test_a_distance_without_end_is_refused_before_memory_is_taken(
    paper_model: Path, tmp_path: Path
) -> None:
    arrays, meta = load_model(paper_model)
    for reach in (2, 4, 10**5, 10**6, 10**12):
        meta["support"]["encoder"]["reach"] = reach
        assert refused_or_good(tmp_path / "model", arrays, meta)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_several_changes_at_once(model: Path, tmp_path: Path, data: st.DataObject) -> None:
    arrays, meta = load_model(model)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.sampled_from(list(places(meta)) or [()]))
        if place:
            meta = changed(
                meta, place, data.draw(st.sampled_from(HOSTILE)), gone=data.draw(st.booleans())
            )
    name = data.draw(st.sampled_from(sorted(arrays)))
    size = data.draw(st.integers(0, 2 * arrays[name].size))
    arrays[name] = np.resize(arrays[name], size)
    refused_or_good(tmp_path / "model", arrays, meta)


def test_a_nested_header_is_refused(model: Path, tmp_path: Path) -> None:
    arrays, meta = load_model(model)
    for depth in (10, 900, 5000):
        deep: Any = []
        for _ in range(depth):
            deep = [deep]
        try:
            json.dumps(deep)
        except RecursionError:
            break
        assert refused_or_good(tmp_path / "model", arrays, {**meta, "origin": deep})
