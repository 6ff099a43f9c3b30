"""The model file and the labeller that reads it, on a model small enough to check by hand."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from babi_cascade.pipeline.srl.features import (
    PredicateView,
    argument_candidates,
    argument_features,
    checksum,
)
from babi_cascade.pipeline.srl.labeller import Labeller, shipped_model
from babi_cascade.pipeline.srl.model_file import (
    LabellerError,
    LinearModel,
    linear_model,
    load_models,
    save_models,
)
from tests.pipeline.frames.small_trees import tree

SENTENCE = "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"


def model(classes: tuple[str, ...], weights: dict[str, list[float]]) -> LinearModel:
    names = np.array([checksum(f) for f in weights], dtype=np.uint32)
    return linear_model(classes, names, np.array(list(weights.values()), dtype=np.float32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    models = {
        "predicates": model(("predicate",), {"bias": [-1], "u=VERB": [2]}),
        "arguments": model(("argument",), {"bias": [-1], "u=PROPN": [2], "u=NOUN": [2]}),
        "roles": model(
            ("ARG0", "ARG1", "ARG2"),
            {
                "bias": [0, 0.5, 0],
                "w=vnsubj <": [3, 0, 0],
                "m=to": [0, 1, 2],
                "w=vobj >": [0, 2, 1],
            },
        ),
    }
    save_models(tmp_path / "roles.npz", models, {"corpus": "by hand"})
    return tmp_path / "roles.npz"


def test_a_model_by_hand_labels_as_computed_by_hand(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label(tree(SENTENCE)) == {2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}
    assert labeller.header["corpus"] == "by hand"


def test_a_numbered_role_is_given_once(path: Path) -> None:
    # both names look like ARG0 subjects: the second must take its next best role
    twins = tree("Kim:PROPN:3:nsubj Lee:PROPN:3:nsubj sang/sing:VERB:0:root")
    roles = Labeller.load(path).label(twins)[3]
    assert sorted(roles.values()) == ["ARG0", "ARG1"]


def test_predicates_can_be_given(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label_all([tree(SENTENCE)], [[4]])[0].keys() == {4}


def test_no_sentences_and_empty_sentences(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label_all([]) == []
    assert labeller.label_all([tree(""), tree("kite:NOUN:0:root"), tree("run:VERB:0:root")]) == [
        {},
        {},
        {1: {}},
    ]


def test_weights_survive_the_file_to_one_part_in_a_hundred(tmp_path: Path) -> None:
    weights = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
    given = linear_model(tuple("abcdefg"), np.arange(50, dtype=np.uint32), weights)
    save_models(tmp_path / "m.npz", {"m": given}, {})
    read = load_models(tmp_path / "m.npz")[0]["m"]
    assert np.abs(read.weights[:50] - weights).max() <= np.abs(weights).max() / 127 / 2 + 1e-6


def test_the_same_training_gives_the_same_bytes(tmp_path: Path, path: Path) -> None:
    models, header = load_models(path)
    save_models(tmp_path / "a.npz", models, header)
    save_models(tmp_path / "b.npz", models, header)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_missing_file_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(LabellerError, match=r"scripts/train_srl\.py"):
        Labeller.load(tmp_path / "nothing.npz")


@pytest.mark.parametrize("keep", [0, 1, 10, 300, -1, -40])
def test_a_cut_file_is_refused(path: Path, keep: int) -> None:
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(LabellerError, match=r"roles\.npz: "):
        Labeller.load(path)


def test_a_flipped_bit_anywhere_is_refused_or_harmless(path: Path) -> None:
    data = path.read_bytes()
    right = Labeller.load(path)
    for place in range(0, len(data), 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        try:
            read = Labeller.load(path)
        except LabellerError:
            continue
        assert np.array_equal(read.roles.weights, right.roles.weights)


@pytest.mark.parametrize(
    "change",
    [{"format": 99}, {"sha256": "0"}, {"models": {}}, {"models": {"roles": {"classes": []}}}],
)
def test_a_header_that_does_not_fit_is_refused(path: Path, change: dict[str, object]) -> None:
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    contents["header.json"] = json.dumps(json.loads(contents["header.json"]) | change).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    with pytest.raises(LabellerError):
        Labeller.load(path)


def test_candidates_are_near_the_predicate() -> None:
    sentence = tree(SENTENCE)
    assert [t.form for t in argument_candidates(sentence, sentence[2])] == ["Kim", "kite", "Lee"]
    assert [t.form for t in argument_candidates(sentence, sentence[4])] == [
        "Kim",
        "sold",
        "a",
        "Lee",
    ]


def test_features_know_path_preposition_and_voice() -> None:
    passive = tree(
        "It:PRON:3:nsubj:pass was/be:AUX:3:aux:pass sold/sell:VERB:0:root by:ADP:5:case Lee:PROPN:3:obl"
    )
    features = argument_features(PredicateView(passive, passive[3]), passive[5])
    assert {"w=vobl >", "m=by", "wv=vobl > passive", "vwm=sell vobl > by"} <= set(features)


@pytest.mark.skipif(not shipped_model().is_file(), reason="the role model is not trained yet")
def test_the_shipped_model_fits_its_promises() -> None:
    assert shipped_model().stat().st_size < 4_000_000
    labeller = Labeller.load()
    roles = labeller.label(
        tree(
            "Kim/Kim/NNP:PROPN:2:nsubj sold/sell/VBD:VERB:0:root a/a/DT:DET:4:det kite/kite/NN:NOUN:2:obj"
            " to/to/IN:ADP:6:case Lee/Lee/NNP:PROPN:2:obl"
        )
    )
    assert roles == {2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}
