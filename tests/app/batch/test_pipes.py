"""`predict` in a pipe: at once, without end, and with readers who leave early."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]


def records(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.skipif(os.name != "posix", reason="pipes")
class TestPipes:
    def test_a_question_is_answered_while_the_pipe_stays_open(self, started, model, half_bad):
        process = started("predict", "-m", model, "-")
        for number, line in enumerate(half_bad.splitlines()[:5], start=1):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            if "\t" in line:
                told = json.loads(process.stdout.readline())
                assert told["id"] == f"stdin-1-{number}"
        assert process.poll() is None
        process.communicate()
        assert process.returncode == 1  # line 4 is wrong

    def test_a_named_pipe_and_jsonl_too(self, started, model, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        process = started("predict", "-m", model, "pipe", "--jobs", 2)
        with (tmp_path / "pipe").open("w") as pipe:
            for place in ("office", "garden"):
                pipe.write(
                    f'{{"story": ["Mary moved to the {place}."], "question": "Where is Mary?"}}\n'
                )
                pipe.flush()
                assert json.loads(process.stdout.readline())["answer"] == place
        process.communicate()
        assert process.returncode == 0

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_reader_who_has_seen_enough_is_no_error(self, started, model, asked, jobs):
        process = started("predict", "-m", model, "-", "--jobs", jobs)
        text = asked.read_text()
        stop = threading.Event()

        def feed():
            try:
                while not stop.is_set():
                    process.stdin.write(text)
            except (BrokenPipeError, ValueError):
                pass

        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        assert "answer" in process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        assert process.wait(60) == 0
        assert errors == ""
        stop.set()
        feeder.join(10)

    def test_a_kill_leaves_whole_lines(self, started, model, asked):
        process = started("predict", "-m", model, "-")
        process.stdin.write(asked.read_text())
        process.stdin.flush()
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        # Not communicate(), which passes over what readline() has already taken from the pipe.
        rest = process.stdout.read()
        assert process.wait(60) == 128 + signal.SIGTERM
        assert all("answer" in record for record in records(first + rest))

    def test_memory_does_not_grow_with_the_input(self, started, model, asked):
        def peak(copies):
            process = started("predict", "-m", model, "-")
            drain = threading.Thread(target=process.stdout.read, daemon=True)
            drain.start()
            for number in range(copies):
                # New names, so that nothing is remembered from earlier stories.
                process.stdin.write(asked.read_text().replace("Mary", f"M{number}"))
            process.stdin.close()
            drain.join()
            _, code, used = os.wait4(process.pid, 0)
            assert code == 0
            return used.ru_maxrss

        short, long = peak(5), peak(300)
        assert long < short + 40_000  # kilobytes

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full")  # noqa: PTH110
    def test_a_full_disk_is_one_line(self, model, asked, tmp_path):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = subprocess.run(
                [*COMMAND, "predict", "-m", str(model), str(asked)], stdout=full,
                stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        assert done.returncode == 2
        assert done.stderr == "error: output: No space left on device\n"
