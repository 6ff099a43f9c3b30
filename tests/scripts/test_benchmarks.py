"""The benchmarks of predicting and of memory, and scripts/survive_kills.py on very little."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(name, *args):
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / name, *map(str, args)], capture_output=True, text=True,
        timeout=500, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_the_benchmark_of_predicting_prints_its_figures():
    done = run("benchmark_predict.py", "--tasks", "1", "--questions", 100, "--words", "--json")
    assert done.returncode in (0, 1), done.stderr
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["ratio"] == pytest.approx(figures["fit"] / figures["predict"])
    assert figures["ratio"] > 0.5  # predicting so few is not what it is for
    assert done.returncode == (figures["ratio"] < figures["aim"])


def test_a_fit_takes_at_most_four_times_the_memory_of_its_data():
    done = run("benchmark_svm.py", "--memory", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["rows"]
    assert 1.0 < row["times_data"] <= 4.0


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(("command", "kills"), [("ablate", 1), ("compare", 3), ("curve", 3)])
def test_kills_are_survived_and_counted(command, kills):
    done = run("survive_kills.py", "--kills", kills, "--command", command)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{command}: {kills} kills")


def test_no_kill_at_all_is_refused():
    assert run("survive_kills.py", "--kills", 0).returncode == 2


def test_a_long_story_is_measured_in_a_process_of_its_own():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/benchmark_long_story.py", "--facts", "50", "300"],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    heading, *rows = done.stdout.splitlines()
    assert heading.split() == ["preset", "facts", "MB", "CPU", "s", "answer"]
    assert [row.split()[1] for row in rows] == ["50", "300"]
    assert all(row.endswith("right") for row in rows)
