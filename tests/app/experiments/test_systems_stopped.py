"""`compare` and `curve` in folders that will not have them, and stopped at bad moments."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from babi_cascade.app.experiments.folder import alone_in

ROOT = Path(__file__).parents[3]
QUICK = ("--coref", "none", "--srl", "none", "--no-plot", "--out", "here")
SMALL = (*QUICK, "--tasks", "1,6", "--questions", "20")
NGRAM = {"compare": ("compare", "--systems", "ngram"), "curve": ("curve", "--system", "ngram")}
SIZES = {"compare": (), "curve": ("--sizes", "10,20")}
both = pytest.mark.parametrize("name", ["compare", "curve"])


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@both
class TestFolders:
    def test_other_questions_are_refused_with_the_difference_and_nothing_is_touched(
        self, command, tmp_path, name
    ):
        args = (*NGRAM[name], *SIZES[name], *SMALL)
        assert command(*args).code == 0
        before = contents(tmp_path)
        refused = command(*args, "--seed", 1)
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "data_seed 1 instead of 0" in refused.err
        assert "--force" in refused.err
        assert contents(tmp_path) == before
        assert command(*args, "--seed", 1, "--force").code == 0

    def test_other_parameters_of_a_system_are_refused_with_the_difference(
        self, command, tmp_path, name
    ):
        system = [word.replace("ngram", "cascade-paper") for word in NGRAM[name]]
        args = (*system, *SIZES[name], *QUICK, "--tasks", "1", "--questions", "20")
        assert command(*args, "--cost", "0.1").code == 0
        refused = command(*args, "--cost", "1")
        assert (refused.code, refused.err.count("\n")) == (2, 1)
        assert "cost 1 instead of 0.1" in refused.err

    def test_a_place_that_cannot_be_written_is_told_before_any_work(self, command, tmp_path, name):
        (tmp_path / "here").write_text("mine")
        shown = command(*NGRAM[name], *SMALL[:-6], "--out", "here/below", *SMALL[-4:])
        assert (shown.code, shown.err.count("\n")) == (2, 1)
        assert "here/below: cannot write there" in shown.err
        assert contents(tmp_path) == {tmp_path / "here": b"mine"}

    def test_a_second_one_at_the_same_time_is_refused(self, command, tmp_path, name):
        with alone_in(tmp_path / "here"):
            shown = command(*NGRAM[name], *SMALL)
        assert (shown.code, shown.err.count("\n")) == (2, 1)
        assert "another run is going on in this folder" in shown.err

    @pytest.mark.skipif(os.name != "posix", reason="limits")
    def test_on_a_full_disk_what_is_finished_stays_and_the_way_to_go_on_is_told(
        self, command, tmp_path, name
    ):
        # Some kilobytes are left to a file: enough for any unit, too little for the table of all.
        limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)); "
        command("generate", "--tasks", "1,6", "--questions", 20, "--out", "stories")
        args = (*NGRAM[name], *SIZES[name], *QUICK, "--data", "stories", "--seeds", "8")
        shown = subprocess.run(
            [sys.executable, "-B", "-c", f"{limited}from babi_cascade.app.cli import main; main()", *args],
            cwd=tmp_path, text=True, capture_output=True, timeout=120,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert shown.returncode == 2
        *_, first, second = shown.stderr.splitlines()
        assert first == "here: what is finished is kept; the same command goes on from there"
        assert second.startswith(f"error: here/{name}.json: found an error (File too large)")
        kept = contents(tmp_path / "here")
        assert len(kept) == (16 if name == "compare" else 32)
        assert command(*args).code == 0
        assert {
            path: content for path, content in contents(tmp_path / "here").items() if path in kept
        } == kept


SLOWER = {
    "compare": ("--systems", "ngram,memnn,cascade-extended", "--seeds", "2"),
    "curve": ("--system", "memnn", "--sizes", "10,20", "--seeds", "2"),
}


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("jobs", [1, 2])
@both
def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(command, tmp_path, name, jobs):
    args = (name, *SLOWER[name], *SMALL, "--cost", "0.1", "--jobs", jobs)
    process = subprocess.Popen(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", *map(str, args)],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    end = time.monotonic() + 120
    while not list(tmp_path.glob("here/units/*.json")) and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("it was done before it could be stopped")
    assert process.returncode == 130
    assert "the same command goes on from there" in errors
    # A worker that is only just starting is not ours yet: Python itself tells of its end.
    starting = r"Process LokyProcess-\d+:\nTraceback.*?KeyboardInterrupt[^\n]*\n"
    assert "Traceback" not in re.sub(starting, "", errors, flags=re.DOTALL)
    kept = contents(tmp_path / "here/units")
    assert kept
    assert command(*args[:-2]).code == 0
    assert {path: path.read_bytes() for path in kept} == kept
