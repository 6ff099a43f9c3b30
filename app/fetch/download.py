"""Get one URL into a part file that survives interruption, and resume it."""

import http.client
import json
import os
import re
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, cast
from urllib.parse import urlsplit

from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors

Progress = Callable[[int, int | None], None]
Notice = Callable[[str], None]

SCHEMES = ("http", "https", "file")
_CHUNK = 1 << 16
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


def check_url(url: str) -> None:
    """Refuse a URL that no source can have, before anything is asked of the network."""
    wanted = f"expected {', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}"
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise FetchError(f"{url!r} is not a URL ({error}); {wanted}; correct it") from error
    if parts.scheme not in SCHEMES:
        raise FetchError(
            f"{url!r} has the scheme {parts.scheme!r}; {wanted}; "
            "write a local archive as file:///path/to/archive.tar.gz"
        )
    if parts.username is not None:
        raise FetchError(
            f"the URL of {host} holds a user name; expected none; fetch the archive by other "
            "means and give it as file:///path/to/archive.tar.gz"
        )
    if parts.scheme == "file" and (host not in (None, "localhost") or len(parts.path) < 2):
        raise FetchError(
            f"{url!r} names no local file; expected three slashes and an absolute path, "
            "as in file:///path/to/archive.tar.gz; correct it"
        )
    if parts.scheme != "file" and not host:
        raise FetchError(f"{url!r} names no host; expected {parts.scheme}://host/path; correct it")


def local_archive(url: str, *, max_bytes: int, progress: Progress) -> Path:
    """The file that a ``file:`` URL names: used where it lies, never copied, never removed."""
    path = Path(urllib.request.url2pathname(urlsplit(url).path))
    try:
        if not path.is_file():
            raise SourceError("not a file" if path.exists() else "no such file")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
    except (OSError, ValueError) as error:
        raise SourceError(_reason(error)) from error
    if size > max_bytes:
        raise SourceError(f"holds {size:,} bytes; at most {max_bytes:,} are accepted")
    progress(size, size)
    return path


def download(
    url: str,
    part: "PartFile",
    *,
    timeout: float,
    max_bytes: int,
    progress: Progress,
    notice: Notice,
) -> None:
    """Complete `part` from `url`, resuming what an earlier call left when the server can.

    The part is truncated only once a server really delivers, so a source that refuses costs
    nothing that another one had sent before.
    """
    origin = part.origin(url)
    offset = part.size() if origin is not None and origin.resumable else 0
    if origin is not None and 0 < offset == origin.total:
        progress(offset, offset)  # complete already; only the unpacking had been interrupted
        return
    response, offset = _open(url, origin, offset, timeout, notice)
    with closing(response):
        total = _total(response, offset)
        if total is not None and total > max_bytes:
            raise SourceError(f"announces {total:,} bytes; at most {max_bytes:,} are accepted")
        if not offset:
            headers = response.headers
            origin = Origin(url, headers.get("ETag"), headers.get("Last-Modified"), total)
            part.begin(origin)
        received = _receive(response, part, offset, total, timeout, max_bytes, progress)
    if total is None and origin is not None:
        part.describe(Origin(url, origin.etag, origin.last_modified, received))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the bytes of a part file come from: enough to know whether more may be appended."""

    url: str
    etag: str | None
    last_modified: str | None
    total: int | None

    @property
    def validator(self) -> str | None:
        """The value for If-Range, which admits no weak ETag (RFC 9110, 13.1.5)."""
        if self.etag is not None and not self.etag.startswith("W/"):
            return self.etag
        return self.last_modified

    @property
    def resumable(self) -> bool:
        """Without a validator the length is the only sign that the file is still the same."""
        return self.validator is not None or self.total is not None


class PartFile:
    """An unfinished download and the little sidecar that says where it comes from.

    The sidecar is written before the first byte, so whenever the process dies the part is
    either described by the sidecar or empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sidecar = path.with_name(path.name + ".json")

    def size(self) -> int:
        """The bytes received so far."""
        with disk_errors("read", self.path):
            is_ours = self.path.is_file() and not self.path.is_symlink()
            return self.path.stat().st_size if is_ours else 0

    def origin(self, url: str) -> Origin | None:
        """What the sidecar says, if it is sound and about `url`."""
        try:
            described = json.loads(self.sidecar.read_text(encoding="utf-8"))
            origin = Origin(**described)
        except (OSError, ValueError, TypeError):
            return None
        texts = (origin.etag, origin.last_modified)
        if any(text is not None and not _is_header_value(text) for text in texts):
            return None
        if not isinstance(origin.total, int | None):
            return None
        return origin if origin.url == url else None

    def begin(self, origin: Origin) -> None:
        """Throw away what is there and start an empty part; "x" follows no planted link."""
        self.discard()
        self.describe(origin)
        with disk_errors("create", self.path), self.path.open("xb"):
            pass

    def describe(self, origin: Origin) -> None:
        """Write the sidecar."""
        with disk_errors("write", self.sidecar):
            self.sidecar.unlink(missing_ok=True)
            with self.sidecar.open("x", encoding="utf-8") as file:
                json.dump(asdict(origin), file, allow_nan=False)

    def discard(self) -> None:
        """Remove the part and its sidecar."""
        with disk_errors("remove", self.path):
            self.path.unlink(missing_ok=True)
            self.sidecar.unlink(missing_ok=True)


