"""Models that earlier versions wrote, kept here as files: they load, or the message says what to do.

A change of the format adds a file to the folder ``old``; none is ever made anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OLD = sorted((Path(__file__).parent / "old").glob("*.model"))
ASKED = """\
1 Ana walked to the mill.
2 Tom went to the garden.
3 Where is Tom?\tgarden\t2
4 Zoe walked to the harbour.
5 Where is Ana?\tmill\t1
"""


@pytest.mark.parametrize("model", OLD, ids=lambda path: path.stem)
def test_an_old_model_answers_as_it_did_or_says_how_to_go_on(command, tmp_path, model):
    (tmp_path / "asked.txt").write_text(ASKED)
    shown = command("predict", "-m", model, "asked.txt")
    if shown.code == 2:
        assert "train the model again" in shown.err
        assert shown.err.count("\n") == 1
        return
    assert (shown.code, shown.err) == (0, "")
    told = [json.loads(line) for line in shown.out.splitlines()]
    assert [(each["answer"], each["support"]) for each in told] == [("garden", [2]), ("mill", [1])]
    assert told[0]["score"] == pytest.approx(0.667183, abs=1e-5)


def test_there_are_old_models():
    assert OLD
