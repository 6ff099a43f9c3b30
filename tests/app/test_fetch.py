"""Fetching the data, against a real server on the loopback and archives built here."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from babi_cascade.app.fetch import released
from babi_cascade.app.fetch.download import fetch_file
from babi_cascade.app.fetch.errors import FetchError
from babi_cascade.app.fetch.released import FetchReport, fetch_data
from babi_cascade.app.fetch.sums import parse_sums, shipped_sums, verify_directory

TOP = "tasks_1-20_v1-2"
FILES = {
    "en/qa1_single_train.txt": b"1 Mary moved to the bathroom.\n2 Where is Mary?\tbathroom\t1\n",
    "en/qa1_single_test.txt": os.urandom(150_000),  # does not compress: several chunks to send
    "hn/qa1_single_train.txt": "1 मरियम बाथरूम में गयी।\n".encode(),
    "en-10k/qa1_single_train.txt": b"1 Daniel went to the office.\n" * 100,
    "README.txt": b"Towards AI Complete Question Answering\n",
}
SUMS = {
    name: hashlib.sha256(content).hexdigest()
    for name, content in FILES.items()
    if name.startswith(("en/", "hn/"))
}
CUT = 98_304
"""A whole number of the chunks that are written; of one that is cut short nothing is kept."""


def member(name: str, content: bytes = b"x", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def pack(*extra: tuple[tarfile.TarInfo, bytes], files: Mapping[str, bytes] = FILES) -> bytes:
    """The small archive with the layout of the released one, with `extra` members at the end."""
    folder = tarfile.TarInfo(TOP)
    folder.type = tarfile.DIRTYPE
    plain = [member(f"{TOP}/{name}", content) for name, content in files.items()]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for info, content in [(folder, b""), *plain, *extra]:
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


ARCHIVE = pack()


class Server(ThreadingHTTPServer):
    """Serves `body` in the manner that the path names, and keeps what was asked."""

    daemon_threads = True
    # Stopping must not wait for a handler that still waits in /silent or /slow.
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = ARCHIVE
        self.etag: str | None = '"v1"'
        self.requests: list[tuple[str, str | None, str | None]] = []  # path, Range, If-Range
        self.stopped = threading.Event()

    def url(self, manner: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{manner}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up early is part of several tests."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""

    def do_GET(self) -> None:
        manner = self.path.strip("/")
        asked = self.headers.get("Range")
        self.server.requests.append((manner, asked, self.headers.get("If-Range")))
        getattr(self, f"serve_{manner.replace('-', '_')}")(asked)

    def head(self, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        if self.server.etag is not None:
            self.send_header("ETag", self.server.etag)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def serve_range(self, asked: str | None, *, respect_if_range: bool = True) -> None:
        body = self.server.body
        condition = self.headers.get("If-Range")
        changed = respect_if_range and condition not in (None, self.server.etag)
        if asked is None or changed:
            self.head(Content_Length=len(body))
            self.wfile.write(body)
            return
        start = int(asked.removeprefix("bytes=").removesuffix("-"))
        self.head(
            206,
            Content_Length=len(body) - start,
            Content_Range=f"bytes {start}-{len(body) - 1}/{len(body)}",
        )
        self.wfile.write(body[start:])

    def serve_careless_range(self, asked: str | None) -> None:
        self.serve_range(asked, respect_if_range=False)

    def serve_whole(self, asked: str | None) -> None:
        self.head(Content_Length=len(self.server.body))
        self.wfile.write(self.server.body)

    def serve_wrong_start(self, asked: str | None) -> None:
        body = self.server.body
        if asked is None:
            self.serve_whole(asked)
            return
        length = len(body)
        self.head(206, Content_Length=length, Content_Range=f"bytes 0-{length - 1}/{length}")
        self.wfile.write(body)

    def serve_unsatisfiable(self, asked: str | None) -> None:
        if asked is None:
            self.serve_whole(asked)
        else:
            self.head(416, Content_Length=0)

    def serve_uninvited_part(self, asked: str | None) -> None:
        self.head(206, Content_Length=2, Content_Range="bytes 5-6/100")
        self.wfile.write(b"xx")

    def serve_cut(self, asked: str | None) -> None:
        """The first answer breaks off; a range is served in full."""
        if asked is not None:
            self.serve_range(asked)
            return
        self.head(Content_Length=len(self.server.body))
        self.wfile.write(self.server.body[:CUT])

    def serve_cut_chunked(self, asked: str | None) -> None:
        self.protocol_version = "HTTP/1.1"
        self.head(Transfer_Encoding="chunked", Connection="close")
        self.wfile.write(b"%x\r\n" % len(self.server.body) + self.server.body[:CUT])

    def serve_chunked(self, asked: str | None) -> None:
        self.protocol_version = "HTTP/1.1"
        self.head(Transfer_Encoding="chunked", Connection="close")
        self.wfile.write(b"%x\r\n" % len(self.server.body) + self.server.body + b"\r\n0\r\n\r\n")

    def serve_too_short_length(self, asked: str | None) -> None:
        self.head(Content_Length=CUT)
        self.wfile.write(self.server.body)

    def serve_huge_length(self, asked: str | None) -> None:
        self.head(Content_Length=10**15)

    def serve_encoded(self, asked: str | None) -> None:
        self.head(Content_Length=len(self.server.body), Content_Encoding="gzip")
        self.wfile.write(self.server.body)

    def serve_404(self, asked: str | None) -> None:
        self.send_error(404)

    def serve_endless(self, asked: str | None) -> None:
        self.head()
        while not self.server.stopped.is_set():
            self.wfile.write(bytes(1 << 16))

    def serve_silent(self, asked: str | None) -> None:
        self.server.stopped.wait(30)

    def serve_stalls(self, asked: str | None) -> None:
        if asked is not None:
            self.serve_range(asked)
            return
        self.head(Content_Length=len(self.server.body))
        self.wfile.write(self.server.body[:CUT])
        self.wfile.flush()
        self.server.stopped.wait(30)

    def serve_redirect(self, asked: str | None) -> None:
        self.head(302, Location="/range", Content_Length=0)

    def serve_endless_redirect(self, asked: str | None) -> None:
        self.head(302, Location="/range")
        while not self.server.stopped.is_set():
            self.wfile.write(bytes(1 << 16))

    def serve_redirect_to_ftp(self, asked: str | None) -> None:
        self.head(302, Location="ftp://127.0.0.1/archive.tar.gz", Content_Length=0)

    def serve_redirect_to_file(self, asked: str | None) -> None:
        self.head(302, Location="file:///etc/hostname", Content_Length=0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "*")
    server = Server()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.stopped.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "room" / "babi"


Fetch = Callable[..., FetchReport]


@pytest.fixture
def get(server: Server, target: Path) -> Fetch:
    """`fetch_data` into `target` with the small sums, from the manners named."""

    def call(*manners: str, **options: Any) -> FetchReport:
        urls = [m if ":" in m else server.url(m) for m in manners]
        return fetch_data(target, urls, **{"sums": SUMS, "timeout": 5, **options})

    return call


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def part_of(target: Path) -> Path:
    """The one unfinished download; a path where there is none if there is none."""
    found = list(target.parent.glob(".babi.fetch/*.part"))
    return found[0] if found else target.with_name("no download")


def only_the_data(target: Path) -> bool:
    """The target holds what the archive does, and nothing lies beside it."""
    return tree(target) == FILES and [path.name for path in target.parent.iterdir()] == ["babi"]


def interrupt_after(count: int, error: BaseException) -> Callable[[int, int | None], None]:
    def progress(received: int, total: int | None) -> None:
        if received >= count:
            raise error

    return progress


# Downloads that succeed


def test_download_verifies_and_unpacks(get: Fetch, server: Server, target: Path) -> None:
    seen: list[tuple[int, int | None]] = []
    report = get("range", progress=lambda received, total: seen.append((received, total)))
    assert only_the_data(target)
    assert report.url == server.url("range")
    assert report.extracted == tuple(sorted(FILES))
    assert (report.verified, report.unverified, report.skipped) == (3, 2, 0)
    assert not report.already_there
    assert seen[0] == (0, len(ARCHIVE))
    assert seen[-1] == (len(ARCHIVE), len(ARCHIVE))


def test_a_new_target_has_ordinary_permissions(get: Fetch, target: Path) -> None:
    get("range")
    reference = target.parent / "reference"
    reference.mkdir()
    (reference / "file").touch()
    assert target.stat().st_mode == reference.stat().st_mode
    assert (target / "README.txt").stat().st_mode == (reference / "file").stat().st_mode


@pytest.mark.parametrize("manner", ["whole", "chunked", "redirect", "endless-redirect"])
def test_manners_of_delivery(get: Fetch, target: Path, manner: str) -> None:
    get(manner)
    assert only_the_data(target)


def test_file_url_is_used_in_place(get: Fetch, server: Server, target: Path) -> None:
    archive = target.parent.parent / "an archive.tar.gz"
    archive.write_bytes(ARCHIVE)
    report = get(archive.as_uri())
    assert only_the_data(target)
    assert report.url == archive.as_uri()
    assert archive.read_bytes() == ARCHIVE
    assert server.requests == []


def test_second_call_asks_nobody(get: Fetch, server: Server, target: Path) -> None:
    get("range")
    target.with_name(".babi.fetch").mkdir()
    (target.with_name(".babi.fetch") / "0123").write_bytes(b"left by a run killed at its very end")
    server.requests.clear()
    report = get("range")
    assert server.requests == []
    assert report.already_there
    assert report.url is None
    assert (report.extracted, report.skipped, report.verified) == ((), 3, 3)
    assert report.unverified == 2
    assert only_the_data(target)


def test_second_call_in_a_folder_without_write_permission(get: Fetch, target: Path) -> None:
    get("range")
    target.parent.chmod(0o555)
    try:
        assert get("range").already_there
    finally:
        target.parent.chmod(0o755)


def test_macos_files_are_skipped(get: Fetch, server: Server, target: Path) -> None:
    server.body = pack(member(f"._{TOP}"), member(f"{TOP}/._en"), member(f"{TOP}/en/.DS_Store"))
    get("range")
    assert only_the_data(target)


def test_current_folder_entry_is_accepted(get: Fetch, server: Server, target: Path) -> None:
    server.body = pack(member("./", b"", type=tarfile.DIRTYPE))
    get("range")
    assert only_the_data(target)


# Resuming


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("stop"), OSError("pipe")])
def test_interrupted_then_resumed(
    get: Fetch, server: Server, target: Path, error: BaseException
) -> None:
    with pytest.raises(type(error)) as caught:
        get("range", "404", progress=interrupt_after(1, error))
    assert caught.value is error
    kept = part_of(target).read_bytes()
    assert 0 < len(kept) < len(ARCHIVE)
    assert ARCHIVE.startswith(kept)
    assert not target.exists()
    notices: list[str] = []
    get("range", notice=notices.append)
    assert server.requests == [("range", None, None), ("range", f"bytes={len(kept)}-", '"v1"')]
    assert only_the_data(target)
    assert "resuming" in notices[0]


def test_killed_then_resumed(get: Fetch, server: Server, target: Path) -> None:
    program = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from babi_cascade.app.fetch.released import fetch_data
        fetch_data(Path(sys.argv[1]), [sys.argv[2]], sums={SUMS!r})
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(target), server.url("stalls")], env=environment
    )
    try:
        deadline = time.monotonic() + 10
        while not (part_of(target).exists() and part_of(target).stat().st_size == CUT):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    get("stalls")
    assert server.requests[-1] == ("stalls", f"bytes={CUT}-", '"v1"')
    assert only_the_data(target)


def test_cut_connection_is_an_error_and_resumes(get: Fetch, server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match=f"ended after {CUT:,} of {len(ARCHIVE):,} bytes"):
        get("cut")
    assert part_of(target).read_bytes() == ARCHIVE[:CUT]
    get("cut")
    assert server.requests[-1] == ("cut", f"bytes={CUT}-", '"v1"')
    assert only_the_data(target)


def test_cut_chunked_answer(get: Fetch, target: Path) -> None:
    with pytest.raises(FetchError, match=f"ended after {CUT:,} of an unknown number of bytes"):
        get("cut-chunked")
    assert part_of(target).stat().st_size == CUT


def test_stalled_server_times_out_and_resumes(get: Fetch, server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match=f"nothing came for 1 seconds after {CUT:,} of"):
        get("stalls", timeout=1)
    get("stalls")
    assert server.requests[-1][1] == f"bytes={CUT}-"
    assert only_the_data(target)


@pytest.mark.parametrize("manner", ["whole", "wrong-start", "unsatisfiable"])
def test_server_that_cannot_resume_starts_again(
    get: Fetch, server: Server, target: Path, manner: str
) -> None:
    with pytest.raises(KeyboardInterrupt):
        get(manner, progress=interrupt_after(1, KeyboardInterrupt()))
    notices: list[str] = []
    get(manner, notice=notices.append)
    assert server.requests[1][1] is not None
    assert "starting again" in notices[0]
    assert only_the_data(target)


@pytest.mark.parametrize("manner", ["range", "careless-range"])
def test_changed_archive_starts_again(
    get: Fetch, server: Server, target: Path, manner: str
) -> None:
    """Also with a server that sends the rest of the new archive in spite of If-Range."""
    server.body = ARCHIVE[:1000] + bytes(len(ARCHIVE) - 1000)
    with pytest.raises(KeyboardInterrupt):
        get(manner, progress=interrupt_after(1, KeyboardInterrupt()))
    server.body, server.etag = ARCHIVE, '"v2"'
    get(manner)
    assert server.requests[1][2] == '"v1"'
    assert only_the_data(target)


@pytest.mark.parametrize("etag", [None, 'W/"v1"'])
def test_without_a_strong_mark_it_starts_again(
    get: Fetch, server: Server, target: Path, etag: str | None
) -> None:
    server.etag = etag
    with pytest.raises(KeyboardInterrupt):
        get("range", progress=interrupt_after(1, KeyboardInterrupt()))
    get("range")
    assert [asked for _, asked, _ in server.requests] == [None, None]
    assert only_the_data(target)


def test_part_of_another_url_is_discarded(get: Fetch, server: Server, target: Path) -> None:
    with pytest.raises(FetchError):
        get("cut")
    get("range")
    assert server.requests[-1] == ("range", None, None)
    assert only_the_data(target)


def test_failing_source_costs_no_part_of_another(get: Fetch, server: Server, target: Path) -> None:
    with pytest.raises(FetchError):
        get("cut", "404")
    assert part_of(target).stat().st_size == CUT
    get("404", "cut")
    assert server.requests[-1][1] == f"bytes={CUT}-"


@pytest.mark.parametrize("mark", ["", "a\nX: y", "\udcff", "ä", '"v0"'], ids=range(5))
def test_a_damaged_mark_starts_again(get: Fetch, server: Server, target: Path, mark: str) -> None:
    with pytest.raises(FetchError):
        get("cut")
    path = part_of(target).with_name(f"{part_of(target).name}.of")
    path.write_bytes(mark.encode("utf-8", "surrogateescape"))
    server.body, whole = bytes(9), server.body
    with pytest.raises(FetchError, match="gzip"):
        get("cut")  # nothing of the old part is in what it got
    server.body = whole
    get("range")
    assert only_the_data(target)


@pytest.mark.parametrize("manner", ["range", "chunked"])
def test_complete_part_is_not_downloaded_again(
    get: Fetch, server: Server, target: Path, monkeypatch: pytest.MonkeyPatch, manner: str
) -> None:
    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(released, "install", interrupted)
        with pytest.raises(KeyboardInterrupt):
            get(manner)
    assert not target.exists()
    assert not target.with_name(".babi.fetch").joinpath("unpacked").exists()
    get(manner)
    assert len(server.requests) == 1
    assert only_the_data(target)


# Sources that fail


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ("404", "HTTP 404 Not Found"),
        ("silent", "nothing came for 1 seconds"),
        ("cut", "the connection ended after"),
        ("endless", "sent more than the 1,000,000 bytes"),
        ("huge-length", "announces 1,000,000,000,000,000 bytes"),
        ("too-short-length", "truncated or corrupt"),
        ("uninvited-part", "answered a part"),
        ("redirect-to-ftp", "ftp"),
        ("redirect-to-file", "file"),
        ("http://127.0.0.1:1/", "refused"),
        ("file:///no/such/archive.tar.gz", "no such file"),
        ("file:///", "not a file"),
    ],
)
def test_next_source_is_used(
    get: Fetch, server: Server, target: Path, manner: str, reason: str
) -> None:
    if manner == "file:///":
        manner = target.parent.parent.as_uri()
    notices: list[str] = []
    report = get(manner, "range", timeout=1, max_download=1_000_000, notice=notices.append)
    assert report.url == server.url("range")
    assert only_the_data(target)
    assert len(notices) == 1
    assert reason in notices[0]
    assert notices[0].endswith(f"trying {server.url('range')}")


def test_all_sources_fail(get: Fetch, server: Server, target: Path) -> None:
    with pytest.raises(FetchError) as caught:
        get("404", "silent", timeout=1)
    message = str(caught.value)
    assert "\n" not in message
    assert f"{server.url('404')}: HTTP 404 Not Found" in message
    assert f"{server.url('silent')}: nothing came" in message
    assert "--url file:///" in message
    assert list(target.parent.iterdir()) == []


def test_endless_answer_leaves_nothing(get: Fetch, target: Path) -> None:
    with pytest.raises(FetchError, match="sent more than"):
        get("endless", max_download=300_000)
    assert list(target.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("ftp://host/archive.tar.gz", "scheme 'ftp'"),
        ("/archive.tar.gz", "scheme ''"),
        ("C:\\archive.tar.gz", "scheme 'c'"),
        ("data:,x", "scheme 'data'"),
        ("file://archive.tar.gz", "names no local file"),
        ("http:///archive.tar.gz", "names no host"),
        ("http://host:port/", "is not a URL"),
        ("http://[host/", "is not a URL"),
        ("https://user:secret@host/", "holds a user name"),
    ],
)
def test_urls_that_are_not_accepted(
    get: Fetch, server: Server, target: Path, url: str, problem: str
) -> None:
    with pytest.raises(FetchError) as caught:
        fetch_data(target, [server.url("range"), url], sums=SUMS)
    assert problem in str(caught.value)
    assert "expected" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert server.requests == []


def test_no_url(target: Path) -> None:
    with pytest.raises(FetchError, match="no URL"):
        fetch_data(target, [], sums=SUMS)


# Archives that are wrong


def refused(get: Fetch, server: Server, target: Path, body: bytes, **options: Any) -> str:
    """The message, after making sure that nothing was written anywhere."""
    server.body = body
    outside = target.parent.parent
    with pytest.raises(FetchError) as caught:
        get("range", **options)
    assert [path.name for path in outside.rglob("*")] == ["room"]
    assert "\n" not in str(caught.value)
    return str(caught.value)


def plain_tar(tail: bytes) -> bytes:
    """The small archive with other bytes in place of the zeros at its end."""
    with tarfile.open(fileobj=io.BytesIO(ARCHIVE)) as tar:
        last = tar.getmembers()[-1]
    end = last.offset_data + (last.size + 511) // 512 * 512
    return gzip.compress(gzip.decompress(ARCHIVE)[:end] + tail)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"<html>\x1b[2J please log in</html>", "is not a gzip tar archive"),
        (b"", "is not a gzip tar archive"),
        (gzip.compress(b"no tar at all" * 1000), "is not a sound tar archive"),
        (gzip.compress(b""), "archive"),
        (gzip.compress(bytes(10240)), "without files"),
        (ARCHIVE[:CUT], "truncated or corrupt"),
        (ARCHIVE[:-4], "truncated or corrupt"),
        (ARCHIVE[:CUT] + bytes(8) + ARCHIVE[CUT + 8 :], "truncated or corrupt"),
        (plain_tar(b""), "no proper end"),
        (plain_tar(b"x" * 1024), "no proper end"),
    ],
    ids=range(10),
)
def test_corrupt_archives(
    get: Fetch, server: Server, target: Path, body: bytes, problem: str
) -> None:
    assert problem in refused(get, server, target, body)


def test_local_archive_that_is_wrong_is_not_removed(get: Fetch, target: Path) -> None:
    archive = target.parent.parent / "archive.tar.gz"
    archive.write_bytes(b"not an archive")
    with pytest.raises(FetchError, match="not a gzip tar"):
        get(archive.as_uri())
    assert archive.exists()


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        (
            {**FILES, "en/qa1_single_train.txt": b"forged"},
            "1 wrong (en/qa1_single_train.txt)",
        ),
        (
            {name: FILES[name] for name in FILES if not name.startswith("hn/")},
            "1 missing (hn/qa1_single_train.txt)",
        ),
    ],
)
def test_archives_without_the_published_files(
    get: Fetch, server: Server, target: Path, files: dict[str, bytes], problem: str
) -> None:
    assert problem in refused(get, server, target, pack(files=files))


LONG_CHAIN = gzip.compress(
    b"".join(tarfile.TarInfo().create_pax_global_header({"comment": "x"}) for _ in range(3000))
    + bytes(10240)
)


def forged_size(size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    """An archive whose first header claims `size` bytes."""
    info = tarfile.TarInfo(f"{TOP}/en/qa1_single_train.txt")
    info.size, info.type = size, kind
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(10240))


HOSTILE: dict[str, tuple[bytes, str]] = {
    "absolute": (pack(member("/escape")), "leaves the target"),
    "double slash": (pack(member("//escape")), "leaves the target"),
    "parent": (pack(member("../escape")), "leaves the target"),
    "parent inside": (pack(member(f"{TOP}/../../escape")), "leaves the target"),
    "parent folder": (pack(member("../escape", b"", type=tarfile.DIRTYPE)), "leaves the target"),
    "parent of a macOS file": (pack(member("../._escape")), "leaves the target"),
    "backslash": (pack(member(f"{TOP}\\..\\..\\escape")), "leaves the target"),
    "drive": (pack(member("C:/escape")), "leaves the target"),
    "stream": (pack(member(f"{TOP}/README.txt:x")), "leaves the target"),
    "dots and space": (pack(member(f"{TOP}/.. /escape")), "leaves the target"),
    "control": (pack(member(f"{TOP}/a\x1b[2Jb\nc")), "leaves the target"),
    "not utf-8": (pack(member(f"{TOP}/a\udcff")), "leaves the target"),
    "long": (pack(member(f"{TOP}/{'a' * 300}")), "leaves the target"),
    "symlink": (
        pack(member(f"{TOP}/en/link", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")),
        "neither a plain file",
    ),
    "through a symlink": (
        pack(
            member(f"{TOP}/away", b"", type=tarfile.SYMTYPE, linkname="../.."),
            member(f"{TOP}/away/escape"),
        ),
        "neither a plain file",
    ),
    "hard link": (
        pack(member(f"{TOP}/link", b"", type=tarfile.LNKTYPE, linkname=f"{TOP}/README.txt")),
        "neither a plain file",
    ),
    "fifo": (pack(member(f"{TOP}/pipe", b"", type=tarfile.FIFOTYPE)), "neither a plain file"),
    "character device": (
        pack(member(f"{TOP}/null", b"", type=tarfile.CHRTYPE)),
        "neither a plain file",
    ),
    "block device": (
        pack(member(f"{TOP}/disk", b"", type=tarfile.BLKTYPE)),
        "neither a plain file",
    ),
    "unknown type": (pack(member(f"{TOP}/what", b"", type=b"Z")), "neither a plain file"),
    "sparse": (
        pack(member(f"{TOP}/holes", b"", pax_headers={"GNU.sparse.map": "0,0", "path": "x"})),
        "neither a plain file",
    ),
    "duplicate": (pack(member(f"{TOP}/README.txt")), "occurs twice"),
    "duplicate, other spelling": (pack(member(f"./{TOP}//README.txt")), "occurs twice"),
    "duplicate, other case": (pack(member(f"{TOP}/EN/QA1_single_train.txt")), "occurs twice"),
    "file as folder": (pack(member(f"{TOP}/README.txt/escape")), "occurs twice"),
    "folder as file": (pack(member(f"{TOP}/en")), "occurs twice"),
    "second top folder": (pack(member("elsewhere/en/escape")), "outside the top folder"),
    "file at the top": (pack(member(TOP)), "outside the top folder"),
    "claims a terabyte": (forged_size(10**12), "unpacks to more than"),
    "claims less than nothing": (forged_size(-1024), "neither a plain file|tar archive"),
    "claims more than there is": (forged_size(10**6), "tar archive"),
    "huge name header": (forged_size(10**8, tarfile.GNUTYPE_LONGNAME), "impossible length"),
    "negative pax header": (forged_size(-1024, tarfile.XHDTYPE), "impossible|tar archive"),
    "chain of headers": (LONG_CHAIN, "tar archive"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_members(get: Fetch, server: Server, target: Path, name: str) -> None:
    body, problem = HOSTILE[name]
    message = refused(get, server, target, body)
    assert any(alternative in message for alternative in problem.split("|")), message


def test_hostile_archive_leaves_an_existing_target_alone(
    get: Fetch, server: Server, target: Path
) -> None:
    target.mkdir(parents=True)
    (target / "mine.txt").write_text("mine")
    server.body = HOSTILE["through a symlink"][0]
    with pytest.raises(FetchError):
        get("range", force=True)
    assert tree(target.parent) == {"babi/mine.txt": b"mine"}


def test_bomb(get: Fetch, server: Server, target: Path) -> None:
    bomb = pack(member(f"{TOP}/zeros", bytes(5_000_000)))
    assert "unpacks to more" in refused(get, server, target, bomb, max_unpacked=1_000_000)


def test_bomb_after_the_end_of_the_tar(get: Fetch, server: Server, target: Path) -> None:
    bomb = gzip.compress(gzip.decompress(ARCHIVE) + bytes(5_000_000))
    assert "unpacks to more" in refused(get, server, target, bomb, max_unpacked=1_000_000)


def test_too_many_members(get: Fetch, server: Server, target: Path) -> None:
    many = pack(*(member(f"{TOP}/{number}", b"") for number in range(20)))
    assert "more than the 20 members" in refused(get, server, target, many, max_members=20)


# Targets that hold something


def test_leftover_of_a_killed_run_is_cleaned(get: Fetch, target: Path) -> None:
    leftover = target.with_name(".babi.fetch") / "unpacked" / "content" / "en"
    leftover.mkdir(parents=True)
    (leftover / "half a file").touch()
    get("range")
    assert only_the_data(target)


def test_half_a_target_is_completed(get: Fetch, target: Path) -> None:
    get("range")
    (target / "en" / "qa1_single_test.txt").unlink()
    (target / "hn" / "qa1_single_train.txt").unlink()
    (target / "hn").rmdir()
    (target / "en" / "mine.txt").write_text("mine")
    report = get("range")
    assert report.extracted == ("en/qa1_single_test.txt", "hn/qa1_single_train.txt")
    assert report.skipped == 3
    assert tree(target) == {**FILES, "en/mine.txt": b"mine"}


def test_existing_folder_stays_the_same_folder(get: Fetch, target: Path) -> None:
    target.mkdir(parents=True)
    before = target.stat().st_ino
    get("range")
    assert target.stat().st_ino == before
    assert only_the_data(target)


@pytest.mark.parametrize(("name", "asked"), [("en/qa1_single_train.txt", 0), ("README.txt", 1)])
def test_other_files_are_refused_unless_forced(
    get: Fetch, server: Server, target: Path, name: str, asked: int
) -> None:
    other = target / name
    other.parent.mkdir(parents=True)
    other.write_text("something else")
    (target / "mine.txt").write_text("mine")
    before = tree(target.parent)
    with pytest.raises(FetchError, match=name) as caught:
        get("range")
    assert "force" in str(caught.value)
    assert len(server.requests) == asked  # a file with a sum is known to differ beforehand
    assert tree(target.parent) == before
    report = get("range", force=True)
    assert tree(target) == {**FILES, "mine.txt": b"mine"}
    assert name in report.extracted


def test_force_fetches_again(get: Fetch, server: Server, target: Path) -> None:
    get("range")
    (target / "README.txt").unlink()
    assert get("range").already_there
    report = get("range", force=True)
    assert report.extracted == ("README.txt",)
    assert len(server.requests) == 2
    assert only_the_data(target)


@pytest.mark.parametrize("force", [False, True])
def test_things_in_the_way(get: Fetch, target: Path, force: bool) -> None:
    away = target.parent / "away"
    away.mkdir(parents=True)
    target.mkdir()
    for obstacle in ("file", "link", "folder"):
        if obstacle == "file":
            (target / "en-10k").write_text("mine")
        elif obstacle == "link":
            (target / "en-10k").symlink_to(away)
        else:
            (target / "README.txt").mkdir()
        with pytest.raises(FetchError, match="in the way"):
            get("range", force=force)
        assert list(away.iterdir()) == []
        assert len(list(target.iterdir())) == 1
        if obstacle != "folder":
            (target / "en-10k").unlink()


def test_target_that_is_a_file(get: Fetch, target: Path) -> None:
    target.parent.mkdir()
    target.write_text("mine")
    with pytest.raises(FetchError, match="is a file; expected a folder"):
        get("range")
    assert target.read_text() == "mine"


def test_target_that_is_a_link_fills_the_folder_it_names(get: Fetch, target: Path) -> None:
    big_disk = target.parent / "big_disk"
    big_disk.mkdir(parents=True)
    target.symlink_to(big_disk)
    report = get("range")
    assert report.target == big_disk.resolve()
    assert target.is_symlink()
    assert tree(big_disk) == FILES


def test_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FetchError, match="cannot"):
        fetch_data(tmp_path / "file" / "babi", ["http://127.0.0.1:1/"], sums=SUMS)


def test_two_calls_at_once_download_once(get: Fetch, server: Server, target: Path) -> None:
    """The second call waits for the first, then finds the data in place."""
    second_waits = threading.Event()
    reports: list[FetchReport] = []

    def second_call() -> None:
        reports.append(get("range", notice=lambda line: second_waits.set()))

    second = threading.Thread(target=second_call)

    def progress(received: int, total: int | None) -> None:
        if received == 0:
            second.start()
            assert second_waits.wait(5)

    if sys.platform == "win32":
        pytest.skip("folders cannot be locked")
    assert not get("range", progress=progress).already_there
    second.join()
    assert reports[0].already_there
    assert len(server.requests) == 1


def test_workspace_of_a_mount_point(
    get: Fetch, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target whose parent cannot take the part and the unpacked files takes them itself."""
    target.mkdir(parents=True)
    monkeypatch.setattr(released, "_writable_beside", lambda folder: folder)
    with pytest.raises(FetchError):
        get("cut")
    assert [path.name for path in target.parent.iterdir()] == ["babi"]
    get("cut")
    assert only_the_data(target)


