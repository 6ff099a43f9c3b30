"""Servers on loopback, and a client that looks at what they answer."""

from __future__ import annotations

import http.client
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from babi_cascade.app.cli import cli
from babi_cascade.app.cli.serve import model_command
from babi_cascade.app.serve import LiveServer
from babi_cascade.pipeline.stories.saving import save_questions

ODD_MODEL = [sys.executable, str(Path(__file__).with_name("odd_model.py"))]


@contextmanager
def serving(command: list[str], **options: Any) -> Iterator[LiveServer]:
    """Serve in a thread."""
    with LiveServer(command, port=0, **options) as server:
        server.load()
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="session")
def reading_model(small_questions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a small model with the shipped parser, coreference and roles."""
    if find_spec("stanza") is None:
        pytest.skip("needs the extra nlp")
    folder = tmp_path_factory.mktemp("served")
    save_questions(folder / "train.jsonl", small_questions)
    arguments = ["train", str(folder / "train.jsonl"), "-m", str(folder / "reading.model"), "--cost",
                 "0.1", "--no-cache"]  # fmt: skip
    cli.main(arguments, standalone_mode=False)
    return folder / "reading.model"


@pytest.fixture(scope="session")
def reading_command(reading_model: Path) -> list[str]:
    """The process that holds this model."""
    return model_command("-m", str(reading_model))


@pytest.fixture(scope="module")
def served(reading_command: list[str]) -> Iterator[LiveServer]:
    """A server that reads and answers."""
    with serving(reading_command) as server:
        yield server


@pytest.fixture
def odd() -> Iterator[Callable[..., LiveServer]]:
    """Start servers of the odd model."""
    started = []

    def start(**options: Any) -> LiveServer:
        started.append(serving(ODD_MODEL, **options))
        return started[-1].__enter__()

    yield start
    for each in started:
        each.__exit__(None, None, None)


def request(server, method="GET", path="/", body=None, **headers):
    """Send a request to a server or a port; return the response and its text."""
    port = getattr(server, "server_port", server)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if data is not None:
        named.setdefault("Content-Type", "application/json")
    connection.request(method, path, data, named)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def asked(server, text, **headers):
    """Ask; return the status and what was told."""
    response, body = request(server, "POST", "/ask", {"text": text}, **headers)
    return response.status, json.loads(body)


def runs(pid: int) -> bool:
    """Say whether a process is there and no zombie."""
    try:
        os.kill(pid, 0)
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def within(seconds: float, holds: Callable[[], Any]) -> bool:
    """Wait until something holds."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if holds():
            return True
        time.sleep(0.02)
    return bool(holds())
