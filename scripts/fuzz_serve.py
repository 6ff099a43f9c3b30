#!/usr/bin/env python3
"""Send a real server hostile requests: it stays up, says why it refuses, and goes on answering others.

The server is `babi-cascade serve` in a process of its own, on loopback. Requests are random bytes, good ones
with bytes changed or cut off, odd request lines and headers, odd JSON, odd texts; some drip, some leave
before they are answered. Every reply must be whole, with a status that is expected (500 is not) and strict
JSON in one printable line of reason. After each batch a good question must get the answer that it got at
first, nothing but requests may have been told on stderr and all of it printable, and the server may have no
more threads than it allows connections. At the end it must go within two seconds of SIGTERM and leave no
process. The same seed gives the same requests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.app.serve import Limits
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.pipeline.stories.saving import save_questions

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
BATCH = 250
CLIENTS = 8
PATIENCE = 20.0
"""Seconds for a reply; more is a failure."""

HASTE = 0.3
"""Seconds after which a client whose request seems to be unfinished says that this was all."""

SECONDS_TO_END = 2.0
MOST_FAILURES = 10
EXPECTED = {200, 400, 403, 404, 408, 411, 413, 414, 415, 421, 422, 431, 501, 503, 505}
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
GOOD = "Anna went to the mill.\nTom moved to the barn.\nWhere is Tom?"

WORDS = (
    "Anna", "went", "to the", "mill", "barn", "where is", "?", ".", "!", "\n", "\n\n", "\t", "1 ", "2 ",
    "999999999 ", "\x00", "\x1b[2J", "\x7f", "\x85", "\u2028", "\ud800", "\udfff", "\ufeff", "\u202e",
    "e\u0301", "\U0001f600", "ﬀ", "ß", "İ", "中文", "…", "“", "?!", "'", "<script>", "{{", "%s", "\\",
    "x" * 1500, "a " * 400, "Who? " * 21, "It is. " * 301, "-1", "1e999", "NaN", "a,b", ":quit",
    "../../etc/passwd",
)  # fmt: skip
VALUES = (
    "NaN", "Infinity", "-Infinity", "1e999", "-0", "9" * 5000, "9" * 60_000, "0." + "1" * 5000, "null",
    "true", "[]", "{}", '""', '"\\ud800"', '"\\u0000"', '"\\x"', '"', "[" * 5000,
    "[" * 30_000 + "]" * 30_000, '{"text":' * 5000, '{"a":{"text":"x"}}', "\ufeff{}", "'x'", "01", "// x",
)  # fmt: skip
METHODS = (
    "GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "CONNECT", "get", "", "G\x00T", "\x1b", "X" * 70_000,
)  # fmt: skip
TARGETS = (
    "/", "/ask", "*", "", "//", "/../../etc/passwd", "/%00", "/?x=1", "http://evil.example/", "/\x1b[31m",
    "/\xff", "/" + "a" * 20_000, "/ask\t",
)  # fmt: skip
VERSIONS = (
    "HTTP/1.1", "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.1.1", "HTTP/-1.1", "HTTP/1", "", "HTTP/9" * 9,
    "\x00",
)  # fmt: skip
LENGTHS = (
    "-1", "+5", "0", "1e3", "0x10", " 5", "5 ", "5,5", "99999", "9" * 40, "", "\xb2", "5\x00", "NaN",
)  # fmt: skip
HEADERS = (
    "Transfer-Encoding: chunked", "Transfer-Encoding: identity", "Expect: 100-continue",
    "Host: evil.example", "Host:", "Origin: null", "Origin: http://evil.example",
    "Sec-Fetch-Site: cross-site", "Connection: upgrade", "Connection: keep-alive",
    "Content-Type: text/plain", "Content-Type: application/json; charset=utf-16", "Content-Encoding: gzip",
    "no colon", ": no name", " folded", "\tfolded", "X: \x00", "X: \x1b[2J", "X: \xff", "X" * 70_000,
    "X: " + "y" * 40_000, "Content-Length : 3", "Range: bytes=0-", "\x00: x",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hostile:
    """A request, and how it is sent.

    ``manner`` is "whole" (sent, and the reply read to its end), "cut" (no more is sent, the reply is read),
    "drip" (a byte at a time, for a while), "leave" and "reset" (nothing is read).
    """

    kind: str
    data: bytes
    manner: str = "whole"


def main() -> int:
    """Send what the command line asks for; 1 when something was not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    parser.add_argument(
        "--model", type=Path, help="the model to serve (a small one that reads words only)"
    )
    options = parser.parse_args()
    chance, told, failures = random.Random(options.seed), Counter[str](), []
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or made(Path(folder))
        with (
            served(model, Path(folder) / "stderr") as server,
            ThreadPoolExecutor(CLIENTS) as clients,
        ):
            first = server.answer()
            for start in range(0, options.requests, BATCH):
                size = min(BATCH, options.requests - start)
                batch = [hostile(server.port, chance) for _ in range(size)]
                for each, (reply, fault) in zip(
                    batch, clients.map(server.send, batch), strict=True
                ):
                    told[f"{each.kind}, {each.manner}: {outcome(reply)}"] += 1
                    if fault:
                        failures.append(
                            f"{each.kind}, {each.manner}: {fault}\n  {each.data[:300]!r}"
                        )
                failures += server.faults(first)
                if len(failures) >= MOST_FAILURES or not server.runs:
                    break
            failures += server.end()
    for line, count in sorted(told.items()):
        print(f"{count:6} {line}")
    for failure in failures[:MOST_FAILURES]:
        print(f"failure: {failure}", file=sys.stderr)
    print(
        f"{sum(told.values())} requests, {len(failures)} failures, {time.monotonic() - begun:.0f} s"
    )
    return 1 if failures else 0


