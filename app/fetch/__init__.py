"""Get the released bAbI tasks: download, check, unpack, verify, and only then move into place.

Beside the target TARGET, in its parent folder, live while a call runs ``.TARGET.part`` (the
download), ``.TARGET.part.json`` (where it comes from) and ``.TARGET.unpack`` (the unpacked files
before they are verified). An interrupted download keeps the first two, to be resumed.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from babi_cascade.app.fetch.archive import clean, differs, first_few, install, unpack
from babi_cascade.app.fetch.download import (
    Notice,
    PartFile,
    Progress,
    check_url,
    download,
    local_archive,
)
from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors, one_line
from babi_cascade.app.fetch.sums import Verification, parse_sums, shipped_sums, verify_directory

__all__ = [
    "SOURCES",
    "FetchError",
    "FetchReport",
    "Verification",
    "fetch_data",
    "parse_sums",
    "shipped_sums",
    "verify_directory",
]

SOURCES = (
    "http://www.thespermwhale.com/jaseweston/babi/tasks_1-20_v1-2.tar.gz",
    "https://s3.amazonaws.com/text-datasets/babi_tasks_1-20_v1-2.tar.gz",
)
ARCHIVE = "tasks_1-20_v1-2.tar.gz"


@dataclass(frozen=True, slots=True)
class FetchReport:
    """What a call did, and what the target holds after it.

    Attributes
    ----------
    target : the folder, absolute, links resolved
    url : the source that delivered; None when all was there already and nothing was asked for
    extracted : names of the files written, relative to the target, sorted
    skipped : how many files were there already, the same, and left alone
    verified : how many files match their published SHA-256 (all that have one)
    unverified : how many files of the target have no published sum (the 10k and valid sets)
    """

    target: Path
    url: str | None
    extracted: tuple[str, ...]
    skipped: int
    verified: int
    unverified: int

    @property
    def already_there(self) -> bool:
        """True when the call found everything in place and did nothing."""
        return self.url is None


def fetch_data(
    target: Path,
    urls: Sequence[str] = SOURCES,
    *,
    timeout: float = 30,
    progress: Progress | None = None,
    notice: Notice | None = None,
    force: bool = False,
    sums: Mapping[str, str] | None = None,
    max_download: int = 200_000_000,
    max_unpacked: int = 500_000_000,
    max_members: int = 5_000,
) -> FetchReport:
    """Put the released bAbI files below `target`, as ``target/en/qa1_…`` and so on.

    Parameters
    ----------
    target : the folder to fill; it changes only after all listed files were verified
    urls : http, https or file URLs of the archive, tried in order
    timeout : seconds without a byte after which a source is given up
    progress : called with the bytes received and the length of the archive, if known
    notice : called with one line when a source fails, a download resumes or starts again, or
        another call works in the same folder
    force : fetch even if all is there, and overwrite files that differ from the released ones
    sums : SHA-256 by name; every one must match (default: the shipped table of 120 files)
    max_download, max_unpacked, max_members : bounds against an endless or hostile archive

    Raises
    ------
    FetchError : in one line; the target is as it was
    """
    if sums is None:
        sums = shipped_sums()
    if not urls:
        raise FetchError("no URL was given for the bAbI archive; expected at least one; add --url")
    for url in urls:
        check_url(url)
    with disk_errors("use", target):
        target = target.resolve()
        if target.exists() and not target.is_dir():
            raise FetchError(f"{target} is a file; expected a folder; choose another target")
        workspace = _workspace(target)
        workspace.mkdir(parents=True, exist_ok=True)
    call = _Call(
        target=target,
        part=PartFile(workspace / f".{target.name}.part"),
        staging=workspace / f".{target.name}.unpack",
        timeout=timeout,
        progress=progress or (lambda received, total: None),
        notice=_printable(notice),
        force=force,
        sums=sums,
        max_download=max_download,
        max_unpacked=max_unpacked,
        max_members=max_members,
    )
    with _alone_in(workspace, call.notice):
        return _fetch(call, urls)


@dataclass(frozen=True, slots=True)
class _Call:
    """The settings of one call of `fetch_data`."""

    target: Path
    part: PartFile
    staging: Path
    timeout: float
    progress: Progress
    notice: Notice
    force: bool
    sums: Mapping[str, str]
    max_download: int
    max_unpacked: int
    max_members: int


def _fetch(call: _Call, urls: Sequence[str]) -> FetchReport:
    clean(call.staging)
    found = verify_directory(call.target, call.sums)
    if not call.force:
        if found.complete:
            _discard_leftover(call.part)
            return _report(call, None, [], len(found.ok))
        if found.wrong:
            raise differs(call.target, found.wrong)
    failures: list[str] = []
    for position, url in enumerate(urls):
        try:
            return _fetch_from(url, call)
        except SourceError as error:
            failures.append(f"{url}: {error}")
            if position + 1 < len(urls):
                call.notice(f"{failures[-1]}; trying {urls[position + 1]}")
    raise FetchError(
        f"could not get the bAbI archive for {call.target}: {'; '.join(failures)}; "
        f"fetch {ARCHIVE} by other means and give it as --url file:///path/to/{ARCHIVE}"
    )


def _fetch_from(url: str, call: _Call) -> FetchReport:
    """Fill the target from one source, or leave it as it was."""
    if url.lower().startswith("file:"):
        archive = local_archive(url, max_bytes=call.max_download, progress=call.progress)
        return _unpack_and_install(url, archive, call)
    download(
        url,
        call.part,
        timeout=call.timeout,
        max_bytes=call.max_download,
        progress=call.progress,
        notice=call.notice,
    )
    # From here on the part is complete: whatever is wrong with it, resuming cannot mend it.
    # Only an interruption (no FetchError, no SourceError) keeps it for the next call.
    try:
        report = _unpack_and_install(url, call.part.path, call)
    except (SourceError, FetchError):
        call.part.discard()
        raise
    call.part.discard()
    return report


def _unpack_and_install(url: str, archive: Path, call: _Call) -> FetchReport:
    try:
        with disk_errors("create", call.staging):
            call.staging.mkdir()
        content = unpack(
            archive, call.staging, max_bytes=call.max_unpacked, max_members=call.max_members
        )
        checked = verify_directory(content, call.sums)
        if not checked.complete:
            raise SourceError(_mismatch(checked, len(call.sums)))
        written, kept = install(content, call.target, force=call.force)
    finally:
        clean(call.staging)
    return _report(call, url, written, len(kept))


def _mismatch(checked: Verification, expected: int) -> str:
    problems = [
        f"{len(names)} {outcome} ({first_few(names)})"
        for outcome, names in (("wrong", checked.wrong), ("missing", checked.missing))
        if names
    ]
    return (
        f"does not hold the {expected} files with the published SHA-256 sums: "
        f"{', '.join(problems)}; nothing was written"
    )


def _report(call: _Call, url: str | None, written: list[str], skipped: int) -> FetchReport:
    with disk_errors("read", call.target):
        files = {
            path.relative_to(call.target).as_posix()
            for path in call.target.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        }
    return FetchReport(
        target=call.target,
        url=url,
        extracted=tuple(written),
        skipped=skipped,
        verified=len(call.sums),
        unverified=len(files - call.sums.keys()),
    )


def _discard_leftover(part: PartFile) -> None:
    """A run killed right after its last move leaves its part; a read-only folder is no error."""
    try:
        part.discard()
    except FetchError:
        return


def _printable(notice: Notice | None) -> Notice:
    if notice is None:
        return lambda line: None
    tell = notice
    return lambda line: tell(one_line(line))


def _workspace(target: Path) -> Path:
    """Where the part and the unpacked files go: a place from which they can be moved.

    That is the parent, except for a target that is a mount point or in a parent where the user
    may not write; such a target, which exists, takes them itself.
    """
    parent = target.parent
    if target.is_dir() and (
        target.stat().st_dev != parent.stat().st_dev or not os.access(parent, os.W_OK)
    ):
        return target
    return parent


@contextmanager
def _alone_in(workspace: Path, notice: Notice) -> Iterator[None]:
    """Let one call at a time work here; a second one waits, and then finds the data in place.

    The lock is on the folder itself, so a killed call leaves nothing behind. Where folders
    cannot be locked (Windows, some network disks) there is none.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with disk_errors("open", workspace):
        folder = os.open(workspace, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notice(f"waiting for another fetch into {workspace}")
            fcntl.flock(folder, fcntl.LOCK_EX)
        except OSError:
            pass
        yield
    finally:
        os.close(folder)
