"""The model file and the labeller that reads it, on a model small enough to check by hand."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from babi_cascade.pipeline.srl.features import (
    PredicateView,
    argument_candidates,
    checksum,
    pair_features,
    word_features,
)
from babi_cascade.pipeline.srl.labeller import Labeller, shipped_model
from babi_cascade.pipeline.srl.model_file import (
    LabellerError,
    load_network,
    save_network,
    table,
)
from babi_cascade.pipeline.srl.network import Network, Table
from tests.pipeline.frames.small_trees import tree

SENTENCE = "Kim:PROPN:2:nsubj sold/sell:VERB:0:root a:DET:4:det kite:NOUN:2:obj to:ADP:6:case Lee:PROPN:2:obl"
ROLES = ("-", "ARG0", "ARG1", "ARG2")


def vectors(known: dict[str, list[float]]) -> Table:
    names = np.array([checksum(f) for f in known], dtype=np.uint32)
    return table(names, np.array(list(known.values()), dtype=np.float32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A network without a layer that reads: a verb is a predicate, the way to a word tells its role."""
    pairs = {
        "w=vnsubj <": [0, 3, 2, 0],
        "vm=sell  to obl >": [0, 0, 1, 2],
        "w=vobj >": [0, 0, 2, 1],
        "ml=<none> a": [9, 0, 0, 0],
    }
    one = np.eye(4, dtype=np.float32)
    weights = {
        "predicate1.weight": np.array([[1]], dtype=np.float32),
        "predicate2.weight": np.array([[2]], dtype=np.float32),
        "predicate2.bias": np.array([-1], dtype=np.float32),
        "predicate.weight": np.zeros((4, 1), dtype=np.float32),
        "word.weight": np.zeros((4, 1), dtype=np.float32),
        "pair.weight": one,
        "hidden.weight": one,
        "roles.weight": one,
        "roles.bias": np.array([0.5, 0, 0, 0], dtype=np.float32),
    }
    network = Network(vectors({"u=VERB": [1]}), vectors(pairs), weights, ROLES, frozenset())
    save_network(tmp_path / "roles.npz", network, {"corpus": "by hand"})
    return tmp_path / "roles.npz"


