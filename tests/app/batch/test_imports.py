"""What a command imports is what it needs: measured with Python's own record of imports."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
HEAVY = {"torch", "stanza", "sklearn", "matplotlib", "dask", "distributed", "pandas"}
COMPILED = {"numba", "llvmlite", "scipy"}


def imported(cwd, *args):
    """Run the command and return the top-level packages that it imported, with their milliseconds."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "from babi_cascade.app.cli import main; main()",
         *map(str, args)],
        cwd=cwd, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^import time:\s*(\d+) \|\s*\d+ \|\s*([\w.]+)$", done.stderr, re.MULTILINE)
    seconds: dict[str, float] = {}
    for own, module in found:
        top = module.partition(".")[0]
        seconds[top] = seconds.get(top, 0) + int(own) / 1000
    return seconds


def test_predicting_imports_neither_parser_nor_plots(model, asked, tmp_path):
    found = imported(tmp_path, "predict", "-m", model, asked)
    assert "numba" in found  # so that the record is known to be one
    # The base class of estimators, whose package looks whether pandas is there.
    assert HEAVY & set(found) <= {"sklearn", "pandas"}
    # Our own modules are small change beside the compiler's.
    assert found["babi_cascade"] < sum(found.values()) / 2


@pytest.mark.parametrize(
    "args",
    [["--help"], ["--version"], ["run", "--help"], ["predict", "--help"], ["generate", "--help"]],
)
def test_help_imports_nothing_that_takes_long(tmp_path, args):
    assert not (HEAVY | COMPILED) & set(imported(tmp_path, *args))


def test_scoring_needs_no_compiler(asked, tmp_path):
    lines = [line for line in asked.read_text().splitlines() if "\t" in line]
    (tmp_path / "p.jsonl").write_text('{"answer": "office"}\n' * len(lines))
    assert not (HEAVY | COMPILED) & set(imported(tmp_path, "score", "p.jsonl", asked))
