"""The script that measures compositions; here with words only, so that nothing is parsed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def measured(state: str) -> float:
    command = [sys.executable, "scripts/compositions.py", "--questions", "60", "--json", "--words"]
    chosen = ["--state", state, "--aim", "50", "data/samples/compositions/how-many-carried.toml"]
    done = subprocess.run(
        [*command, *chosen], capture_output=True, text=True, timeout=600, cwd=ROOT
    )
    assert done.returncode in (0, 1), done.stderr
    (row,) = json.loads(done.stdout)["compositions"]
    assert row["name"] == "how-many-carried"
    assert done.returncode == int(row["accuracy"] < 50)
    return row["accuracy"]


def test_a_composition_is_learned_from_its_own_questions_with_a_state_better_than_without():
    with_state = measured("learned")
    assert with_state >= 90
    assert with_state >= measured("none")
