"""Clients that send a byte at a time hold up nobody but themselves."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from threading import Event, Thread

import pytest

from babi_cascade.app.serve import Limits
from tests.app.serve.conftest import asked, request
from tests.app.serve.test_stopping import post

HEAD = b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


class Drips:
    """Connections of which each sends a byte now and then, and comes back when it is closed."""

    def __init__(self, port, number, every):
        self._port, self._number, self._every = port, number, every
        self._end = Event()
        self._thread = Thread(target=self._drip)

    def __enter__(self):
        self._thread.start()
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _drip(self):
        held = [self._new() for _ in range(self._number)]
        while not self._end.wait(self._every):
            for place, connection in enumerate(held):
                try:
                    connection.send(b"x", socket.MSG_DONTWAIT)
                except OSError:
                    connection.close()
                    held[place] = self._new()
        for connection in held:
            connection.close()

    def _new(self):
        connection = socket.create_connection(("127.0.0.1", self._port), timeout=5)
        connection.send(HEAD)
        return connection


@pytest.mark.parametrize("number", [32, 200])
def test_others_are_served_while_many_drip(odd, number):
    server = odd()
    with Drips(server.server_port, number, every=0.2):
        for _ in range(10):
            begun = time.monotonic()
            assert request(server)[0].status == 200
            assert asked(server, "Who are you?")[0] == 200
            assert time.monotonic() - begun < 2
            time.sleep(0.1)


@pytest.mark.parametrize(
    "begun", [b"", HEAD, b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
              b"Content-Length: 9000\r\n\r\n"], ids=["request line", "headers", "body"],
)  # fmt: skip
def test_one_deadline_holds_for_the_whole_request(odd, begun):
    server = odd(limits=Limits(request=0.6))
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(begun.replace(b"PORT", str(server.server_port).encode()))
        connection.settimeout(0.1)
        answer = b""
        while not answer and time.monotonic() - start < 4:
            try:
                connection.send(b"x")
                answer = connection.recv(100)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408")
    assert 0.5 < time.monotonic() - start < 1.5


def test_who_sends_nothing_is_let_go(odd):
    server = odd(limits=Limits(request=0.3))
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 408")


def test_a_connection_that_finds_no_place_is_told_so_at_once(odd):
    server = odd(limits=Limits(answer=60, connections=3))
    with ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(post(server))
        time.sleep(0.5)
        begun = time.monotonic()
        response, text = request(server)
        assert time.monotonic() - begun < 0.5
        assert (response.status, response.headers["Retry-After"]) == (503, "1")
        assert "too many connections" in text


def test_a_client_that_does_not_take_its_answer_is_let_go_for_others(odd):
    server = odd(limits=Limits(connections=1, sending=60))
    with post(server, b'{"text": "Long?"}') as never_reads:
        time.sleep(1)
        assert request(server)[0].status == 200
        never_reads.close()


@pytest.mark.parametrize(
    "cut", [b"GET / HT", b"\r\n", b"\x1d\r\n\r\n", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n",
            b"POST /ask HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
            b"Content-Length: 30\r\n\r\n{"],
)  # fmt: skip
def test_a_request_that_is_cut_off_is_not_taken_for_a_whole_one(odd, cut):
    server = odd()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(cut.replace(b"PORT", str(server.server_port).encode()))
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_headers_without_end_are_refused(odd):
    server = odd()
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
        connection.sendall(
            b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 9000) for n in range(20))
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 431")


def test_control_characters_of_clients_never_reach_the_log(odd):
    lines = []
    server = odd(log=lines.append)
    for hostile in (
        b"GET /\x1b[2J\x07 HTTP/1.1\r\n\r\n", b"\x1b]0;owned\x07 / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/\x9b31m\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n", b"GET /\r\rx\x0b HTTP/1.1\r\n\r\n", b"G\x85T / HTTP/1.1\r\n\r\n",
        b"GET " + b"\x1b" * 70_000,
    ):  # fmt: skip
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as connection:
            connection.sendall(hostile)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
            assert b"\x1b" not in answer
    assert len(lines) >= 5
    assert all(line.isprintable() for line in lines)
