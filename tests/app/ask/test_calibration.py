"""The script that measures how much "sure" is worth."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_set_of_questions_is_answered_and_counted(words_model):
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/calibrate_ask.py", "-m", words_model, "--questions", "1"],
        capture_output=True, text=True, timeout=240, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    assert set(rows) == {"simulated", "without", "less", "other"}
    for name, row in rows.items():
        counted = [tuple(map(int, cell.split("/"))) for cell in row if "/" in cell]
        assert sum(total for _, total in counted) == int(row[1])
        assert name == "simulated" or not any(right for right, _ in counted)
        assert row[2:4] == ["predict,", "ask"]  # they say the same of every question
