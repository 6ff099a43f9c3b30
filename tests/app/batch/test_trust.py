"""Models that somebody else made: whatever the file says, nothing is started, asked or read because of it."""

from __future__ import annotations

import copy
import os
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from babi_cascade.app.experiments import BackEnds
from babi_cascade.svm.model_file import load_model, save_model

ROOT = Path(__file__).parents[3]
ASKED = "1 Mary moved to the office.\n2 Where is Mary?\n"
TREES = """\
# newdoc id = forged
# text = Mary moved to the office.
1\tMary\tmary\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tmoved\tmove\tVERB\tVBD\t_\t0\troot\t_\t_
3\tto\tto\tADP\tIN\t_\t5\tcase\t_\t_
4\tthe\tthe\tDET\tDT\t_\t5\tdet\t_\t_
5\toffice\toffice\tNOUN\tNN\t_\t2\tobl\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

# text = Where is Mary?
1\tWhere\twhere\tADV\tWRB\t_\t0\troot\t_\t_
2\tis\tbe\tAUX\tVBZ\t_\t1\tcop\t_\t_
3\tMary\tmary\tPROPN\tNNP\t_\t1\tnsubj\t_\tSpaceAfter=No
4\t?\t?\tPUNCT\t.\t_\t1\tpunct\t_\t_

"""


@pytest.fixture
def trap(tmp_path):
    """A program in the place of SENNA that leaves a mark when it runs."""
    folder = tmp_path / "senna-folder"
    folder.mkdir()
    program = folder / "senna"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\nexit 1\n")
    program.chmod(0o755)
    return folder


