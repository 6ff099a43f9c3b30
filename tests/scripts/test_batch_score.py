"""The script that answers many files with one model: a thin way to `babi-cascade batch-score`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/batch_score.sh"


@pytest.mark.skipif(
    not (ROOT / ".venv/bin/babi-cascade").exists(), reason="scripts/test.sh makes the environment"
)
def test_it_is_the_command_with_an_environment_of_its_own(tmp_path):
    done = subprocess.run(
        [SCRIPT, "gone.model", "nowhere.txt"], capture_output=True, text=True, timeout=300, cwd=tmp_path
    )  # fmt: skip
    assert done.returncode == 2
    assert "nowhere.txt: found no such file" in done.stderr
    assert subprocess.run([SCRIPT], capture_output=True, timeout=60).returncode == 2
