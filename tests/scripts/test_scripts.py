"""The shell scripts: each explains itself, refuses nonsense, and the main one does the main job."""

from __future__ import annotations

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


@pytest.mark.skipif(
    not (ROOT / ".venv/bin/babi-cascade").exists(), reason="scripts/test.sh makes the environment"
)
def test_the_main_job_simulates_proves_and_describes(tmp_path):
    done = run(
        ROOT / "scripts/run_external_track.sh", "--questions", "5", "--out", "stories", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "proved: 200 answers" in done.stdout
    assert "qa20_agents-motivations_test.txt" in done.stdout
    assert len(list((tmp_path / "stories").glob("qa*.txt"))) == 40


def test_an_unknown_argument_is_refused(tmp_path):
    refused = run(ROOT / "scripts/run_external_track.sh", "--colour", cwd=tmp_path)
    assert refused.returncode == 2
    assert "unknown argument --colour" in refused.stderr