# -- the server ----------------------------------------------------------------------


def made(folder: Path) -> Path:
    """Train a small model that reads words only."""
    people, places = ("Anna", "Tom", "Kilu"), ("mill", "barn", "lake")
    questions = [
        Question(3, f"Where is {who}?", place, (line,), facts)
        for first in people for second in people if first != second
        for here in places for there in places if here != there
        for facts in [(Sentence(1, f"{first} went to the {here}."),
                       Sentence(2, f"{second} moved to the {there}."))]
        for line, who, place in ((1, first, here), (2, second, there))
    ]  # fmt: skip
    save_questions(folder / "train.jsonl", questions)
    arguments = [
        "train",
        folder / "train.jsonl",
        "-m",
        folder / "model",
        "--coref",
        "none",
        "--srl",
        "none",
    ]
    subprocess.run(
        [*COMMAND, *arguments, "--cost", "0.1"],
        check=True,
        stdout=subprocess.DEVNULL,
        env=environment(),
    )
    return folder / "model"


def environment() -> dict[str, str]:
    """Return the environment of the commands: they are those of this checkout."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]),
    }


@contextmanager
def served(model: Path, log: Path) -> Iterator[Server]:
    """Start the command and wait until it serves."""
    arguments = ["serve", "-m", str(model), "--port", "0", "--timeout", "10", "--log"]
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=stderr, env=environment()
        )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode()
        if not url:
            raise SystemExit(
                f"the server did not start: {log.read_text(errors='backslashreplace')}"
            )
        yield Server(process, int(url.split()[0].rstrip("/").rsplit(":", 1)[1]), log)
    finally:
        process.kill()
        process.wait()


class Server:
    """A running server, and what it must do.

    Parameters
    ----------
    process : the command
    port : where it listens
    log : what it tells on stderr
    """

    def __init__(self, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
        self.port = port
        self._process = process
        self._log = log
        self._read = 0

    @property
    def runs(self) -> bool:
        """Whether it is up."""
        return self._process.poll() is None

    def answer(self) -> Any:
        """Ask the good question."""
        reply, fault = self.send(Hostile("good", good(self.port, GOOD)))
        if fault or not reply.startswith(b"HTTP/1.1 200 "):
            raise AssertionError(f"a good question was answered {reply[:100]!r} ({fault})")
        return json.loads(reply.partition(b"\r\n\r\n")[2])["questions"][0]["answer"]

    def send(self, request: Hostile) -> tuple[bytes, str | None]:
        """Send a request; return the reply, and what is wrong with it."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
                reply, torn = exchanged(connection, request)
        except TimeoutError:
            return b"", f"no reply within {PATIENCE:g} s"
        except OSError as error:
            return b"", f"no connection: {error}"
        if request.manner in ("leave", "reset"):
            return reply, None
        return reply, fault_of(reply, request.data, torn=torn)

    def faults(self, first: Any) -> list[str]:
        """Return what is wrong after a batch."""
        found = []
        try:
            if (now := self.answer()) != first:
                found.append(f"the good question had the answer {first!r}, and now has {now!r}")
        except AssertionError as error:
            found.append(str(error))
        text = self._log.read_bytes()[self._read :].decode("utf-8", "replace")
        self._read += len(text.encode())
        for line in text.splitlines():
            if not line.isprintable():
                found.append(f"a control character on stderr: {line!r}")
            if line.startswith(("error", "Traceback")):
                found.append(f"an error on stderr: {text[-2000:]}")
                break
        tasks = Path(f"/proc/{self._process.pid}/task")
        if tasks.is_dir() and (threads := len(list(tasks.iterdir()))) > Limits().connections + 10:
            found.append(f"{threads} threads")
        return found

    def end(self) -> list[str]:
        """End it in the polite way; return what is wrong with that."""
        family = descendants(self._process.pid)
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return [f"still there {SECONDS_TO_END:g} s after SIGTERM"]
        time.sleep(0.5)
        return [f"process {pid} is left" for pid in family if is_alive(pid)]


