"""scripts/benchmark_annotate.py on very few stories."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_benchmark_of_annotating_prints_its_figures():
    pytest.importorskip("stanza", reason="the extra nlp is not installed")
    script = ROOT / "scripts/benchmark_annotate.py"
    done = subprocess.run(
        [sys.executable, script, "--questions", "1", "--runs", "1", "--jobs", "1", "--json"],
        capture_output=True, text=True, timeout=500, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    # So few sentences may not be read back 20 times faster than the models are loaded.
    assert done.returncode in (0, 1), done.stderr
    figures = json.loads(done.stdout)
    assert figures["ratio"] == pytest.approx(figures["first"] / figures["cached"])
    assert figures["ratio"] > 1
