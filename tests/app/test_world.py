"""`world`: what sentences do and what questions ask, as it was learned; here without a word of English."""

from __future__ import annotations

import json

import pytest

from babi_cascade.app.cli import cli


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("world")
    quick = ["--coref", "none", "--srl", "none", "--cost", "0.1"]
    for arguments in (
        ["generate", "--tasks", "2", "--questions", "60", "--language", "shuffled", "--out", home],
        ["train", home, "-m", home / "with.model", *quick],
        ["train", home, "-m", home / "without.model", *quick, "--state", "none"],
    ):
        cli.main([str(each) for each in arguments], standalone_mode=False)
    return home


def shown(capsys, *arguments) -> str:
    cli.main(["world", *map(str, arguments)], standalone_mode=False)
    return capsys.readouterr().out


def test_operations_and_readouts_are_told_in_words(folder, capsys):
    capsys.readouterr()
    lines = shown(capsys, folder / "with.model").splitlines()
    assert lines[0] == "what sentences do"
    assert any(line.startswith("  the ") and "is now with or at the" in line for line in lines)
    assert any("is now where the" in line for line in lines)
    assert lines[-1].endswith("where its pointers end  (right for 60 of 60)")


def test_the_same_as_json(folder, capsys):
    capsys.readouterr()
    record = json.loads(shown(capsys, folder / "with.model", "--json"))
    (asks,) = record["readouts"]
    assert (asks["right"], asks["questions"]) == (60, 60)
    assert {"point", "copy", "keep"} == {row["operation"] for row in record["operations"]}
    assert record["operations"] == sorted(record["operations"], key=lambda row: -row["answers"])


def test_a_model_without_a_state_says_so(folder, capsys):
    capsys.readouterr()
    assert shown(capsys, folder / "without.model") == "no state of the world was learned\n"
    assert shown(capsys, folder / "without.model", "--json") == "null\n"
