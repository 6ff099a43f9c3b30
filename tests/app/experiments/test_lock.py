"""One run at a time in a folder, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from babi_cascade.app.experiments.folder import alone_in
from babi_cascade.errors import UserError

ROOT = Path(__file__).parents[3]
HOLDER = """
import sys, time
from pathlib import Path
from babi_cascade.app.experiments.folder import alone_in
with alone_in(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_in_the_folder_is_refused_until_the_first_has_ended_or_was_killed(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdout.readline() == b"held\n"
    with (
        pytest.raises(UserError, match="another run is going on in this folder"),
        alone_in(tmp_path),
    ):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    with alone_in(tmp_path):
        pass
    with alone_in(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_folders_that_were_made_for_nothing_are_gone_afterwards(tmp_path):
    with pytest.raises(ZeroDivisionError), alone_in(tmp_path / "a/b"):
        _ = 1 / 0
    assert not list(tmp_path.iterdir())
    with alone_in(tmp_path / "a/b"):
        (tmp_path / "a/b/results.json").write_text("{}")
    assert [path.name for path in (tmp_path / "a/b").iterdir()] == ["results.json"]


def test_halves_of_files_of_a_killed_run_are_removed_and_nothing_else(tmp_path):
    (tmp_path / "units").mkdir()
    for name in (
        ".0123456789abcdef.tmp",
        "units/.fedcba9876543210.tmp",
        "mine.tmp",
        "units/qa1.json",
    ):
        (tmp_path / name).write_text("x")
    with alone_in(tmp_path):
        pass
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"mine.tmp", "units/qa1.json"}


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below"):
        with pytest.raises(UserError, match="cannot write there"), alone_in(tmp_path / place):
            pass