def _open(
    url: str, origin: Origin | None, offset: int, timeout: float, notice: Notice
) -> tuple[http.client.HTTPResponse, int]:
    """The response to read, and the offset its first byte has in the archive."""
    if origin is not None and offset:
        headers = {"Range": f"bytes={offset}-"}
        if origin.validator is not None:
            headers["If-Range"] = origin.validator
        response = _request(url, headers, timeout)
        if response is not None and _continues(response, origin, offset):
            notice(f"resuming {url} after {offset:,} bytes")
            return response, offset
        notice(f"{url} does not continue the earlier download; starting again")
        if response is not None and response.status == 200:
            return response, 0
        if response is not None:
            response.close()
    response = _request(url, {}, timeout)
    if response is None or response.status != 200:
        if response is not None:
            response.close()
        raise SourceError("answered a part of the archive when all of it was asked for")
    return response, 0


def _request(
    url: str, headers: Mapping[str, str], timeout: float
) -> http.client.HTTPResponse | None:
    """Status 200 or 206; None for 416, "range not satisfiable", to a request with a range."""
    request = urllib.request.Request(url, headers={"User-Agent": "babi-cascade", **headers})
    try:
        response = cast(http.client.HTTPResponse, _opener().open(request, timeout=timeout))
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and "Range" in headers:
            return None
        raise SourceError(f"HTTP {error.code} {error.reason}".rstrip()) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SourceError(_reason(error, timeout)) from error
    if response.status not in (200, 206):
        response.close()
        raise SourceError(f"HTTP {response.status} {response.reason}; expected 200".rstrip())
    return response


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects without reading their bodies, which could be endless."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        fp.close()
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener() -> urllib.request.OpenerDirector:
    """HTTP only: the default opener would follow a redirect to ftp."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.UnknownHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        _Redirects,
    ):
        opener.add_handler(handler())
    return opener


def _continues(response: http.client.HTTPResponse, origin: Origin, offset: int) -> bool:
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status != 206 or match is None or int(match[1]) != offset:
        return False
    if match[3] != "*" and origin.total is not None and int(match[3]) != origin.total:
        return False
    etag = response.headers.get("ETag", origin.etag)
    last_modified = response.headers.get("Last-Modified", origin.last_modified)
    return (etag, last_modified) == (origin.etag, origin.last_modified)


def _total(response: http.client.HTTPResponse, offset: int) -> int | None:
    """The length of the whole archive, if the server tells."""
    match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if response.status == 206 and match is not None and match[3] != "*":
        return int(match[3])
    return None if response.length is None else offset + response.length


def _receive(
    response: http.client.HTTPResponse,
    part: PartFile,
    offset: int,
    total: int | None,
    timeout: float,
    max_bytes: int,
    progress: Progress,
) -> int:
    """Append the body to the part, unbuffered: a kill loses no more than one chunk."""
    received = offset
    with disk_errors("write", part.path):
        out = part.path.open("ab", buffering=0)
    with out:
        progress(received, total)
        while total is None or received < total:
            size = _CHUNK if total is None else min(_CHUNK, total - received)
            try:
                chunk = response.read1(size)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _cut(_reason(error, timeout), received, total) from error
            if not chunk:
                break
            received += len(chunk)
            if received > max_bytes:
                part.discard()
                raise SourceError(f"sent more than the {max_bytes:,} bytes that are accepted")
            with disk_errors("write", part.path):
                _write_all(out, chunk)
            progress(received, total)
    if total is not None and received < total:
        raise _cut("the connection ended", received, total)
    return received


def _write_all(out: IO[bytes], chunk: bytes) -> None:
    """An unbuffered write may take only a part, as on a disk that is just getting full."""
    view = memoryview(chunk)
    while view:
        view = view[out.write(view) :]


def _cut(reason: str, received: int, total: int | None) -> SourceError:
    expected = "an unknown number of" if total is None else f"{total:,}"
    return SourceError(
        f"{reason} after {received:,} of {expected} bytes (kept; the same command resumes)"
    )


def _is_header_value(text: object) -> bool:
    """A sidecar edited by hand must not smuggle lines into the request."""
    return isinstance(text, str) and text.isascii() and text.isprintable()


def _reason(error: Exception, timeout: float | None = None) -> str:
    cause: object = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError) and timeout is not None:
        return f"nothing came for {timeout:g} seconds"
    if isinstance(cause, socket.gaierror):
        return f"host name not found ({cause.strerror})"
    if isinstance(cause, http.client.IncompleteRead):
        return "the connection ended"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause) or type(cause).__name__
