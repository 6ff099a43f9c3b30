"""scripts/score_srl.py: the arguments of verbs, wherever a labeller's own tree has their phrases."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from babi_cascade.pipeline.srl.labeller import Labeller
from babi_cascade.pipeline.trees import ConlluSentence, Tree, write_conllu
from scripts import score_srl
from tests import recorded

ROLES = "arguments with roles"


@pytest.fixture(scope="module")
def labelled() -> list[ConlluSentence]:
    trees = recorded.stories()["kites-1"]
    roles = Labeller.load().label_all(trees)
    return [
        ConlluSentence(tree, {"sent_id": "a-1"}, rolesets=dict.fromkeys(said, "x.01"), roles=said)
        for tree, said in zip(trees, roles, strict=True)
    ]


def scored(
    gold: list[ConlluSentence], trees: list[Tree], folder: Path, capsys, *more: str
) -> float:
    (folder / "up_english_ewt").mkdir(exist_ok=True)
    with gzip.open(folder / "up_english_ewt/dev.conllu.gz", "wt", encoding="utf-8") as stream:
        write_conllu(gold, stream)
    with (folder / "trees.conllu").open("w", encoding="utf-8") as stream:
        write_conllu(map(ConlluSentence, trees), stream)
    words = [str(folder), "--trees", str(folder / "trees.conllu"), "--score-only", *more]
    assert score_srl.main(words) == 0
    return float(capsys.readouterr().out)


def test_what_the_labeller_says_itself_is_right(labelled, tmp_path, capsys) -> None:
    trees = [sentence.tree for sentence in labelled]
    assert scored(labelled, trees, tmp_path, capsys) == 100
    assert scored(labelled, trees, tmp_path, capsys, "--genre", "b") == 0, "no sentence is of it"


def test_a_missing_role_costs(labelled, tmp_path, capsys) -> None:
    first = labelled[0]
    (predicate, *_), roles = first.roles, {p: dict(a) for p, a in first.roles.items()}
    roles[predicate][max(roles[predicate])] = "ARGM-TMP"
    gold = [replace(first, roles=roles), *labelled[1:]]
    assert 50 < scored(gold, [s.tree for s in labelled], tmp_path, capsys) < 100


def test_another_head_of_the_same_phrase_is_as_good(labelled, tmp_path, capsys) -> None:
    """In the gold tree "kite" hangs on "broken": the phrase is the same, its highest word another."""
    first = labelled[0]
    forms = {token.form: token for token in first.tree}
    kite, broken = forms["kite"], forms["broken"]
    swapped = {kite.id: broken.id, broken.id: kite.head}
    tokens = tuple(
        replace(t, head=swapped.get(t.id, broken.id if t.head == kite.id else t.head))
        for t in first.tree
    )
    roles = {
        predicate: {broken.id if word == kite.id else word: role for word, role in said.items()}
        for predicate, said in first.roles.items()
        if predicate != broken.id
    }
    gold = [replace(first, tree=replace(first.tree, tokens=tokens), roles=roles)]
    assert scored(gold, [first.tree], tmp_path, capsys) == 100


def test_a_folder_without_the_corpus_is_told(tmp_path, capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        score_srl.main([str(tmp_path)])
    assert stopped.value.code == 2
    assert "up_english_ewt" in capsys.readouterr().err
