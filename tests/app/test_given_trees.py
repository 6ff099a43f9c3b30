"""Training, testing and answering on the user's own annotations of stories that have pronouns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
KITES, ANNOTATED = SAMPLES / "kites.txt", SAMPLES / "kites.conllu"
GIVEN = ("--conllu", ANNOTATED, "--coref", "conllu", "--srl", "conllu")


def test_a_model_is_trained_and_asked_on_given_trees_with_pronouns(command):
    done = command("train", KITES, "-m", "kites.model", *GIVEN)
    assert done.code == 0, done.err
    assert "1 question" in done.out + done.err
    done = command("predict", KITES, "-m", "kites.model", "--conllu", ANNOTATED)
    assert done.code == 0, done.err
    assert json.loads(done.out)["answer"] == "Sandra"


@pytest.mark.parametrize("given", [True, False], ids=["entities and roles too", "only trees"])
def test_a_run_on_given_trees_answers_as_one_that_parses(command, given):
    pytest.importorskip("stanza", reason="the trees come from the shipped models")
    assert command("generate", "--tasks", "13", "--questions", 12, "--out", "stories").code == 0
    shown = command("annotate", "stories", "--to", "conllu")
    Path("mine.conllu").write_text(shown.out, encoding="utf-8")
    kinds = ("--coref", "conllu", "--srl", "conllu") if given else ()
    for name, options in (("parsed", ()), ("given", ("--conllu", "mine.conllu", *kinds))):
        done = command("run", "--data", "stories", "--tasks", "13", "--cost", "0.1", "--jobs", "1",
                       "--out", name, *options)  # fmt: skip
        assert done.code == 0, done.err
    parsed, read = (
        Path(name, "predictions", "qa13.jsonl").read_text() for name in ("parsed", "given")
    )
    assert read == parsed
    assert len(read.splitlines()) == 12
