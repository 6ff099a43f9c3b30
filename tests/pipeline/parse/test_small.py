"""The shipped models computed with NumPy: Stanza's own trees, without Stanza."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.parse.small import load
from babi_cascade.pipeline.parse.small.parser import SINGLE
from babi_cascade.pipeline.parse.small.weights import UnreadableError, read_model
from babi_cascade.pipeline.parse.stanza import StanzaParser

ROOT = Path(__file__).resolve().parents[3]

SENTENCES = [
    "Where is the milk?",
    "Angela sold Victor a bicycle, and then she left for the station.",
    "What?! You can't be serious!!",
    "the qwizzlers frobnicated Ximena's gronks in São Paulo — twice…",
    "It cost $1,234.50 (or so) at 10:30 a.m. on 3/4/2001.",
    "He who took hold of it laid aside the basket which the girls' uncle's wives had woven, "
    "because nobody who was there would have thought that those things were theirs to keep.",
    "gonna wanna ' \" ) ( .",
    "Ünïcödé 日本 \u0097 control",
    "Write to ann@example.com or look at www.example.com for more.",
    "x" * 1200 + " is long",
]


@pytest.fixture(scope="module")
def ours():
    parser = StanzaParser(jobs=1)
    assert parser._small is not None
    return parser


@pytest.fixture(scope="module")
def stanza():
    """The same models in Stanza's own networks."""
    return StanzaParser(jobs=1, numpy=False)


def test_the_trees_are_those_of_stanzas_networks(ours, stanza):
    assert ours.parse(SENTENCES) == stanza.parse(SENTENCES)


def test_words_that_are_given_are_parsed_as_they_are(ours, stanza):
    words = [line.split() for line in SENTENCES]
    assert ours.parse_words(words) == stanza.parse_words(words)


def test_running_text_is_split_in_the_same_places(ours, stanza):
    text = " ".join(SENTENCES[:6]) + "\n\n" + "\n".join(SENTENCES[:7] * 4)
    assert ours.split(text) == stanza.split(text)
    assert ours.sentences(text) == stanza.sentences(text)
    assert ours.split("") == ours.sentences(" \n\n ") == []


def test_a_tree_does_not_depend_on_the_sentences_beside_it(ours):
    together = ours.parse(SENTENCES)
    assert [ours.parse([line])[0] for line in SENTENCES] == together


def test_lemmas_are_spelled_where_the_dictionary_has_none(ours):
    (tree,) = ours.parse(["Two frobnicators zibbled the qwizzlers."])
    lemmas = {token.form: token.lemma for token in tree.tokens}
    assert lemmas["frobnicators"] == "frobnicator"
    assert lemmas["qwizzlers"] == "qwizzler"


def test_neither_stanza_nor_torch_is_imported():
    code = (
        "import sys\n"
        "from babi_cascade.pipeline.parse.stanza import StanzaParser\n"
        "(tree,) = StanzaParser(jobs=1).parse(['Where is the milk?'])\n"
        "assert len(tree) == 5\n"
        "assert not {'torch', 'stanza'} & set(sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120, env=environment)


def test_relations_exclude_one_another_as_in_stanza():
    from stanza.models.depparse.head_constraints import DEPREL_TO_GROUP

    assert set(SINGLE) == set(DEPREL_TO_GROUP)
    for one in SINGLE:
        for other in SINGLE:
            same = DEPREL_TO_GROUP[one] == DEPREL_TO_GROUP[other]
            assert (SINGLE[one] == SINGLE[other]) == same


def test_models_of_another_shape_are_left_to_stanza(tmp_path):
    import torch

    folder = tmp_path / "models"
    shutil.copytree(StanzaParser().directory, folder, ignore=shutil.ignore_patterns("__*"))
    assert load(folder) is not None
    path = folder / "en" / "pos" / "small.pt"
    model = torch.load(path, weights_only=True)
    model["config"]["char_bidirectional"] = True
    torch.save(model, path)
    assert load(folder) is None


def test_a_directory_with_more_than_the_four_models_is_left_to_stanza(tmp_path):
    folder = tmp_path / "models"
    shutil.copytree(StanzaParser().directory, folder, ignore=shutil.ignore_patterns("__*"))
    (folder / "en" / "mwt").mkdir()
    shutil.copy(folder / "en" / "pos" / "small.pt", folder / "en" / "mwt" / "small.pt")
    assert load(folder) is None


def test_a_file_that_names_anything_else_is_not_read(tmp_path):
    import torch

    path = tmp_path / "model.pt"
    torch.save({"model": {"a": torch.zeros(2, 3).half()}, "size": torch.Size([1])}, path)
    with pytest.raises(UnreadableError):
        read_model(path)
    torch.save({"model": {"a": torch.arange(6).view(2, 3).half()}}, path)
    assert read_model(path)["model"]["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    torch.save({"a": torch.zeros(2)}, path, _use_new_zipfile_serialization=False)
    with pytest.raises(UnreadableError):
        read_model(path)
