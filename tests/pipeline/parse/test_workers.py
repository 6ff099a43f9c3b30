"""Parsing in several processes: the same trees, clear errors, nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from babi_cascade.pipeline.parse import stanza as parser_module
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.stanza import StanzaParser, available_cores
from babi_cascade.pipeline.parse.worker import answer
from babi_cascade.pipeline.parse.workers import Workers

pytest.importorskip("stanza", reason="the extra nlp is not installed")

ROOT = Path(__file__).parents[3]
SENTENCES = [
    f"{who} {what} the {thing}{rest}."
    for who in ("Angela", "The old baker", "Nobody", "Kim and Lee")
    for what in ("sold", "has not painted", "will soon carry")
    for thing in ("bicycle", "wooden door")
    for rest in ("", " to the mill yesterday", ", because it was late")
]
PARENT = """
import sys
from babi_cascade.pipeline.parse.workers import Workers
from babi_cascade.pipeline.parse.stanza import StanzaParser
workers = Workers({"models": str(StanzaParser().directory), "depparse": ""}, 2)
print(*(process.pid for process in workers._processes), flush=True)
try:
    list(workers.map([["A cat sat."]] * 10_000))
except KeyboardInterrupt:
    sys.exit(130)
"""


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_any_number_of_processes_gives_the_same_trees(monkeypatch):
    monkeypatch.setattr(parser_module, "FEW", 10)
    monkeypatch.setattr(parser_module, "BATCH", 16)
    one, two = StanzaParser(jobs=1), StanzaParser(jobs=2)
    shuffled = SENTENCES[::-1]
    words = [sentence.split() for sentence in SENTENCES]
    try:
        expected = one.parse(SENTENCES)
        assert two.parse(SENTENCES) == expected
        assert two._workers is not None
        assert one._workers is None
        assert two.parse(shuffled) == expected[::-1]
        assert two.parse_words(words) == one.parse_words(words)
        assert [t.form for t in two.parse_words([["New York", "sleeps"]])[0]] == [
            "New York",
            "sleeps",
        ]
    finally:
        two.close()


def test_small_amounts_stay_in_this_process():
    parser = StanzaParser(jobs=2)
    parser.parse(["A cat sat."])
    assert parser._workers is None
    parser.close()


def test_as_many_jobs_as_cores_that_may_be_used():
    assert StanzaParser().jobs == available_cores() == len(os.sched_getaffinity(0))
    assert StanzaParser(jobs=0).jobs == 1


def test_an_error_in_a_worker_is_told(tmp_path):
    workers = Workers({"models": str(tmp_path), "depparse": ""}, 1)
    with pytest.raises(
        ParserError, match=r"a parsing process failed: ParserError: .*found no Stanza models there"
    ):
        list(workers.map([["A cat sat."]]))
    assert workers._processes[0].poll() is not None


def test_a_line_that_is_no_batch_is_answered():
    assert '"error"' in answer(StanzaParser(), b"not json")


def test_a_worker_that_was_killed_is_told(tmp_path):
    workers = Workers({"models": str(tmp_path), "depparse": ""}, 2)
    for process in workers._processes:
        process.kill()
        process.wait()
    with pytest.raises(ParserError, match="was killed by signal 9"):
        list(workers.map([["A cat sat."]]))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_run_leaves_no_process_behind(stop):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(alive, pids))
    time.sleep(0.5)
    parent.send_signal(stop)
    parent.communicate(timeout=60)
    assert parent.returncode == (130 if stop == signal.SIGINT else -stop)
    end = time.monotonic() + 60
    while any(map(alive, pids)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(alive, pids))
