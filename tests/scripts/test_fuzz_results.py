"""The fuzzer of result folders: a short run of every door."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="compare and curve need the extra comparison")
ROOT = Path(__file__).parents[2]


def test_damaged_and_forged_results_are_refused_or_shown():
    done = subprocess.run(
        [sys.executable, "scripts/fuzz_results.py", "--tries", "40", "--seed", "7"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "240 tries, 0 failures" in done.stdout
    for door in ("report", "score", "run", "ablate", "compare", "curve"):
        assert f" {door}: " in done.stdout
