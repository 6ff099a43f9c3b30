"""The shell scripts: each explains itself, refuses nonsense, and the main one does the main job."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted(path for path in (ROOT / "scripts").glob("*.sh") if path.name != "environment.sh")


def run(*args, **kwargs):
    return subprocess.run(
        [str(arg) for arg in args], capture_output=True, text=True, timeout=300, **kwargs
    )


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_explains_itself(script):
    shown = run(script, "--help")
    assert shown.returncode == 0
    assert script.name in shown.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_stops_at_the_first_error(script):
    assert "\nset -euo pipefail\n" in script.read_text(encoding="utf-8")


needs_environment = pytest.mark.skipif(
    not (ROOT / ".venv/bin/babi-cascade").exists(), reason="scripts/test.sh makes the environment"
)


@needs_environment
def test_the_main_job_trains_and_tests_the_cascade_on_simulated_stories(tmp_path):
    done = run(
        ROOT / "scripts/run_external_track.sh", "--tasks", "1,6", "--questions", "40",
        "--out", "here", "--cache", "annotations.sqlite", "--cost", "0.1", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "single-supporting-fact" in done.stdout
    assert "paper: mean 99 %" in done.stdout.splitlines()[-1]
    record = json.loads((tmp_path / "here/results.json").read_text())
    assert [task["task"] for task in record["tasks"]] == [1, 6]
    assert len((tmp_path / "here/predictions/qa6.jsonl").read_text().splitlines()) == 40
    assert (tmp_path / "annotations.sqlite").exists()


@needs_environment
def test_groups_are_ablated(tmp_path):
    done = run(
        ROOT / "scripts/ablate_features.sh", "--tasks", "1", "--questions", "20", "--cost", "0.1",
        "--out", "here", "--coref", "none", "--srl", "none", "--preset", "paper", "--features",
        "word-pairs,pair-order,answer-word-pairs", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for name in ("ablation.csv", "ablation.json", "ablation.png"):
        assert (tmp_path / "here" / name).stat().st_size


@needs_environment
def test_systems_are_compared(tmp_path):
    done = run(
        ROOT / "scripts/compare_systems.sh", "--tasks", "1", "--questions", "20", "--cost", "0.1",
        "--systems", "ngram,cascade-paper", "--coref", "none", "--srl", "none", "--out", "here",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "single-supporting-fact" in done.stdout
    for name in ("compare.md", "compare.csv", "compare.json", "compare.png"):
        assert (tmp_path / "here" / name).stat().st_size


@needs_environment
@pytest.mark.parametrize(
    "name", ["run_external_track.sh", "ablate_features.sh", "compare_systems.sh"]
)
def test_an_unknown_argument_is_refused(tmp_path, name):
    refused = run(ROOT / "scripts" / name, "--colour", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--colour" in refused.stderr
    assert not list(tmp_path.iterdir())