@pytest.fixture
def listening():
    """A server on this machine that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        yield server


def was_asked(server):
    try:
        server.accept()[0].close()
    except TimeoutError:
        return False
    return True


def forged(path, model, back_ends, reader):
    """Save a model with right checksums whose back ends are those of somebody else."""
    arrays, meta = load_model(model)
    reading = {"parser": "none", "coref": back_ends["coref"], "srl": back_ends["srl"]}
    if reader != "words only":
        stages = [f"{stage}_fingerprint" for stage in reading]
        reading |= dict(zip(stages, reader.split(" | "), strict=True))
        reading["parser"] = reader.split(" ")[0]
    origin = copy.deepcopy(meta["origin"])
    origin["settings"]["reading"] = reading
    origin["back_ends"] = {k: str(v) for k, v in back_ends.items()}  # as earlier models have them
    save_model(path, arrays, {**meta, "origin": origin, "reader": reader})


def refused(shown, *said):
    """The command ended with one line that says all of this."""
    assert shown.code == 2, (shown.out, shown.err)
    assert shown.err.count("\n") == 1, shown.err
    for each in said:
        assert each in shown.err


@pytest.mark.parametrize(
    "words", [("predict",), ("explain",), ("predict", "--jobs", "2"), ("ask",)]
)
def test_a_program_beside_the_file_is_not_started(command, model, tmp_path, trap, words):
    (tmp_path / "asked.txt").write_text(ASKED)
    (tmp_path / "trees.conllu").write_text(TREES)
    places = {"conllu": Path("trees.conllu"), "senna": trap}
    reader = BackEnds(coref="none", srl="senna", **places).reader().fingerprint
    forged(tmp_path / "m", model, {"coref": "none", "srl": "senna", **places}, reader)
    refused(command(*words, "asked.txt", "-m", "m", "--no-cache"), "m: ", "--conllu")
    brought = ("--conllu", "trees.conllu")
    refused(command(*words, "asked.txt", "-m", "m", "--no-cache", *brought), "m: ", "--senna")
    assert not (tmp_path / "started").exists()
    # The trap is one: what the user says is done.
    command(*words, "asked.txt", "-m", "m", "--no-cache", *brought, "--senna", trap)
    assert (tmp_path / "started").exists()


def test_a_program_that_the_environment_names_is_not_started_for_a_file(
    command, model, tmp_path, trap, monkeypatch
):
    monkeypatch.setenv("SENNA", str(trap))
    (tmp_path / "asked.txt").write_text(ASKED)
    (tmp_path / "trees.conllu").write_text(TREES)
    brought = BackEnds(coref="none", srl="senna", conllu=Path("trees.conllu"))
    forged(tmp_path / "m", model, {"coref": "none", "srl": "senna"}, brought.reader().fingerprint)
    refused(command("predict", "asked.txt", "-m", "m", "--conllu", "trees.conllu"), "--senna")
    assert not (tmp_path / "started").exists()


def test_nothing_is_sent_to_an_address_of_the_file(command, model, tmp_path, listening):
    (tmp_path / "asked.txt").write_text(ASKED)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    back_ends = {"coref": "corenlp", "srl": "none", "corenlp_url": url}
    forged(tmp_path / "m", model, back_ends, f"stanza 1 | corenlp-1-coref-{url} | none")
    for words in (("predict", "asked.txt"), ("explain", "asked.txt")):
        refused(command(*words, "-m", "m", "--no-cache"), "m: ", "--corenlp-url")
    served = subprocess.run(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "serve", "--port", "0",
         "-m", "m", "--no-cache"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert served.returncode == 2
    assert "error: m: " in served.stderr
    assert "--corenlp-url" in served.stderr
    assert not was_asked(listening)


@pytest.mark.parametrize(
    ("back_ends", "variable", "options"),
    [
        ({"coref": "corenlp", "srl": "none"}, "CORENLP", "--corenlp or --corenlp-url"),
        ({"coref": "none", "srl": "clearnlp"}, "CLEARNLP", "--clearnlp"),
    ],
)
def test_a_java_program_that_the_environment_names_is_not_started_for_a_file(
    command, model, tmp_path, monkeypatch, back_ends, variable, options
):
    from babi_cascade.pipeline import java

    started = []
    monkeypatch.setattr(java.JavaProgram, "__init__", lambda *words: started.append(words))
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "asked.txt").write_text(ASKED)
    reader = " | ".join(("stanza 1", back_ends["coref"], back_ends["srl"]))
    forged(tmp_path / "m", model, back_ends, reader)
    refused(command("predict", "asked.txt", "-m", "m"), "m: ", options)
    assert started == []


def test_annotations_that_the_file_names_are_not_read(command, model, tmp_path):
    (tmp_path / "asked.txt").write_text(ASKED)
    (tmp_path / "trees.conllu").write_text(TREES)
    places = {"conllu": Path("trees.conllu")}
    reader = BackEnds(coref="conllu", srl="conllu", **places).reader().fingerprint
    forged(tmp_path / "m", model, {"coref": "conllu", "srl": "conllu", **places}, reader)
    refused(command("predict", "asked.txt", "-m", "m", "--no-cache"), "m: ", "--conllu")
    shown = command("predict", "asked.txt", "-m", "m", "--no-cache", "--conllu", "trees.conllu")
    assert (shown.code, shown.err) == (0, "")


@pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
def test_parser_models_that_the_file_names_are_not_opened(command, model, tmp_path):
    (tmp_path / "asked.txt").write_text(ASKED)
    (tmp_path / "models/en/tokenize").mkdir(parents=True)
    (tmp_path / "models/en/tokenize/small.pt").write_bytes(b"anything, a pickle too")
    back_ends = {"coref": "sieve", "srl": "none", "stanza_models": "models"}
    reader = BackEnds(**back_ends).reader().fingerprint
    forged(tmp_path / "m", model, back_ends, reader)
    shown = command("predict", "asked.txt", "-m", "m", "--no-cache")
    refused(shown, "m: stories would be read otherwise", "--stanza-models")


@pytest.mark.parametrize("stage", ["coref", "srl"])
@pytest.mark.parametrize("name", ["os", "../../x", "pipeline.coref.sieve:Sieve", "a\x1b[2Jb", ""])
def test_a_back_end_that_nobody_knows(command, model, tmp_path, stage, name):
    (tmp_path / "asked.txt").write_text(ASKED)
    forged(tmp_path / "m", model, {"coref": "none", "srl": "none", stage: name}, "words only")
    shown = command("predict", "asked.txt", "-m", "m")
    refused(shown, f"m: found --{stage}", "expected one of")
    assert shown.err[:-1].isprintable()


def test_a_trained_model_keeps_names_and_no_places(command, tmp_path):
    (tmp_path / "asked.txt").write_text(ASKED.replace("Mary?", "Mary?\toffice\t1"))
    (tmp_path / "trees.conllu").write_text(TREES)
    args = ("--coref", "none", "--srl", "conllu", "--conllu", "trees.conllu", "--no-cache")
    shown = command("train", "asked.txt", "-m", "m", "--cost", 0.1, *args)
    assert shown.code == 0, shown.err
    reading = load_model(tmp_path / "m")[1]["origin"]["settings"]["reading"]
    assert [reading[stage] for stage in ("parser", "coref", "srl")] == ["conllu", "none", "conllu"]
    assert b"trees.conllu" not in (tmp_path / "m").read_bytes()


def test_an_option_that_a_model_has_no_use_for_is_told(command, model, tmp_path):
    (tmp_path / "asked.txt").write_text(ASKED)
    (tmp_path / "trees.conllu").write_text(TREES)
    for words in (("predict", "asked.txt", "-m", model), ("ask", "asked.txt", "-m", model)):
        refused(command(*words, "--conllu", "trees.conllu"), "words only", "--conllu")
    refused(command("ask", "asked.txt", "--conllu", "trees.conllu"), "--conllu", "-m")


def test_a_feature_group_that_is_not_installed_is_named(command, model, tmp_path):
    arrays, meta = load_model(model)
    (tmp_path / "asked.txt").write_text(ASKED)
    texts = meta["support"]["texts"]
    assert "recency" in texts
    meta["support"]["texts"] = texts.replace("recency", "colours", 1)
    save_model(tmp_path / "m", arrays, meta)
    refused(command("predict", "asked.txt", "-m", "m"), 'feature group "colours"', "install")
    features = ["recency", "colours", "answer-copy"]
    save_model(tmp_path / "m", arrays, {**meta, "params": {**meta["params"], "features": features}})
    refused(command("predict", "asked.txt", "-m", "m"), "feature group: found 'colours'", "install")


MISSING = [
    ("predict", "asked.txt", "-m", "gone"),
    ("predict", "asked.txt", "-m", "asked.txt"),
    ("predict", "asked.txt", "-m", "needy"),
    ("ask", "asked.txt", "-m", "needy"),
    ("train", "asked.txt", "-m", "m", "--srl", "senna"),
    ("train", "asked.txt", "-m", "m", "--stanza-models", "nowhere"),
    ("run", "--tasks", "1", "--questions", "10", "--out", "out", "--srl", "senna"),
    ("run", "--tasks", "1", "--questions", "10", "--out", "out", "--stanza-models", "nowhere"),
    ("report", "nowhere"),
]


@pytest.mark.parametrize("words", MISSING, ids=" ".join)
def test_what_is_missing_is_told_before_the_learner_is_loaded(model, tmp_path, words):
    (tmp_path / "asked.txt").write_text(ASKED)
    forged(tmp_path / "needy", model, {"coref": "none", "srl": "senna"}, "stanza 1 | none | senna")
    program = (
        "import sys\nfrom babi_cascade.app.cli import main\n"
        "try:\n    main()\nfinally:\n    print('babi_cascade.svm.compiled' in sys.modules, file=sys.stderr)\n"
    )
    paths = {"PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache"), "SENNA": ""}
    done = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, **paths},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    told = [line for line in done.stderr.splitlines() if not line.startswith("no model given")]
    assert told[0].startswith("error: ")
    assert told[1:] == ["False"]
