"""scripts/fuzz_serve.py on some hundred requests, and on replies that must not be."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("fuzz_serve", ROOT / "scripts/fuzz_serve.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_serve"] = module  # its data class looks there
    spec.loader.exec_module(module)
    return module


def test_hostile_requests_are_refused_and_others_answered(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["fuzz_serve.py", "--requests", "600", "--seed", "7"])
    assert script.main() == 0
    told = capsys.readouterr()
    assert "600 requests, 0 failures" in told.out
    for outcome in ("text, whole: 200", "text, whole: 422", "json, whole: 400", "header, whole: 421",
                    "header, whole: 431", "line, whole: 414"):  # fmt: skip
        assert outcome in told.out


def reply(body, status="200 OK", more=""):
    return (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{more}\r\n"
        f"{body}"
    ).encode()


@pytest.mark.parametrize(
    ("received", "fault"),
    [
        (b"", "no reply"),
        (reply('{"error": "x"}', "500 Oh"), "status 500"),
        (reply('{"questions": [NaN]}'), "NaN"),
        (reply('{"questions": [1]}')[:-1], "17 bytes of 18"),
        (reply('{"error": "\\u001b"}', "400 Bad"), "no reason"),
        (reply('{"error": "x"}', "503 Busy"), "Retry-After"),
        (reply('{"error": "x"}', "400 \x1b"), "broken head"),
        (b"<h1>no head</h1>", "broken head"),
    ],
)
def test_what_must_not_be_is_found_out(script, received, fault):
    assert fault in script.fault_of(received, b"GET / HTTP/1.1\r\n\r\n")
    assert script.fault_of(reply('{"questions": [1]}'), b"x") is None


def test_a_server_that_fails_is_found_out(script, tmp_path):
    log = tmp_path / "stderr"
    log.write_bytes(b"Traceback (most recent call last):\nraw \x1b[31m\n")

    class Odd(script.Server):
        def answer(self):
            return "mill"

    class Process:
        pid = 0

    found = Odd(Process(), 0, log).faults("barn")
    assert [part for part in ("now has 'mill'", "error on stderr") if part in str(found)] == [
        "now has 'mill'", "error on stderr",
    ]  # fmt: skip
