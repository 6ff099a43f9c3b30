"""`weights`: what a model has learned, each thing once."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from babi_cascade.app.cli import cli, main
from babi_cascade.cascade import Cascade


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that has features which are said in the same words."""
    folder = tmp_path_factory.mktemp("weights")
    stories, path = folder / "stories", folder / "qa2.model"
    made = ["generate", "--tasks", "2", "--questions", "40", "--out", stories]
    quick = ["--coref", "none", "--srl", "none", "--cost", "0.1"]
    for arguments in (made, ["train", stories, "-m", path, *quick]):
        cli.main([str(each) for each in arguments], standalone_mode=False)
    return path


@pytest.fixture
def weights(capsys):
    def call(*args):
        with pytest.raises(SystemExit) as stopped:
            main(["weights", *map(str, args)])
        shown = capsys.readouterr()
        return SimpleNamespace(returncode=stopped.value.code, stdout=shown.out, stderr=shown.err)

    return call


def test_what_is_said_in_the_same_words_is_listed_once_with_the_sum(weights, model):
    shown = json.loads(weights(model, "--top", 10**6, "--json").stdout)
    cascade = Cascade.load(model)
    stages = {"support": cascade.support_stage_, "answer": cascade.answer_stage_}
    merged = 0
    for name, stage in stages.items():
        learned = stage.fitted_.weights
        expected = {}
        for feature in np.flatnonzero(learned).tolist():
            said = stage.encoder.explain(feature)
            expected.setdefault(said, []).append(learned[feature])
        listed = [(g["group"], e["words"], e["weight"]) for g in shown[name] for e in g["largest"]]
        assert len(listed) == len(expected)
        for group, words, weight in listed:
            assert weight == pytest.approx(sum(expected[group, words]))
        assert sum(g["weights"] for g in shown[name]) == np.count_nonzero(learned)
        merged += np.count_nonzero(learned) - len(expected)
    assert merged, "the model should have features that are said in the same words"


def test_the_listing_is_by_weight_and_ends_at_top(weights, model):
    lines = weights(model, "--top", 3).stdout.splitlines()
    assert lines[0] == "support stage"
    runs: list[list[float]] = []
    for line in lines:
        if line.startswith("    "):
            runs[-1].append(abs(float(line.split()[0])))
        else:
            runs.append([])
    assert max(map(len, runs)) == 3
    assert all(run == sorted(run, reverse=True) for run in runs)


def test_a_file_that_is_no_model_is_refused_in_one_line(weights, tmp_path):
    (tmp_path / "no.model").write_text("no model")
    shown = weights(tmp_path / "no.model")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.startswith("error: ")
    assert shown.stderr.count("\n") == 1


def test_a_file_that_is_no_model(weights, tmp_path):
    shown = weights(tmp_path / "nofile")
    assert shown.returncode == 2
    assert "cannot be read: No such file or directory; expected a model that" in shown.stderr
