"""The script that measures compositions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def measured(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/compositions.py", "--questions", "40", "--json", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)


def test_a_composition_is_learned_from_its_own_questions(tmp_path):
    chosen = "data/samples/compositions/where-thing-before.toml"
    done = measured(chosen, "--cache", str(tmp_path / "cache"), "--aim", "80")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["compositions"]
    assert row["name"] == "where-thing-before"
    assert row["accuracy"] >= 80