# One file with a known sum


ARCHIVE_SUM = hashlib.sha256(ARCHIVE).hexdigest()


def test_a_file_is_fetched_once_and_put_into_a_new_folder(server: Server, target: Path) -> None:
    for _ in range(2):
        path = fetch_file("some.jar", [server.url("range")], target, ARCHIVE_SUM)
        assert path == target / "some.jar"
        assert tree(target) == {"some.jar": ARCHIVE}
    assert len(server.requests) == 1


def test_a_file_with_another_sum_is_not_accepted(server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match="does not match the known hash"):
        fetch_file("some.jar", [server.url("range")], target, "0" * 64)
    assert tree(target) == {}
    (target / "some.jar").write_bytes(b"damaged")
    with pytest.raises(FetchError):
        fetch_file("some.jar", [server.url("404")], target, ARCHIVE_SUM)
    assert tree(target) == {"some.jar": b"damaged"}
    fetch_file("some.jar", [server.url("404"), server.url("range")], target, ARCHIVE_SUM)
    assert tree(target) == {"some.jar": ARCHIVE}


def test_a_file_is_resumed_and_checked_as_a_whole(server: Server, target: Path) -> None:
    with pytest.raises(FetchError, match=r"kept; the same command resumes"):
        fetch_file("some.jar", [server.url("cut")], target, ARCHIVE_SUM)
    fetch_file("some.jar", [server.url("cut")], target, ARCHIVE_SUM)
    assert server.requests[-1] == ("cut", f"bytes={CUT}-", '"v1"')
    assert tree(target) == {"some.jar": ARCHIVE}


