"""Work that nobody waits for any more is stopped, and no error of the server is silent."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from babi_cascade.app.serve import Limits, LiveServer, NotLoadedError
from babi_cascade.errors import UserError
from tests.app.serve.conftest import ODD_MODEL, asked, request, runs, serving, within

HERE = Path(__file__).parent
HANG = b'{"text": "Hang?"}'


def post(server, body=HANG):
    """Send a question and do not wait for the answer."""
    port = getattr(server, "server_port", server)
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    head = (
        f"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    return connection


def processes(server):
    """Return the numbers of the process that answers and of the one that holds the model."""
    status, told = asked(server, "Who are you?")
    assert status == 200
    return told["questions"][0]["pid"], told["questions"][0]["parent"]


def computes(pid):
    """Say whether a process gets to work on something that takes long."""
    begun = _ticks(pid)
    return within(10, lambda: _ticks(pid) - begun >= 10)


def _ticks(pid):
    """Return the hundredths of a second that a process has computed."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11])


def test_an_answer_that_takes_too_long_is_stopped_and_the_next_one_comes_at_once(odd):
    server = odd(limits=Limits(answer=0.5))
    worker, holder = processes(server)
    response, text = request(server, "POST", "/ask", {"text": "Hang?"})
    assert (response.status, response.headers["Retry-After"]) == (503, "1")
    assert json.loads(text) == {"error": "no answer within 0.5 s; ask less at once"}
    assert not runs(worker)
    begun = time.monotonic()
    other, same_holder = processes(server)
    assert time.monotonic() - begun < 0.5
    assert other != worker
    assert same_holder == holder  # the model was not loaded again


def test_nothing_is_computed_for_a_client_that_has_gone(odd):
    server = odd(limits=Limits(answer=60))
    worker, _ = processes(server)
    with post(server):
        assert computes(worker)
    assert within(2, lambda: not runs(worker))
    assert processes(server)[0] != worker


def test_a_client_that_goes_while_it_waits_for_its_turn_is_forgotten(odd):
    server = odd(limits=Limits(answer=60, waiting=2))
    worker, _ = processes(server)
    with post(server):
        assert computes(worker)
        post(server).close()
        # Its place among those that wait is free again.
        waiting = within(2, lambda: _is_taken(server))
    assert waiting
    assert within(2, lambda: not runs(worker))


def _is_taken(server):
    with post(server) as connection:
        connection.settimeout(0.3)
        try:
            return not connection.recv(100).startswith(b"HTTP/1.1 503")
        except TimeoutError:
            return True


def test_the_page_stays_up_while_something_is_computed(odd):
    server = odd(limits=Limits(answer=60))
    worker, _ = processes(server)
    with post(server):
        assert computes(worker)
        begun = time.monotonic()
        assert request(server)[0].status == 200
        assert time.monotonic() - begun < 1


@pytest.mark.parametrize(
    "end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL], ids=lambda s: s.name
)
def test_the_server_ends_at_once_whatever_is_computed_and_leaves_nothing_behind(end):
    process = subprocess.Popen(
        [sys.executable, HERE / "odd_server.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    port = int(process.stdout.readline())
    pids = processes(port)
    with post(port):
        assert computes(pids[0])
        begun = time.monotonic()
        process.send_signal(end)
        process.communicate(timeout=20)
        assert time.monotonic() - begun < 2
    assert within(2, lambda: not any(map(runs, pids)))


@pytest.mark.parametrize("later", [0, 1.5])
def test_it_ends_at_once_while_the_model_is_being_loaded(later):
    process = subprocess.Popen(
        [sys.executable, HERE / "odd_server.py", "slow"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    assert within(5, lambda: children.read_text().split())
    (holder,) = map(int, children.read_text().split())
    time.sleep(later)
    process.terminate()
    process.communicate(timeout=2)
    assert process.returncode == 128 + signal.SIGTERM
    assert within(5, lambda: not runs(holder))


def test_a_holder_that_is_killed_is_started_again(odd, capfd):
    server = odd()
    worker, holder = processes(server)
    os.kill(holder, signal.SIGKILL)
    assert within(2, lambda: not runs(worker))
    assert request(server)[0].status == 200  # the page stays up
    assert asked(server, "Who are you?")[0] in (500, 503)
    assert within(10, lambda: asked(server, "Who are you?")[0] == 200)
    assert "the process that holds the model has ended (SIGKILL)" in capfd.readouterr().err


def test_a_model_that_cannot_be_loaded_is_told_before_anything_is_served():
    with (
        LiveServer([*ODD_MODEL, "broken"], port=0) as server,
        pytest.raises(NotLoadedError) as told,
    ):
        server.load()
    assert told.value.code == 2
    killed = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
    with LiveServer(killed, port=0) as server, pytest.raises(UserError, match="SIGKILL"):
        server.load()


def test_the_holder_has_one_thread_else_forking_it_would_not_be_safe(served, reading_command):
    (holder,) = [
        int(pid) for task in Path("/proc/self/task").iterdir()
        for pid in (task / "children").read_text().split()
        if str(reading_command[-1]) in Path(f"/proc/{pid}/cmdline").read_text()
    ]  # fmt: skip
    assert asked(served, "Ana left.\nWho left?")[0] == 200
    assert len(list(Path(f"/proc/{holder}/task").iterdir())) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Fail?", r"ValueError: what was asked is \x1b[31mred\x1b[0m"),
        ("Crash?", "the process that answers was ended by SIGSEGV"),
        ("Nan?", "not JSON compliant"),
    ],
)
def test_an_error_of_the_server_is_a_500_and_a_traceback_without_control_characters(
    odd, capfd, text, said
):
    server = odd()
    assert asked(server, text) == (500, {"error": "this text cannot be answered"})
    told = capfd.readouterr().err
    assert said in told
    assert "SIGSEGV" in told or "Traceback" in told
    assert told.replace("\n", "").isprintable()
    assert asked(server, "Who are you?")[0] == 200


def test_an_error_in_the_server_itself_is_told_too(odd, capfd):
    server = odd()
    server.page = None
    assert request(server)[0].status == 500
    told = capfd.readouterr().err
    assert "Traceback" in told
    assert "TypeError" in told


def test_a_browser_that_goes_away_is_no_error(odd, capfd):
    server = odd(limits=Limits(sending=0.3))
    post(server, b'{"text": "Long?"}').close()
    with post(server, b'{"text": "Long?"}') as never_reads:
        assert within(5, lambda: asked(server, "Who are you?")[0] == 200)
        time.sleep(0.5)
        never_reads.close()
    assert asked(server, "Refuse?") == (422, {"error": r"such \x1b texts are refused"})
    assert capfd.readouterr().err == ""


def test_a_long_answer_arrives_whole(odd):
    status, told = asked(odd(), "Long?")
    assert (status, len(told["questions"][0])) == (200, 20_000_000)


def test_texts_wait_for_their_turn_and_too_many_are_told_to_come_later():
    limits = Limits(answer=1.5, waiting=2)
    with serving(ODD_MODEL, limits=limits) as server:
        worker, _ = processes(server)
        with post(server):
            assert computes(worker)
            found = []
            second = threading.Thread(target=lambda: found.append(asked(server, "Who are you?")))
            second.start()
            time.sleep(0.3)
            response, text = request(server, "POST", "/ask", {"text": "Who?"})
            assert (response.status, response.headers["Retry-After"]) == (503, "1")
            assert "many questions" in text
            second.join()
        assert found[0][0] in (200, 503)  # whichever of the two was first to be late
