"""``scripts/score_coref.py`` and the making of the word lists, on a corpus of two documents."""

from __future__ import annotations

import gzip
import importlib.util
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.coref.entities import with_entities
from babi_cascade.pipeline.trees import ConlluSentence, Tree, write_conllu
from scripts.nlp import learn_lists
from tests.pipeline.coref.trees import go_together, goes, story

ROOT = Path(__file__).resolve().parents[3]
STORIES = [
    story(go_together("Kofi", "Leila"), goes("They", "well")),
    story(goes("Ingrid"), goes("She", "well")),
]


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "score_coref", ROOT / "scripts" / "score_coref.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["score_coref"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """A key that is what the sieve finds, so that its score must be perfect."""
    stream = io.StringIO()
    for number, told in enumerate(STORIES):
        plain = [
            ConlluSentence(one, {"newdoc id": str(number)} if i == 0 else {"newpar": ""})
            for i, one in enumerate(told)
        ]
        write_conllu(with_entities(plain, coreference().resolve(told)), stream)
    (tmp_path / "gum_coref").mkdir()
    for split in ("dev", "train"):
        path = tmp_path / "gum_coref" / f"{split}.conllu.gz"
        path.write_bytes(gzip.compress(stream.getvalue().encode()))
    return tmp_path


def parsed_sentence(one: Tree) -> Tree:
    """A sentence as a parser gives it: with its text, and offsets in it."""
    tokens, text = [], ""
    for token in one:
        start = len(text) + bool(text)
        text += f" {token.form}" if text else token.form
        tokens.append(replace(token, start=start, end=len(text)))
    return Tree(tuple(tokens), text)


def test_gold_trees_and_raw_text(
    script: Any, corpora: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parser(folder: Path) -> Any:
        def parse(text: str) -> Any:
            trees = [parsed_sentence(one) for told in STORIES for one in told]
            return script.predicted([tree for tree in trees if tree.text in text], text)

        return parse

    monkeypatch.setattr(script, "stanza_parser", parser)
    monkeypatch.setattr(sys, "argv", ["score", str(corpora), "--json", "--models", "models"])
    assert script.main() == 0
    record = json.loads(capsys.readouterr().out)
    for start in ("gold trees", "raw text"):
        assert record[start]["sieve"]["conll_f1"] == pytest.approx(1.0)
        assert record[start]["head match only"]["conll_f1"] < 1.0


def test_tables_and_the_bare_number(
    script: Any, corpora: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["score", str(corpora), "--score-only"])
    assert script.main() == 0
    assert capsys.readouterr().out == "100.00\n"
    monkeypatch.setattr(sys, "argv", ["score", str(corpora), "--steps"])
    assert script.main() == 0
    assert "exact match" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["score", str(corpora / "nowhere")])
    with pytest.raises(SystemExit) as stopped:
        script.main()
    assert stopped.value.code == 2


def test_learning_the_lists(corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = [
        ConlluSentence(
            tree, misc=("Entity=(1-person-new-nnnnn-cf1-1-coref)", *("_",) * (len(tree) - 1))
        )
        for tree in story(*[goes("Kofi")] * 6)
    ]
    animacy, verbs = learn_lists.learn(people)
    assert animacy == {"animate": ["Kofi"], "inanimate": []}
    assert verbs == {"human": ["go"]}
    out = tmp_path / "lists"
    out.mkdir()
    monkeypatch.setattr(sys, "argv", ["learn", str(corpora), "--out", str(out)])
    learn_lists.main()
    assert (out / "animacy.txt").read_text(encoding="utf-8").startswith("# Learned from")