def test_a_local_file_is_copied_and_checked(target: Path) -> None:
    local = target.parent.parent / "local.jar"
    local.write_bytes(ARCHIVE)
    fetch_file("some.jar", [local.as_uri()], target, ARCHIVE_SUM)
    assert tree(target) == {"some.jar": ARCHIVE}
    assert local.read_bytes() == ARCHIVE


def test_an_archive_that_its_server_calls_encoded_is_kept_as_it_is(
    server: Server, target: Path
) -> None:
    """Some servers say of a .tar.gz that gzip is its encoding; unpacked it would have another sum."""
    fetch_file("some.jar", [server.url("encoded")], target, ARCHIVE_SUM)
    assert tree(target) == {"some.jar": ARCHIVE}


def test_a_full_disk_is_one_line(get: Fetch, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.open

    def full(self: Path, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if self.suffix == ".part" and mode == "ab":
            raise OSError(28, "No space left on device", str(self))
        return real(self, mode, *rest, **options)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FetchError, match="No space left on device; expected a folder with room"):
        get("range", "whole")
    assert not target.exists()


# Sums


def test_shipped_sums_are_those_of_the_1k_files() -> None:
    sums = shipped_sums()
    assert len(sums) == 120
    folders = [name.partition("/")[0] for name in sums]
    assert {folder: folders.count(folder) for folder in folders} == {
        "en": 40,
        "hn": 40,
        "shuffled": 40,
    }


def test_verify_directory(tmp_path: Path) -> None:
    assert verify_directory(tmp_path / "absent", SUMS).missing == tuple(SUMS)
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "qa1_single_train.txt").write_bytes(FILES["en/qa1_single_train.txt"])
    (tmp_path / "en" / "qa1_single_test.txt").write_bytes(b"other")
    ok, missing, wrong = found = verify_directory(tmp_path, SUMS)
    assert ok == ("en/qa1_single_train.txt",)
    assert missing == ("hn/qa1_single_train.txt",)
    assert wrong == ("en/qa1_single_test.txt",)
    assert not found.complete
    assert len(verify_directory(tmp_path).missing) == 120


@pytest.mark.parametrize("text", ["en/qa1.txt", "abc  en/qa1.txt", f"{'0' * 64}  a\n" * 2])
def test_bad_sums(text: str) -> None:
    with pytest.raises(FetchError, match="line"):
        parse_sums(text)
