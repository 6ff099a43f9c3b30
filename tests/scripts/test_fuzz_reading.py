"""scripts/fuzz_reading.py on a few mutants, and on readers that believe too much."""

from __future__ import annotations

import importlib.util
import pickle
import sys
from pathlib import Path

import pytest

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def script(monkeypatch):
    spec = importlib.util.spec_from_file_location("fuzz_reading", ROOT / "scripts/fuzz_reading.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # A limit of this process would be one of all tests after it.
    monkeypatch.setattr(module.resource, "setrlimit", lambda *limits: None)
    return module


def run(script, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["fuzz_reading.py", *map(str, arguments)])
    return script.main()


def test_damaged_and_forged_caches_are_made_anew(script, monkeypatch, capsys):
    assert run(script, monkeypatch, "cache", "--mutations", 150, "--seed", 7) == 0
    told = capsys.readouterr().out
    assert "150 mutations, 0 failures" in told
    for kind in ("bytes, cut", "forged, value", "forged, bomb", "forged, schema", "forged, type"):
        assert f"{kind}: made anew" in told


def test_damaged_and_forged_models_are_refused_or_work(script, monkeypatch, capsys):
    assert run(script, monkeypatch, "models", "--mutations", 15, "--seed", 1) == 0
    assert "15 mutations, 0 failures" in capsys.readouterr().out


def test_a_cache_that_believes_its_entries_is_found_out(script, monkeypatch, capsys):
    def trusting(content, checksum, most):
        return script.zlib.decompress(content).decode()

    monkeypatch.setattr("babi_cascade.pipeline.parse.cache._unpacked", trusting)
    assert run(script, monkeypatch, "cache", "--mutations", 60) == 1
    assert "Error" in capsys.readouterr().err


def test_models_that_run_something_are_found_out(script, monkeypatch, capsys):
    def trusting(path):
        if path.read_bytes()[:2] != b"PK":
            pickle.loads(path.read_bytes())

    monkeypatch.setattr(script, "check_model_file", trusting)
    assert run(script, monkeypatch, "models", "--mutations", 20) == 1
    assert "something ran" in capsys.readouterr().err
