"""scripts/parse_srl_trees.py: the train file can be parsed by another parser than the dev file."""

from __future__ import annotations

import gzip
import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.trees import Token, Tree, read_conllu, write_conllu
from babi_cascade.pipeline.trees.conllu import ConlluSentence

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "data/models/en/depparse/small.pt"
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


@pytest.fixture
def early(tmp_path):
    return Path(shutil.copy(MODEL, tmp_path / "early.pt"))


def run(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["parse_srl_trees.py", *map(str, arguments)])
    script.main()


def test_the_train_file_goes_to_the_other_parser(script, corpora, early, monkeypatch, tmp_path):
    asked = {}

    def parse_words(self, sentences):
        asked[self.depparse and self.depparse.name] = [list(words) for words in sentences]
        return [
            Tree(tuple(Token(i, w, "l", "X", "X", 0, "root") for i, w in enumerate(words, 1)))
            for words in sentences
        ]

    monkeypatch.setattr(StanzaParser, "parse_words", parse_words)
    out = tmp_path / "out"
    options = ("--models", ROOT / "data/models", "--out", out, "--train-parser", early)
    run(script, monkeypatch, corpora, *options)
    gold = [
        [t.form for t in s.tree] for s in read_conllu(corpora / "up_english_ewt/train.conllu.gz")
    ]
    assert asked == {None: gold, "early.pt": gold}
    assert [[t.form for t in s.tree] for s in read_conllu(out / "train.conllu")] == gold


def test_the_models_parse_the_words_of_the_corpus(script, corpora, early, monkeypatch, tmp_path):
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    out = tmp_path / "out"
    options = ("--models", ROOT / "data/models", "--out", out, "--jobs", 1)
    run(script, monkeypatch, corpora, *options, "--train-parser", early)
    train, dev = (
        [s.tree for s in read_conllu(out / f"{split}.conllu")] for split in ("train", "dev")
    )
    assert train == dev, "the other parser is a copy here"
    assert [t.form for t in train[0]] == ["Kim", "sold", "New York", "'s", "kite", "."]
    assert [(t.form, t.deprel) for t in train[1]][:2] == [("He", "nsubj"), ("left", "root")]
    assert train[1].tokens[1].lemma == "leave"


def test_a_missing_parser_is_told(script, corpora, monkeypatch, tmp_path, capsys):
    missing = ("--train-parser", tmp_path / "none.pt")
    with pytest.raises(SystemExit) as stopped:
        run(script, monkeypatch, corpora, "--models", "m", "--out", tmp_path, *missing)
    assert stopped.value.code == 2
    assert "none.pt: no such file" in capsys.readouterr().err
