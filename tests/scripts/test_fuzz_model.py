"""scripts/fuzz_model.py on a few hundred mutants, and on a loader that believes too much."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

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
    real = script.Cascade.load

    def greedy(path):
        bytearray(4_000_000)
        return real(path)

    monkeypatch.setattr(script.Cascade, "load", greedy)
    assert run(script, monkeypatch, "--mutations", 20) == 1
    assert "for a file of" in capsys.readouterr().err
