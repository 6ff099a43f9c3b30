"""The script that answers many files with one model and scores them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts/batch_score.sh"
COMMAND = ROOT / ".venv/bin/babi-cascade"

pytestmark = pytest.mark.skipif(
    not COMMAND.exists(), reason="scripts/test.sh makes the environment"
)


def run(*args, cwd):
    return subprocess.run(
        [str(arg) for arg in args], capture_output=True, text=True, timeout=300, cwd=cwd
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Stories and a model of words only."""
    folder = tmp_path_factory.mktemp("batch score")
    made = run(
        COMMAND, "generate", "--tasks", "1,6", "--questions", "30", "--out", "it", cwd=folder
    )
    assert made.returncode == 0, made.stderr
    options = ("--cost", "0.1", "--coref", "none", "--srl", "none")
    done = run(COMMAND, "train", "it", "--tasks", "1,6", "-m", "a model", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def test_files_are_answered_and_scored(folder):
    files = sorted(path.relative_to(folder) for path in folder.glob("it/*_test.txt"))
    done = run(SCRIPT, "a model", *files, "--out", "here", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [line.split()[1] for line in done.stdout.splitlines()[1:]] == ["30", "30", "60"]
    kept = sorted((folder / "here").iterdir())
    assert [path.name for path in kept] == [f"{file.stem}.jsonl" for file in files]
    assert all("answer" in json.loads(line) for line in kept[0].read_text().splitlines())
    bare = run(SCRIPT, "a model", "it", "--score-only", cwd=folder)
    assert bare.returncode == 0, bare.stderr
    assert 0.3 < float(bare.stdout) <= 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "expected a model and at least one file"),
        (["a model"], "expected a model and at least one file"),
        (["a model", "it", "--colour"], "unknown option --colour"),
        (["a model", "it", "--out"], "--out needs a value"),
        (["a model", "it", "it"], "two of FILES would write"),
        (["gone", "it"], "gone"),
        (["a model", "gone.txt"], "gone.txt"),
    ],
)
def test_nonsense_is_refused(folder, args, said):
    refused = run(SCRIPT, *args, cwd=folder)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr


def test_lines_that_cannot_be_answered_are_told_by_the_exit_code(folder):
    good = '{"story": ["Mary left."], "question": "Who left?", "answer": "Mary", "id": "a"}\n'
    (folder / "some.jsonl").write_text(good + "{\n")
    done = run(SCRIPT, "a model", "some.jsonl", cwd=folder)
    assert done.returncode == 2  # the true answers cannot be read either
    assert "some.jsonl:2: found broken JSON" in done.stderr
    assert len((folder / "out/batch/some.jsonl").read_text().splitlines()) == 2
