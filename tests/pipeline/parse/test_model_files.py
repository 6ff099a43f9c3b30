"""Models of Stanza that somebody sends: weights are loaded, all else is refused in one line."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from babi_cascade.pipeline.parse import stanza as parser_module
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.model_files import check_model_file
from babi_cascade.pipeline.parse.stanza import StanzaParser

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[3]
SENTENCE = "Angela sold Victor a bicycle."


class Runs:
    """Touches a file if anybody unpickles it."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture
def models(tmp_path):
    """A copy of the shipped models."""
    folder = tmp_path / "models"
    shutil.copytree(StanzaParser().directory, folder, ignore=shutil.ignore_patterns("__*"))
    return folder


def archive(path, data, name="small/data.pkl", **options):
    with zipfile.ZipFile(path, "w", **options) as stream:
        stream.writestr(name, data)
        stream.writestr("small/version", "3\n")


@pytest.mark.parametrize("form", ["bare", "archive", "legacy", "protocol 5", "polyglot"])
@pytest.mark.parametrize("place", ["depparse/small.pt", "pretrain/other.pt", "forward_charlm/x.pt"])
def test_a_pickle_that_runs_something_is_refused_before_it_does(models, tmp_path, form, place):
    mark, path = tmp_path / "mark", models / "en" / place
    path.parent.mkdir(exist_ok=True)
    data = pickle.dumps({"model": Runs(mark)}, protocol=5 if form == "protocol 5" else 2)
    if form == "archive":
        archive(path, data)
    elif form == "legacy":
        magic = pickle.dumps(0x1950A86A20F9469CFC6C, protocol=2)
        path.write_bytes(magic + pickle.dumps(1001, protocol=2) + pickle.dumps({}, 2) + data)
    elif form == "polyglot":
        archive(path, pickle.dumps({}, protocol=2))
        path.write_bytes(data + path.read_bytes())
    else:
        path.write_bytes(data)
    with pytest.raises(ParserError) as refused:
        StanzaParser(models=str(models)).parse([SENTENCE])
    assert str(refused.value).startswith(f"{path}: refused as a Stanza model: ")
    assert str(refused.value).isprintable()
    assert not mark.exists()


@pytest.mark.parametrize("damage", ["empty", "cut", "compressed", "larger than it is", "text"])
def test_a_damaged_model_is_refused_in_one_line(models, damage):
    path = models / "en" / "depparse" / "small.pt"
    whole = path.read_bytes()
    if damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "compressed":
        archive(path, bytes(50_000_000), compression=zipfile.ZIP_DEFLATED)
    elif damage == "larger than it is":
        archive(path, pickle.dumps({}, protocol=2))
        small = path.read_bytes()
        place = small.index(b"PK\x01\x02") + 24
        path.write_bytes(small[:place] + (1 << 30).to_bytes(4, "little") + small[place + 4 :])
    else:
        path.write_text("these are no weights\n")
    with pytest.raises(ParserError, match=r"small\.pt: refused as a Stanza model") as refused:
        StanzaParser(models=str(models)).parse([SENTENCE])
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"en": {"default_processors": {"tokenize": "../../x"}}}', "null"]
)
def test_a_list_of_models_that_is_none_is_one_line(models, content):
    (models / "resources.json").write_text(content)
    with pytest.raises(ParserError) as told:
        StanzaParser(models=str(models)).parse([SENTENCE])
    assert str(told.value).isprintable()
    assert str(models) in str(told.value)


def test_weights_that_fit_no_model_are_one_line(models):
    import torch

    path = models / "en" / "depparse" / "small.pt"
    checkpoint = torch.load(path, weights_only=True)
    checkpoint["model"] = dict(list(checkpoint["model"].items())[:3])
    checkpoint["config"]["hidden_dim"] = 3
    for zipped in (True, False):
        torch.save(checkpoint, path, _use_new_zipfile_serialization=zipped)
        check_model_file(path)
        with pytest.raises(ParserError, match="cannot work with these models") as told:
            StanzaParser(models=str(models)).parse([SENTENCE])
        assert str(told.value).isprintable()


def test_both_forms_of_pytorch_are_read(models):
    import torch

    expected = StanzaParser().parse([SENTENCE])
    path = models / "en" / "depparse" / "small.pt"
    torch.save(torch.load(path, weights_only=True), path, _use_new_zipfile_serialization=False)
    assert StanzaParser(models=str(models)).parse([SENTENCE]) == expected


def test_models_beside_us_are_found_from_anywhere(models, monkeypatch):
    monkeypatch.setattr(parser_module, "FEW", 1)
    expected = StanzaParser(jobs=1).parse([SENTENCE, "Ida left."])
    monkeypatch.chdir(models.parent)
    parser = StanzaParser(models="models", jobs=2)
    monkeypatch.chdir("/")
    try:
        assert parser.parse([SENTENCE, "Ida left."]) == expected
        assert parser._workers is not None
    finally:
        parser.close()


def test_the_command_says_one_line(models, tmp_path):
    (models / "en" / "pos" / "small.pt").write_bytes(pickle.dumps(Runs(tmp_path / "mark")))
    (tmp_path / "story.txt").write_text("1 Angela left.\n")
    done = subprocess.run(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "annotate", "story.txt",
         "--stanza-models", "models", "--no-cache"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "refused as a Stanza model: its pickle would run more" in line
    assert json.dumps(line).isprintable()
