"""scripts/fuzz_model.py on a few hundred mutants, and on loaders that believe too much."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.pipeline.coref.corenlp import CoreNLP

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("fuzz_model", ROOT / "scripts/fuzz_model.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["fuzz_model.py", *map(str, arguments)])
    return script.main()


@pytest.mark.parametrize("system", ["extended", "paper", "ngram"])
def test_damaged_and_forged_models_are_refused_or_good(script, monkeypatch, capsys, system):
    assert run(script, monkeypatch, "--system", system, "--mutations", 200, "--seed", 7) == 0
    told = capsys.readouterr().out
    assert "200 mutations, 0 failures" in told
    for kind in ("bytes, cut", "bytes, length", "forged, description", "forged, version"):
        assert f"{kind}: refused" in told


def test_a_loader_that_takes_too_much_memory_is_found_out(script, monkeypatch, capsys):
    real = script.ModelChoice.load

    def greedy(choice):
        bytearray(4_000_000)
        return real(choice)

    monkeypatch.setattr(script.ModelChoice, "load", greedy)
    assert run(script, monkeypatch, "--mutations", 20) == 1
    assert "for a file of" in capsys.readouterr().err


def read_trees(names):
    Path(names["conllu"]).read_bytes()


def start_senna(names):
    subprocess.run([f"{names['senna']}/senna"], check=False)


def ask_server(names):
    CoreNLP(names["corenlp_url"], timeout=0.1).check()


def import_module(names):
    importlib.import_module(names["coref_backbone"])


@pytest.mark.parametrize("believe", [read_trees, start_senna, ask_server, import_module])
def test_a_loader_that_does_what_the_file_says_is_found_out(script, monkeypatch, capsys, believe):
    real = script.ModelChoice.load

    def believing(choice):
        found = real(choice)
        with contextlib.suppress(BaseException):
            believe(script.load_model(choice.path)[1]["origin"]["back_ends"])
        return found

    monkeypatch.setattr(script.ModelChoice, "load", believing)
    monkeypatch.setattr(script, "MOST_FAILURES", 1)
    assert run(script, monkeypatch, "--mutations", 1000) == 1
    assert "did what a file may not ask for" in capsys.readouterr().err
