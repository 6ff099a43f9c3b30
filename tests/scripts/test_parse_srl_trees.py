"""scripts/parse_srl_trees.py: the train file is parsed as badly as the dev file."""

from __future__ import annotations

import gzip
import importlib.util
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.trees import Token, Tree, read_conllu, write_conllu
from babi_cascade.pipeline.trees.conllu import ConlluSentence

ROOT = Path(__file__).parents[2]
SENTENCES = {"one-1": "Kim sold New_York 's kite .", "one-2": "He left .", "two-1": "It rained ."}


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location(
        "parse_srl_trees", ROOT / "scripts/parse_srl_trees.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def corpora(tmp_path):
    folder = tmp_path / "corpora" / "up_english_ewt"
    folder.mkdir(parents=True)
    for split in ("train", "dev"):
        with gzip.open(folder / f"{split}.conllu.gz", "wt", encoding="utf-8") as stream:
            for name, text in SENTENCES.items():
                forms = [word.replace("_", " ") for word in text.split()]
                tokens = [
                    Token(i, form, "?", "X", "X", i - 1, "dep") for i, form in enumerate(forms, 1)
                ]
                write_conllu([ConlluSentence(Tree(tuple(tokens)), {"sent_id": name})], stream)
    return folder.parent


def run(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["parse_srl_trees.py", *map(str, arguments)])
    script.main()


def test_the_models_parse_the_words_of_the_corpus(script, corpora, monkeypatch, tmp_path, capsys):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    out = tmp_path / "out"
    options = ("--models", ROOT / "data/models", "--out", out)
    run(script, monkeypatch, corpora, *options, "--forget", 0)
    train, dev = (
        [s.tree for s in read_conllu(out / f"{split}.conllu")] for split in ("train", "dev")
    )
    assert train == dev, "nothing is forgotten"
    assert [t.form for t in train[0]] == ["Kim", "sold", "New York", "'s", "kite", "."]
    assert [(t.form, t.deprel) for t in train[1]][:2] == [("He", "nsubj"), ("left", "root")]
    assert train[1].tokens[1].lemma == "leave"
    assert "dev: LAS 0.0" in capsys.readouterr().err, "the corpus has no real relations here"


def test_a_parser_that_forgets_errs_more_and_always_in_the_same_way(script):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    models = ROOT / "data/models"
    text = "The man that she had met on the hill told her what they could do with it ."
    gold = StanzaParser(jobs=1).parse_words([text.split()])
    sentences = [ConlluSentence(gold[0])] * 20
    assert script.attachment(sentences, script.parsed_corpus(sentences, models)) == 1.0
    trees = script.parsed_corpus(sentences, models, 1.5)
    assert 0.2 < script.attachment(sentences, trees) < 0.98
    assert trees == script.parsed_corpus(sentences, models, 1.5)
