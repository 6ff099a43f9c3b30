"""Who is connected: a bounded number, each with one deadline, and the slowest goes when others want in.

A connection holds its place while the server waits for its client, or its client for an answer. When all
places are taken, the one that has kept the server waiting longest is let go: a client that sends its request
at once is served, however many others send theirs a byte at a time.
"""

from __future__ import annotations

import io
import json
import socket
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from select import POLLIN, POLLOUT, poll
from threading import Lock
from typing import Any

RETRY_AFTER = "1"
"""Seconds after which another try makes sense."""

MOST_PARTING = 256
SECONDS_TO_PART = 1.0
FULL = "too many connections; try again in a moment"


class RequestError(Exception):
    """A request that is refused, and the status that says so."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(eq=False, slots=True)
class Visit:
    """A connection that has a place.

    ``waits_for`` is what its client has to do next: POLLIN to send, POLLOUT to take what is sent, 0 nothing.
    ``since`` is when that began.
    """

    connection: socket.socket
    since: float
    waits_for: int = POLLIN

    def turn(self, waits_for: int) -> None:
        """Begin with another part of the visit."""
        self.since, self.waits_for = time.monotonic(), waits_for


class Places:
    """The connections that are open.

    Parameters
    ----------
    most : so many have a place
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._visits: dict[int, Visit] = {}
        self._parting: deque[tuple[float, socket.socket]] = deque()

    def enter(self, connection: socket.socket) -> bool:
        """Give a connection a place, if need be that of the slowest; otherwise tell it 503 and part."""
        with self._lock:
            if len(self._visits) < self._most or self._let_go():
                self._visits[connection.fileno()] = Visit(connection, time.monotonic())
                return True
        self._part(connection)
        return False

    def of(self, connection: socket.socket) -> Visit:
        """Return the visit of a connection; one that was let go meanwhile gets one that nobody counts."""
        with self._lock:
            found = self._visits.get(connection.fileno())
        if found is None or found.connection is not connection:
            return Visit(connection, time.monotonic())
        return found

    def leave(self, connection: socket.socket) -> None:
        """Give back the place of a connection, before it is closed."""
        with self._lock:
            found = self._visits.get(connection.fileno())
            if found is not None and found.connection is connection:
                del self._visits[connection.fileno()]

    def tidy(self, *, everything: bool = False) -> None:
        """Close connections that were told 503 and have had the time to read it."""
        now = time.monotonic()
        while self._parting and (
            everything
            or len(self._parting) > MOST_PARTING
            or self._parting[0][0] + SECONDS_TO_PART < now
        ):
            self._parting.popleft()[1].close()

    def _let_go(self) -> bool:
        """Take the place of the client that has kept the server waiting longest."""
        waiting = {fd: visit for fd, visit in self._visits.items() if visit.waits_for}
        look = poll()
        for fd, visit in waiting.items():
            look.register(fd, visit.waits_for)
        for fd, _ in look.poll(0):
            del waiting[fd]  # it has done its part, and the server has not come to it yet
        if not waiting:
            return False
        fd = min(waiting, key=lambda each: waiting[each].since)
        visit = self._visits.pop(fd)
        if visit.waits_for == POLLIN:
            _send_at_once(visit.connection)
        with suppress(OSError):
            visit.connection.shutdown(socket.SHUT_RDWR)  # its thread wakes up, closes it and ends
        return True

    def _part(self, connection: socket.socket) -> None:
        """Tell a connection 503. Closed at once, its client might see that and not the answer."""
        _send_at_once(connection)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        self._parting.append((time.monotonic(), connection))
        self.tidy()


class Arriving(io.RawIOBase):
    """What a client sends: by one deadline, and not more than a request has.

    Parameters
    ----------
    connection : the client
    deadline : of the clock `time.monotonic`
    most : bytes
    """

    def __init__(self, connection: socket.socket, deadline: float, most: int) -> None:
        self._connection = connection
        self._deadline = deadline
        self._left = self._most = most

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Wait for some bytes."""
        if self._left <= 0:
            raise RequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "expected less")
        late = RequestError(HTTPStatus.REQUEST_TIMEOUT, "the request took too long to arrive")
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise late
        self._connection.settimeout(seconds)
        try:
            count = self._connection.recv_into(buffer)
        except TimeoutError:
            raise late from None
        if not count and self._left < self._most:
            raise RequestError(HTTPStatus.BAD_REQUEST, "the request was cut off")
        self._left -= count
        return count


def _send_at_once(connection: socket.socket) -> None:
    """Tell a client that there is no place, as far as that goes without waiting for it."""
    body = json.dumps({"error": FULL}).encode()
    head = (
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nRetry-After: {RETRY_AFTER}\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    with suppress(OSError):
        connection.send(head.encode() + body, socket.MSG_DONTWAIT)


__all__ = ["POLLIN", "POLLOUT", "RETRY_AFTER", "Arriving", "Places", "RequestError", "Visit"]
