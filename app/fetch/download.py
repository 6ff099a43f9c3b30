"""One file from one of several sources: pooch downloads it, checks its sum and puts it into place.

What pooch does not do is here: sources are tried in order, an interrupted download is resumed, and one that
is too large is given up. Beside the file NAME live ``NAME.part`` (what was received) and ``NAME.part.of``
(the server's mark of what it is a part of) until it is complete.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from http.client import IncompleteRead, RemoteDisconnected
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors
from babi_cascade.pipeline.stories.errors import escaped

if TYPE_CHECKING:
    import requests

Got = TypeVar("Got")
Progress = Callable[[int, int | None], None]
Notice = Callable[[str], None]

SCHEMES = ("http", "https", "file")
_CHUNK = 1 << 13
_HEADERS = {"User-Agent": "babi-cascade", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Transfer:
    """How files are downloaded.

    Parameters
    ----------
    timeout : seconds without a byte after which a source is given up
    max_bytes : no more is accepted, whatever a server announces or sends
    progress : gets the bytes received and the length of the file, if known
    notice : gets a line when a source fails, or a download is resumed or starts again
    advice : what to do where no source delivers
    """

    timeout: float = 30
    max_bytes: int = 200_000_000
    progress: Progress = lambda received, total: None
    notice: Notice = lambda line: None
    advice: str = "fetch it by other means and give it as --url file:///path/to/it"

    def tell(self, text: str) -> None:
        """Give a notice; what servers and archives call themselves is made printable."""
        self.notice(escaped(text))


def fetch_file(
    name: str,
    urls: Sequence[str],
    target: Path,
    sha256: str | None = None,
    transfer: Transfer | None = None,
) -> Path:
    """Put the file ``name`` into the folder ``target``, unless it is there with the right sum.

    Another sum than SHA-256 has its name before it, ``sha1:…``. A `FetchError` says in one line why no
    source delivered it; what was in the folder is then as it was.
    """
    how = transfer or Transfer()
    return from_first(urls, name, how, lambda url: download(url, target / name, how, sha256))


def from_first(
    urls: Sequence[str], what: str, transfer: Transfer, attempt: Callable[[str], Got]
) -> Got:
    """Return what the first source gives for which the attempt succeeds."""
    if not urls:
        raise FetchError(f"no URL was given for {what}; expected at least one; add --url")
    for url in urls:
        check_url(url)
    failures: list[str] = []
    for position, url in enumerate(urls):
        try:
            return attempt(url)
        except SourceError as error:
            failures.append(f"{url}: {error}")
            if position + 1 < len(urls):
                transfer.tell(f"{failures[-1]}; trying {urls[position + 1]}")
    raise FetchError(f"could not get {what}: {'; '.join(failures)}; {transfer.advice}")


def check_url(url: str) -> None:
    """Refuse a URL that no source can have, before anything is asked of the network."""
    wanted = "expected http://host/path, https://host/path or file:///path/to/it; correct it"
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise FetchError(f"{url!r} is not a URL ({error}); {wanted}") from error
    if parts.username is not None:
        raise FetchError(f"the URL of {host} holds a user name; {wanted}")
    if parts.scheme not in SCHEMES:
        raise FetchError(f"{url!r} has the scheme {parts.scheme!r}; {wanted}")
    if parts.scheme != "file" and not host:
        raise FetchError(f"{url!r} names no host; {wanted}")
    if parts.scheme == "file" and (host not in (None, "localhost") or len(parts.path) < 2):
        raise FetchError(f"{url!r} names no local file; {wanted}")


def download(url: str, place: Path, transfer: Transfer, sha256: str | None = None) -> Path:
    """Complete the file at a place from one source; `SourceError` if it cannot be had there."""
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    known = f"sha256:{sha256}" if sha256 is not None and ":" not in sha256 else sha256
    downloader = _Downloader(place, transfer)
    try:
        pooch.retrieve(url, known, place.name, place.parent, downloader=downloader)
    except FetchError:
        raise
    except ValueError as error:  # of pooch: another sum than the known one
        raise SourceError(str(error)) from error
    except OSError as error:
        if error is downloader.stopped_by:
            raise
        with disk_errors("write", place):
            raise
    return place


class _CannotResumeError(Exception):
    """What was received cannot be continued."""


class _Downloader:
    """A downloader as pooch calls it. It is the file into which pooch's own one for HTTP writes."""

    def __init__(self, place: Path, transfer: Transfer) -> None:
        self.stopped_by: BaseException | None = None  # what the callback for progress raised
        self._part = place.with_name(f"{place.name}.part")
        self._mark = place.with_name(f"{place.name}.part.of")
        self._transfer = transfer
        self._received = 0
        self._total: int | None = None

    def __call__(self, url: str, output_file: str, pooch: Any, check_only: bool = False) -> None:
        """Download to the path that pooch gives; there it checks the sum."""
        if url.lower().startswith("file:"):
            self._copy(Path(url2pathname(urlsplit(url).path)), output_file)
            return
        mark = self._resumable()
        try:
            self._get(url, mark)
        except _CannotResumeError:
            self._transfer.tell(f"{url} cannot be resumed; starting again")
            self._received = 0
            self._get(url, None)
        with disk_errors("write", self._part):
            self._part.replace(output_file)
            self._mark.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Append to the part at once: a kill loses no more than one chunk."""
        self._received += len(chunk)
        if self._received > self._transfer.max_bytes:
            self._discard()
            most = self._transfer.max_bytes
            raise SourceError(f"sent more than the {most:,} bytes that are accepted")
        with disk_errors("write", self._part), self._part.open("ab") as part:
            part.write(chunk)
        self._progress()

    def flush(self) -> None:
        """Do nothing: it is written."""

    def _copy(self, path: Path, output_file: str) -> None:
        try:
            if not path.is_file():
                raise SourceError("not a file" if path.exists() else "no such file")
            self._received = self._total = size = path.stat().st_size
            if size > self._transfer.max_bytes:
                most = self._transfer.max_bytes
                raise SourceError(f"holds {size:,} bytes; at most {most:,} are accepted")
            shutil.copyfile(path, output_file)
        except (OSError, ValueError) as error:
            raise SourceError(_reason(error, self._transfer.timeout)) from error
        self._progress()

    def _get(self, url: str, mark: str | None) -> None:
        import requests
        from pooch import HTTPDownloader

        headers = dict(_HEADERS)
        if mark is not None:
            headers |= {"Range": f"bytes={self._received}-", "If-Range": mark}
        begun = False

        def begin(response: requests.Response, *args: Any, **options: Any) -> None:
            nonlocal begun
            begun = self._begin(response, mark)

        http = HTTPDownloader(
            chunk_size=_CHUNK, headers=headers, timeout=self._transfer.timeout,
            hooks={"response": begin},
        )  # fmt: skip
        reason = ""
        try:
            http(url, self, None)
        except requests.RequestException as error:
            reason = _reason(error, self._transfer.timeout)
        if not reason and self._total is not None and self._received < self._total:
            reason = "the connection ended"
        if reason and begun:
            of = "an unknown number of" if self._total is None else f"{self._total:,}"
            reason += f" after {self._received:,} of {of} bytes (kept; the same command resumes)"
        if reason:
            raise SourceError(reason)

    def _begin(self, response: requests.Response, mark: str | None) -> bool:
        """Look at the head of an answer before its body is read; say whether that will come."""
        status = response.status_code
        if status == 416 and mark is not None:
            raise _CannotResumeError
        if status >= 300:
            response.close()  # the body of a redirect may have no end
            return False
        response.raw.headers.pop("Content-Encoding", None)  # of an archive that is stored packed
        named = [response.headers.get(name, "") for name in ("ETag", "Last-Modified")]
        start = f"bytes {self._received}-"
        continues = response.headers.get("Content-Range", "").startswith(start) and mark in named
        if status == 206 and not continues:
            if mark is not None:
                raise _CannotResumeError
            raise SourceError("answered a part of the file that was not asked for")
        if status not in (200, 206):
            raise SourceError(f"HTTP {status} {response.reason}; expected 200")
        if status == 206:
            self._transfer.tell(f"resuming {response.url} after {self._received:,} bytes")
        elif mark is not None:
            self._transfer.tell(f"{response.url} is not resumed by its server; starting again")
        length = response.headers.get("Content-Length", "")
        if status == 200:
            self._received = 0
        self._total = self._received + int(length) if length.isdecimal() else None
        if self._total is not None and self._total > self._transfer.max_bytes:
            most = self._transfer.max_bytes
            raise SourceError(f"announces {self._total:,} bytes; at most {most:,} are accepted")
        if status == 200:
            self._discard()
            strong = [text for text in named if text and not text.startswith("W/")]
            # The mark comes before the first byte, so a part always has its own; "x" follows no link.
            with disk_errors("create", self._part):
                with self._mark.open("x", encoding="utf-8") as file:
                    file.write(strong[0] if strong else "")
                self._part.open("xb").close()
        self._progress()
        return True

    def _resumable(self) -> str | None:
        """Return the mark of what an earlier call received, None if there is nothing to be resumed.

        It is what If-Range takes: an ETag that is not weak (RFC 9110, 13.1.5), or a date.
        """
        try:
            mark = self._mark.read_text(encoding="utf-8")
            size = 0 if self._part.is_symlink() else self._part.stat().st_size
        except (OSError, ValueError):
            return None
        if not size or not mark or not mark.isascii() or not mark.isprintable():
            return None
        self._received = size
        return mark

    def _progress(self) -> None:
        try:
            self._transfer.progress(self._received, self._total)
        except BaseException as error:
            self.stopped_by = error
            raise

    def _discard(self) -> None:
        with disk_errors("remove", self._part):
            self._part.unlink(missing_ok=True)
            self._mark.unlink(missing_ok=True)


def _reason(error: BaseException, timeout: float) -> str:
    """Return in a few words what is behind an error of the network."""
    import requests
    import urllib3

    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP {error.response.status_code} {error.response.reason}".rstrip()
    found = str(error) or type(error).__name__
    for cause in _causes(error):
        if isinstance(cause, TimeoutError | urllib3.exceptions.ReadTimeoutError):
            return f"nothing came for {timeout:g} seconds"
        if isinstance(cause, IncompleteRead | RemoteDisconnected):
            return "the connection ended"
        if isinstance(cause, OSError) and cause.strerror:
            found = cause.strerror
    return found


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it wraps: requests wraps urllib3, which wraps the socket."""
    seen: list[BaseException] = []
    waiting: list[object] = [error]
    while waiting:
        cause = waiting.pop(0)
        if isinstance(cause, BaseException) and cause not in seen:
            seen.append(cause)
            yield cause
            waiting += [
                *cause.args,
                getattr(cause, "reason", None),
                cause.__cause__,
                cause.__context__,
            ]
