"""A small web server for one page, on loopback, with the standard library.

It keeps nothing on the disk, answers only requests that name it as their host (no other site can reach it
through the browser of its user), takes small bodies only, and lets nobody hold a connection for long. The
answers are made in another process, which is killed when nobody waits for them any more.
"""

from __future__ import annotations

import io
import ipaddress
import json
import socket
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from babi_cascade.app.serve.answering import Answering
from babi_cascade.app.serve.connections import (
    POLLIN,
    POLLOUT,
    RETRY_AFTER,
    Arriving,
    Places,
    RequestError,
)
from babi_cascade.app.serve.errors import BusyError, FailedError, GoneError, complain
from babi_cascade.app.serve.page import live_page, policy
from babi_cascade.app.serve.texts import only_answer
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.strict_json import json_text

LARGEST_HEAD = 32 * 1024
LARGEST_BODY = 64 * 1024
LARGEST_REST = 1024 * 1024
"""Of a request that is refused so many bytes are let pass, so that its client comes to read why."""

SECONDS_FOR_REST = 1.0
NO_ANSWER = "this text cannot be answered"
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken, and for how long.

    Parameters
    ----------
    answer : seconds from a whole request to its answer; what takes longer is stopped
    request : seconds from a connection to the last byte of its request, headers and body
    sending : seconds for the client to take the answer
    connections : so many are open; then the slowest is let go, or the next is told 503
    waiting : texts that are being answered or wait for it; the next is told 503
    """

    answer: float = 30.0
    request: float = 10.0
    sending: float = 10.0
    connections: int = 64
    waiting: int = 8


DEFAULT_LIMITS = Limits()


class LiveServer(ThreadingHTTPServer):
    """Serves the live page of a model.

    Parameters
    ----------
    command : starts the process that holds the model, see `babi_cascade.app.serve.model_process`
    host, port : where; port 0 takes a free one
    allow_remote : whether another host than this machine may be served
    limits : how much is taken, and for how long
    log : gets one line a request, None for nobody
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self, command: Sequence[str], host: str = "127.0.0.1", port: int = 8080, *,
        allow_remote: bool = False, limits: Limits = DEFAULT_LIMITS,
        log: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        address = check_host(host, allow_remote=allow_remote)
        self.address_family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        self.page = live_page().encode()
        self.log = log
        self.limits = limits
        self._allow_remote = allow_remote and not address.is_loopback
        self._host = host
        self.places = Places(limits.connections)
        self.answering = Answering(command, limits.answer, limits.waiting)
        try:
            super().__init__((str(address), port), Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UserError(f"{host}:{port}: cannot serve there: {reason}") from error

    def load(self) -> None:
        """Load the model, before anybody is served."""
        self.answering.start()

    @property
    def url(self) -> str:
        """The address for a browser."""
        return f"http://{_bracketed(self._host)}:{self.server_port}/"

    def names_us(self, host: str | None) -> bool:
        """Say whether the Host header of a request names this server.

        A page of another site whose name was made to point here sends its own name.
        """
        if host is None:
            return False
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self.server_port:
            return False
        known = {"localhost", "127.0.0.1", "::1", self._host.lower().strip("[]")}
        if self._allow_remote:
            # Numbers cannot be made to point elsewhere; names other than ours can.
            return name in known or _is_number(name)
        return name in known

    def process_request(self, request: Any, client_address: Any) -> None:
        """Begin with a connection that finds a place."""
        if self.places.enter(request):
            super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Lead a connection to its end."""
        try:
            self.finish_request(request, client_address)
        except Exception:
            self.handle_error(request, client_address)
        finally:
            self.shutdown_request(request)

    def shutdown_request(self, request: Any) -> None:
        """Give the place of a connection to the next, and close it."""
        self.places.leave(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell what is the server's fault on stderr."""
        complain(f"error: a connection could not be served\n{traceback.format_exc()}")

    def service_actions(self) -> None:
        """See to the model and to connections that part, now and then."""
        super().service_actions()
        self.answering.tend()
        self.places.tidy()

    def server_close(self) -> None:
        """Stop serving and answering."""
        super().server_close()
        self.answering.close()
        self.places.tidy(everything=True)


class Handler(BaseHTTPRequestHandler):
    """Answers one request a connection.

    ``GET /`` gets the page, ``POST /ask`` a text's questions with everything that can be shown, and
    ``POST /answer``, which is for programs, the answer to one question.
    """

    server: LiveServer
    server_version = "babi-cascade"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    # Of a connection that sends nothing that could be read:
    command = requestline = ""
    raw_requestline = b""
    request_version = "HTTP/1.1"

    def setup(self) -> None:
        """Begin with the one deadline for the whole request."""
        super().setup()
        self.visit = self.server.places.of(self.connection)
        self.rfile.close()
        arriving = Arriving(
            self.connection,
            self.visit.since + self.server.limits.request,
            LARGEST_HEAD + LARGEST_BODY,
        )
        self.rfile = io.BufferedReader(arriving)
        self._told = self._whole = False

    def handle(self) -> None:
        """Answer one request, or say why not; an error of the server is never silent."""
        try:
            self.handle_one_request()
            # The base class says nothing to a first line without words.
            if self.raw_requestline and not self._told:
                self.send_error(HTTPStatus.BAD_REQUEST)
        except RequestError as error:
            self._tell(error.status, str(error))
        except (GoneError, ConnectionError) as error:
            self.log_error("the client has gone (%s)", type(error).__name__)
        except Exception:
            complain(f"error: a request could not be served\n{traceback.format_exc()}")
            if not self._told:
                self._headers_buffer: list[bytes] = []  # of the reply that came to nothing
                self._tell(HTTPStatus.INTERNAL_SERVER_ERROR, NO_ANSWER)
        finally:
            self.close_connection = True
            if not self._whole:
                self._let_pass()

    def do_GET(self) -> None:
        """Give the page."""
        if not self._trusted():
            return
        if self.path.split("?")[0] != "/":
            self._tell(404, "there is only the page /; programs POST to /answer or /ask")
            return
        self._whole = not ("Content-Length" in self.headers or "Transfer-Encoding" in self.headers)
        self._send(200, "text/html; charset=utf-8", self.server.page)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        """Answer a text."""
        if not self._trusted():
            return
        if self.path not in ("/ask", "/answer"):
            self._tell(404, "texts go to /ask, questions to /answer")
            return
        body = self._body()
        if body is None:
            return
        alone = self.path == "/answer"
        try:
            told = json.loads(body)
            text = json_text({**told}) if alone else told["text"]
            if not isinstance(text, str):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            keys = '"story": "…", "question": "…"' if alone else '"text": "…"'
            self._tell(400, f"expected a JSON object {{{keys}}}")
            return
        self.visit.turn(0)
        try:
            answers = self.server.answering.answer(text, self.connection)
        except UserError as error:
            self._tell(422, str(error))
        except BusyError as error:
            self._tell(503, str(error))
        except FailedError:
            self._tell(500, NO_ANSWER)
        else:
            if alone:
                answers = only_answer(answers, told)
            self._send(200, "application/json; charset=utf-8", answers.encode())

    def _trusted(self) -> bool:
        """Refuse what another site sends through the browser."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not self.server.names_us(hosts[0]):
            self._tell(421, "this server answers under its own address only")
            return False
        foreign = any(
            not (
                origin.startswith("http://")
                and self.server.names_us(origin.removeprefix("http://"))
            )
            for origin in self.headers.get_all("Origin", [])
        )
        if foreign or "cross-site" in self.headers.get_all("Sec-Fetch-Site", []):
            self._tell(403, "requests of other sites are refused")
            return False
        return True

    def _body(self) -> bytes | None:
        """Read the body of a request; None if it was refused."""
        kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            self._tell(415, "expected JSON, with the header Content-Type: application/json")
            return None
        lengths = self.headers.get_all("Content-Length", [])
        length = lengths[0] if len(lengths) == 1 else ""
        if not length.isdecimal() or self.headers.get("Transfer-Encoding"):
            self._tell(411, "expected one Content-Length")
            return None
        if len(length) > 9 or int(length) > LARGEST_BODY:
            self._tell(413, f"expected at most {LARGEST_BODY} bytes")
            return None
        body = self.rfile.read(int(length))
        self._whole = True
        return body

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what the base class cannot read, without repeating any of it."""
        self._tell(code, HTTPStatus(code).phrase.lower())

    def _tell(self, status: int, error: str) -> None:
        with suppress(OSError):  # nobody takes it
            body = json_text({"error": escaped(error)}).encode()
            self._send(status, "application/json; charset=utf-8", body)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.close_connection = True
        self.request_version = self.protocol_version  # the oldest one would have no status line
        self.visit.turn(POLLOUT)
        self.connection.settimeout(self.server.limits.sending)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy())
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", RETRY_AFTER)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self._told = True
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _let_pass(self) -> None:
        """Take the rest of a request that was refused: a client that still sends would not read why."""
        self.visit.turn(POLLIN)
        deadline, left = time.monotonic() + SECONDS_FOR_REST, LARGEST_REST
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            while left > 0 and (seconds := deadline - time.monotonic()) > 0:
                self.connection.settimeout(seconds)
                some = len(self.connection.recv(LARGEST_BODY))
                left -= some or left

    def log_message(self, format: str, *args: Any) -> None:
        """Hand a line to whoever listens; control characters that a client sent are shown escaped."""
        if self.server.log is not None:
            self.server.log(escaped(format % args))


def check_host(host: str, *, allow_remote: bool) -> Address:
    """Return the address of a host; one that others could reach is refused unless that is meant."""
    address = _address(host)
    if not address.is_loopback and not allow_remote:
        raise UserError(
            f"--host {host}: others could reach the page there; expected an address of this machine "
            "(127.0.0.1, ::1, localhost), or --allow-remote if that is meant"
        )
    return address


def _address(host: str) -> Address:
    """Return the address of a host; localhost is this machine, whatever its name service says."""
    if host.lower() == "localhost":
        return ipaddress.ip_address("127.0.0.1")
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return ipaddress.ip_address(str(found[0][4][0]))
    except (OSError, UnicodeError, ValueError) as error:
        raise UserError(f"--host {host}: found no such address") from error


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