def test_a_model_by_hand_labels_as_computed_by_hand(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label(tree(SENTENCE)) == {2: {1: "ARG0", 4: "ARG1", 6: "ARG2"}}
    assert labeller.header["corpus"] == "by hand"


def test_a_numbered_role_is_given_once(path: Path) -> None:
    # both names look like the subject: the second must take its next best role
    twins = tree("Kim:PROPN:3:nsubj Lee:PROPN:3:nsubj sang/sing:VERB:0:root")
    roles = Labeller.load(path).label(twins)[3]
    assert sorted(roles.values()) == ["ARG0", "ARG1"]


def test_predicates_can_be_given(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label_all([tree(SENTENCE)], [[4]])[0].keys() == {4}


def test_a_noun_is_a_predicate_only_where_that_is_known(path: Path) -> None:
    network, header = load_network(path)
    vectors_of = vectors({"u=VERB": [1], "u=NOUN": [1]})
    texts = [tree("gift:NOUN:0:root"), tree("kite:NOUN:0:root")]
    known = frozenset({checksum("gift")})
    labeller = Labeller(Network(vectors_of, network.pairs, network.weights, ROLES, known), header)
    assert labeller.label_all(texts) == [{1: {}}, {}]


def test_what_can_be_no_predicate_is_not_that_of_a_light_verb(path: Path) -> None:
    network, header = load_network(path)
    short = tree("Kim:PROPN:2:nsubj sold/sell:VERB:0:root kite:NOUN:2:obj")
    roles = ("-", "ARG0", "ARGM-PRR", "ARG1")  # "kite" would be the second of them, then the third
    for known, role in ((frozenset({checksum("kite")}), "ARGM-PRR"), (frozenset(), "ARG1")):
        light = Network(network.words, network.pairs, network.weights, roles, known)
        assert Labeller(light, header).label(short)[2][3] == role


def test_no_sentences_and_empty_sentences(path: Path) -> None:
    labeller = Labeller.load(path)
    assert labeller.label_all([]) == []
    assert labeller.label_all([tree(""), tree("kite:NOUN:0:root"), tree("run:VERB:0:root")]) == [
        {},
        {},
        {1: {}},
    ]


def test_vectors_survive_the_file_to_one_part_in_a_hundred(path: Path) -> None:
    chosen = np.random.default_rng(0).normal(size=(50, 7)).astype(np.float32)
    network, header = load_network(path)
    given = table(np.arange(50, dtype=np.uint32), chosen)
    save_network(
        path, Network(given, network.pairs, network.weights, ROLES, network.nominal), header
    )
    read = load_network(path)[0].words.vectors[:50]
    assert (np.abs(read - chosen).max(axis=1) <= np.abs(chosen).max(axis=1) / 127 / 2 + 1e-6).all()


def test_the_same_training_gives_the_same_bytes(tmp_path: Path, path: Path) -> None:
    network, header = load_network(path)
    save_network(tmp_path / "a.npz", network, header)
    save_network(tmp_path / "b.npz", network, header)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_network_is_the_one_that_was_learned() -> None:
    """What numpy computes is what torch computes, for sentences of any length side by side."""
    torch = pytest.importorskip("torch", reason="the extra nlp is not installed")
    from scripts.nlp.role_network import RoleNetwork, example

    torch.manual_seed(0)
    texts = (SENTENCE, "run/run:VERB:0:root", "Kim:PROPN:2:nsubj sang/sing:VERB:0:root")
    trees = [tree(text) for text in texts]
    roles = [{2: {1: "ARG0"}}, {}, {2: {}}]
    examples = [example(t, r, ROLES, 1.0, frozenset()) for t, r in zip(trees, roles, strict=True)]
    known = tuple(
        np.unique(np.concatenate([getattr(e, what) for e in examples]))
        for what in ("words", "pairs")
    )
    learner = RoleNetwork(len(known[0]), len(known[1]), len(ROLES)).eval()
    network = learner.network(known, ROLES, frozenset())
    words = [[checksum(f) for f in word_features(t, w)] for t in trees for w in t]
    states = network.states(words, [len(t) for t in trees])
    with torch.no_grad():
        vectors = torch.from_numpy(network.words.sums(words))
        expected = torch.cat(
            [learner.lstm(part[None])[0][0] for part in vectors.split([len(t) for t in trees])]
        )
        assert np.allclose(states, expected.numpy(), atol=1e-5)
        pairs = [
            [checksum(f) for f in pair_features(PredicateView(trees[0], trees[0][2]), trees[0][6])]
        ]
        both = learner.predicate(expected[[1]]) + learner.word(expected[[5]])
        both = torch.relu(both + learner.pair(torch.from_numpy(network.pairs.sums(pairs))))
        scores = torch.log_softmax(learner.roles(torch.relu(learner.hidden(both))), 1)
    assert np.allclose(network.arguments(states, [1], [5], pairs), scores.numpy(), atol=1e-5)


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
        assert np.array_equal(read.network.pairs.vectors, right.network.pairs.vectors)


@pytest.mark.parametrize(
    "change",
    [{"format": 99}, {"sha256": "0"}, {"roles": []}, {"roles": None}],
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
    assert [t.form for t in argument_candidates(sentence, sentence[2])] == [
        "Kim", "a", "kite", "to", "Lee",
    ]  # fmt: skip
    assert [t.form for t in argument_candidates(sentence, sentence[4])] == [
        "Kim",
        "sold",
        "a",
        "Lee",
    ]


def test_features_know_path_preposition_and_voice() -> None:
    passive = tree(
        "It:PRON:3:nsubj:pass was/be:AUX:3:aux:pass sold/sell:VERB:0:root by:ADP:5:case Lee:PROPN:3:obl:agent"
    )
    features = pair_features(PredicateView(passive, passive[3]), passive[5])
    assert {"w=vobl >", "vw=sell  vobl > passive", "vm=sell  by obl >"} <= set(features)


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