def descendants(pid: int) -> list[int]:
    """Return the processes that a process started, and those that these did (Linux)."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *descendants(child)]
    return found


def is_alive(pid: int) -> bool:
    """Say whether a process runs; one that nobody has waited for does not."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def exchanged(connection: socket.socket, request: Hostile) -> tuple[bytes, bool]:
    """Send a request in its manner; return the reply, and whether it may be torn off."""
    reply, torn = b"", request.manner == "drip"
    whole = not torn and is_whole(request.data)
    try:
        if request.manner == "drip":
            for place in range(min(len(request.data), 20)):
                connection.send(request.data[place : place + 1])
                time.sleep(0.01)
        else:
            connection.sendall(request.data)
        if request.manner == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if request.manner in ("leave", "reset"):
            return b"", True
        if request.manner == "cut":
            connection.shutdown(socket.SHUT_WR)
            torn = whole  # then it looks like a client that has gone
    except (BrokenPipeError, ConnectionResetError):
        pass  # refused in the middle; the reply is there all the same
    try:
        connection.settimeout(PATIENCE if whole else HASTE)
        try:
            reply = connection.recv(65536)
        except TimeoutError:
            if whole:
                raise
            # The server waits for more, until its deadline; the end comes sooner.
            connection.shutdown(socket.SHUT_WR)
            torn = True
        connection.settimeout(PATIENCE)
        while some := connection.recv(65536):
            reply += some
    except ConnectionResetError:
        torn = True
    return reply, torn


def is_whole(data: bytes) -> bool:
    """Say whether a request has all of its body."""
    head, _, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\ncontent-length:\s*(\d{1,9})\s*\r\n", head + b"\r\n")
    return length is not None and len(body) >= int(length[1])


def outcome(reply: bytes) -> str:
    """Return what is counted of a reply."""
    return reply.removeprefix(CONTINUE)[9:12].decode("latin-1") or "nothing"


def fault_of(reply: bytes, data: bytes, *, torn: bool = False) -> str | None:
    """Say what is wrong with a reply; ``torn`` if its client could not read it to the end."""
    reply = reply.removeprefix(CONTINUE)
    if not reply:
        return None if torn or not data else "no reply at all"
    head, separator, body = reply.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    if not (head.startswith(b"HTTP/1.1 ") and separator and all(map(str.isprintable, lines))):
        return f"a broken head: {head[:200]!r}"
    status = int(lines[0].split()[1])
    if status not in EXPECTED:
        return f"status {status}: {body[:200]!r}"
    fields = {
        name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])
    }
    if torn or (data.startswith(b"HEAD") and not body):
        return None
    if len(body) != int(fields.get("content-length", len(body))):
        return f"{len(body)} bytes of {fields['content-length']}"
    if status == 503 and "retry-after" not in fields:
        return "503 without Retry-After"
    if fields.get("content-type", "").startswith("text/html") and status == 200:
        return None
    try:
        value = json.loads(body, parse_constant=not_json)
    except ValueError as error:
        return f"no strict JSON: {error}"
    if status == 200:
        return None if value.get("questions") else "no answers"
    reason = value.get("error")
    return None if isinstance(reason, str) and reason.isprintable() else f"no reason: {reason!r}"


