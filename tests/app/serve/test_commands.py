"""`serve` as a user starts and stops it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from babi_cascade.app.cli import cli
from babi_cascade.app.cli.serve import hold_model, model_command, serve, told_of
from babi_cascade.app.serve import LiveServer
from babi_cascade.pipeline.stories.saving import save_questions

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def model(small_questions, tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    save_questions(folder / "train.jsonl", small_questions)
    arguments = ["train", str(folder / "train.jsonl"), "-m", str(folder / "words.model"), "--coref", "none",
                 "--srl", "none", "--cost", "0.1"]  # fmt: skip
    cli.main(arguments, standalone_mode=False)
    return folder / "words.model"


def test_it_says_where_it_is_and_ctrl_c_ends_it(model, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "serve", "-m",
         str(model), "--port", "0", "--log"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )  # fmt: skip
    assert process.stdout is not None
    line = process.stdout.readline()
    url = line.split()[0]
    assert url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(url, timeout=30) as page:
        assert b"<textarea" in page.read()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    assert '"GET / HTTP/1.1" 200' in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "cache").exists()


def test_a_model_that_cannot_be_loaded_is_one_line_and_exit_code_2(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", "serve", "-m",
         "nothere", "--port", "0"],
        capture_output=True, text=True, cwd=tmp_path, timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert (
        len([line for line in done.stderr.splitlines() if line.startswith("error: nothere")]) == 1
    )


def test_the_process_with_the_model_gets_the_options_that_were_given():
    given = ["-m", "a.model", "--senna", "tools", "--no-cache", "--port", "0", "--timeout", "3"]
    with serve.make_context("serve", given) as context:
        assert told_of(context, hold_model) == ["-m", "a.model", "--senna", "tools", "--no-cache"]


def test_the_process_with_the_model_imports_nothing_from_the_current_directory(
    model, tmp_path, monkeypatch
):
    for name in ("json", "multiprocessing", "numpy", "pipeline", "threading"):
        (tmp_path / f"{name}.py").write_text("open('owned', 'w')\nraise SystemExit(3)\n")
    command = model_command("-m", str(model))
    monkeypatch.chdir(tmp_path)
    with LiveServer(command, port=0) as server:
        server.load()
    assert not (tmp_path / "owned").exists()


def test_only_serve_can_use_the_process_with_the_model(command):
    shown = command("hold-model", "--help")
    assert shown.code == 0
    assert "hold-model" not in command("--help").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0"), "--allow-remote"),
        (("--port", "70000"), "--port"),
        (("--host", "no.such.host.invalid"), "no such address"),
    ],
)
def test_wrong_usage_is_told_before_anything_is_loaded(command, model, arguments, said):
    shown = command("serve", "-m", model, *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_a_port_in_use_is_told_before_anything_is_loaded(command, model):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shown = command("serve", "-m", model, "--port", port)
    assert (shown.code, shown.out) == (2, "")
    assert shown.err == f"error: 127.0.0.1:{port}: cannot serve there: Address already in use\n"
