"""A small web server for one page, on loopback, with the standard library.

It keeps nothing on the disk, answers only requests that name it as their host (no other site can reach it
through the browser of its user), takes small bodies only, and lets nobody hold a connection for long.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from babi_cascade.app.ask import AskError
from babi_cascade.app.serve.answering import Answering, BusyError
from babi_cascade.app.serve.errors import ServingError
from babi_cascade.app.serve.page import live_page, policy

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

LARGEST_BODY = 64 * 1024
SECONDS_TO_SEND = 10
"""After so many without a byte a connection is closed."""

SECONDS_TO_ANSWER = 30.0
CONNECTIONS = 32
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class LiveServer(ThreadingHTTPServer):
    """Serves the live page of a model.

    Parameters
    ----------
    cascade : the model
    host, port : where; port 0 takes a free one
    allow_remote : whether another host than this machine may be served
    seconds : the longest time for an answer
    log : gets one line a request, None for nobody
    """

    daemon_threads = True
    request_queue_size = 16

    def __init__(
        self, cascade: Cascade, host: str = "127.0.0.1", port: int = 8080, *,
        allow_remote: bool = False, seconds: float = SECONDS_TO_ANSWER,
        log: Callable[[str], None] | None = None,
    ) -> None:  # fmt: skip
        address = check_host(host, allow_remote=allow_remote)
        self.address_family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
        self.page = live_page().encode()
        self.log = log
        self._allow_remote = allow_remote and not address.is_loopback
        self._host = host
        self._connections = BoundedSemaphore(CONNECTIONS)
        self.answering = Answering(cascade, seconds)
        try:
            super().__init__((str(address), port), Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ServingError(f"{host}:{port}: cannot serve there: {reason}") from error

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
        """Begin with a connection; one too many is closed at once."""
        if not self._connections.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Lead a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._connections.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away."""

    def server_close(self) -> None:
        """Stop serving and answering."""
        super().server_close()
        self.answering.close()


class Handler(BaseHTTPRequestHandler):
    """Answers ``GET /`` with the page and ``POST /ask`` with views of questions."""

    server: LiveServer
    server_version = "babi-cascade"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = SECONDS_TO_SEND

    def do_GET(self) -> None:
        """Give the page."""
        if not self._trusted():
            return
        if self.path.split("?")[0] != "/":
            self._tell(404, "there is only the page /")
            return
        self._send(200, "text/html; charset=utf-8", self.server.page)

    do_HEAD = do_GET  # noqa: N815

    def do_POST(self) -> None:
        """Answer a text."""
        if not self._trusted():
            return
        if self.path != "/ask":
            self._tell(404, "texts go to /ask")
            return
        body = self._body()
        if body is None:
            return
        try:
            text = json.loads(body)["text"]
            if not isinstance(text, str):
                raise TypeError
        except (ValueError, KeyError, TypeError, RecursionError):
            self._tell(400, 'expected a JSON object {"text": "…"}')
            return
        try:
            views = self.server.answering.answer(text)
        except AskError as error:
            self._tell(422, str(error))
        except BusyError as error:
            self._tell(503, str(error))
        except Exception:  # a browser is told in one line; the terminal has the rest
            self._tell(500, "this text cannot be answered")
            raise
        else:
            self._json(200, {"questions": views})

    def _trusted(self) -> bool:
        """Refuse what another site sends through the browser."""
        if not self.server.names_us(self.headers.get("Host")):
            self._tell(421, "this server answers under its own address only")
            return False
        origin = self.headers.get("Origin")
        foreign = origin is not None and not (
            origin.startswith("http://") and self.server.names_us(origin.removeprefix("http://"))
        )
        if foreign or self.headers.get("Sec-Fetch-Site") == "cross-site":
            self._tell(403, "requests of other sites are refused")
            return False
        return True

    def _body(self) -> bytes | None:
        """Read the body of a request; None if it was refused."""
        kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            self._tell(415, "expected JSON")
            return None
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or self.headers.get("Transfer-Encoding"):
            self._tell(411, "expected a Content-Length")
            return None
        if len(length) > 9 or int(length) > LARGEST_BODY:
            self._tell(413, f"expected at most {LARGEST_BODY} bytes")
            return None
        try:
            body = self.rfile.read(int(length))
        except OSError:
            self.close_connection = True
            return None
        return body if len(body) == int(length) else None

    def _tell(self, status: int, error: str) -> None:
        self.close_connection = True  # a body that was not read would be taken for the next request
        self._json(status, {"error": error})

    def _json(self, status: int, value: Any) -> None:
        self._send(
            status,
            "application/json; charset=utf-8",
            json.dumps(value, ensure_ascii=False).encode(),
        )

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", policy())
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Hand a line to whoever listens; what a client sent is shown without control characters."""
        if self.server.log is not None:
            line = format % args
            self.server.log("".join(c if c.isprintable() else "?" for c in line))


def check_host(host: str, *, allow_remote: bool) -> Address:
    """Return the address of a host; one that others could reach is refused unless that is meant."""
    address = _address(host)
    if not address.is_loopback and not allow_remote:
        raise ServingError(
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
        raise ServingError(f"--host {host}: found no such address") from error


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