def not_json(constant: str) -> Any:
    """Refuse what Python takes for a number and JSON does not."""
    raise ValueError(f"found {constant}")


# -- the requests ----------------------------------------------------------------------


def hostile(port: int, chance: random.Random) -> Hostile:
    """Return a request."""
    kind = chance.choice(
        ("bytes", "line", "header", "flip", "json", "json", "text", "text", "text")
    )
    data = {
        "bytes": lambda: random_bytes(chance), "line": lambda: odd_line(port, chance),
        "header": lambda: odd_header(port, chance), "flip": lambda: flipped(good(port, GOOD), chance),
        "json": lambda: odd_json(port, chance), "text": lambda: good(port, odd_text(chance)),
    }[kind]()  # fmt: skip
    manner = chance.choices(("whole", "cut", "drip", "leave", "reset"), (70, 12, 3, 8, 7))[0]
    if manner == "cut":
        data = data[: chance.randrange(len(data) + 1)]
    return Hostile(kind, data, manner)


def good(port: int, text: str) -> bytes:
    """Return a question as the page sends it."""
    return posted(port, json.dumps({"text": text}).encode())


def posted(port: int, body: bytes, *more: str, length: str | None = None) -> bytes:
    """Return a request with a body."""
    lines = [
        "POST /ask HTTP/1.1", f"Host: 127.0.0.1:{port}", "Content-Type: application/json",
        f"Content-Length: {len(body) if length is None else length}", *more, "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode("latin-1", "replace") + body


def random_bytes(chance: random.Random) -> bytes:
    """Return anything, with or without ends of lines."""
    data = chance.randbytes(chance.choice((0, 1, 10, 300, 3000, 100_000)))
    return data + chance.choice((b"", b"\n", b"\r\n\r\n", b" / HTTP/1.1\r\n\r\n"))


def odd_line(port: int, chance: random.Random) -> bytes:
    """Return a request whose first line is odd."""
    words = [chance.choice(METHODS), chance.choice(TARGETS), chance.choice(VERSIONS)]
    if chance.random() < 0.2:
        chance.shuffle(words)
    line = chance.choice((" ", " ", "  ", "\t")).join(words)
    end = chance.choice(("\r\n", "\r\n", "\n", "\r", "\x0b\r\n"))
    return f"{line}{end}Host: localhost:{port}{end}{end}".encode("latin-1", "replace")


def odd_header(port: int, chance: random.Random) -> bytes:
    """Return a question with odd headers."""
    more = chance.choices(HEADERS, k=chance.choice((1, 1, 2, 3, 150)))
    length = chance.choice(LENGTHS) if chance.random() < 0.4 else None
    data = posted(port, json.dumps({"text": GOOD}).encode(), *more, length=length)
    return data * chance.choice((1, 1, 1, 2))


def flipped(data: bytes, chance: random.Random) -> bytes:
    """Return a request with some bytes changed, put in, taken out or doubled."""
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        place, some = chance.randrange(len(changed) + 1), chance.randrange(1, 20)
        changed[place : place + chance.choice((0, 1, some))] = chance.choice(
            (
                b"",
                chance.randbytes(some),
                bytes(changed[place : place + some]) * 2,
                b"\r\n",
                b"\x00",
            )
        )
    return bytes(changed)


def odd_json(port: int, chance: random.Random) -> bytes:
    """Return a question in JSON that is odd, or none."""
    value = chance.choice(VALUES)
    form = chance.choice(
        (
            '{"text": %s}',
            "%s",
            '{"text": "Who?", "x": %s}',
            '{"text": [%s]}',
            "[%s]",
            '{"text": "%s?"}',
        )
    )
    body = (form % value).encode(
        chance.choice(("utf-8", "utf-8", "utf-8", "utf-16", "utf-32")), "surrogatepass"
    )
    if chance.random() < 0.2:
        body = flipped(body, chance)
    return posted(port, body)


def odd_text(chance: random.Random) -> str:
    """Return a text of which much is no story."""
    words = chance.choices(WORDS, k=chance.choice((0, 1, 5, 20, 60)))
    return chance.choice(("", " ")).join(words) + chance.choice(
        ("", "?", "\nWhere is Tom?", "\nWho?\tx\t1")
    )


if __name__ == "__main__":
    sys.exit(main())
