"""The released bAbI tasks: downloaded, unpacked, verified, and only then moved into place.

All work is done in the folder ``.TARGET.fetch`` beside the target TARGET. What an interrupted call downloaded
stays there, to be resumed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from babi_cascade.app.fetch.archive import differs, install, unpack
from babi_cascade.app.fetch.download import (
    Notice,
    Progress,
    Transfer,
    download,
    from_first,
)
from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors
from babi_cascade.app.fetch.sums import Verification, shipped_sums, verify_directory
from babi_cascade.pipeline.stories.wording import some_of

SOURCES = (
    "http://www.thespermwhale.com/jaseweston/babi/tasks_1-20_v1-2.tar.gz",
    "https://s3.amazonaws.com/text-datasets/babi_tasks_1-20_v1-2.tar.gz",
)


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
    progress: Progress = lambda received, total: None,
    notice: Notice = lambda line: None,
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
    timeout, progress, notice, max_download : see `Transfer`
    force : fetch even if all is there, and overwrite files that differ from the released ones
    sums : SHA-256 by name; every one must match (default: the shipped table of 120 files)
    max_unpacked, max_members : bounds against a hostile archive

    Raises
    ------
    FetchError : in one line; the target is as it was
    """
    sums = shipped_sums() if sums is None else sums
    transfer = Transfer(timeout, max_download, progress, notice)
    with disk_errors("use", target):
        target = target.resolve()
        if target.exists() and not target.is_dir():
            raise FetchError(f"{target} is a file; expected a folder; choose another target")
        parent = _writable_beside(target)
        parent.mkdir(parents=True, exist_ok=True)
    work = parent / f".{target.name}.fetch"
    unpacked = work / "unpacked"

    def attempt(url: str) -> FetchReport:
        """Fill the target from one source, or leave it as it was."""
        digest = hashlib.sha256(url.encode(errors="surrogatepass")).hexdigest()[:16]
        archive = download(url, work / digest, transfer)
        try:
            with disk_errors("create", unpacked):
                unpacked.mkdir()
            content = unpack(archive, unpacked, max_bytes=max_unpacked, max_members=max_members)
            checked = verify_directory(content, sums)
            if not checked.complete:
                raise SourceError(_mismatch(checked, len(sums)))
            written, kept = install(content, target, force=force)
        except (SourceError, FetchError):  # only an interruption keeps what was downloaded
            with disk_errors("remove", archive):
                archive.unlink()
            raise
        finally:
            rmtree(unpacked, ignore_errors=True)
        return _report(target, url, written, len(kept), sums)

    with _alone_in(parent, transfer):
        rmtree(unpacked, ignore_errors=True)
        found = verify_directory(target, sums)
        if found.complete and not force:
            rmtree(work, ignore_errors=True)
            return _report(target, None, [], len(found.ok), sums)
        if found.wrong and not force:
            raise differs(target, found.wrong)
        try:
            with disk_errors("create", work):
                work.mkdir(exist_ok=True)
            report = from_first(urls, f"the bAbI archive for {target}", transfer, attempt)
            rmtree(work, ignore_errors=True)
        finally:
            with suppress(OSError):
                work.rmdir()  # unless there is something to be resumed
    return report


def _mismatch(checked: Verification, expected: int) -> str:
    problems = [
        f"{len(names)} {outcome} ({some_of(names)})"
        for outcome, names in (("wrong", checked.wrong), ("missing", checked.missing))
        if names
    ]
    return (
        f"does not hold the {expected} files with the published SHA-256 sums: "
        f"{', '.join(problems)}; nothing was written"
    )


def _report(
    target: Path, url: str | None, written: Sequence[str], skipped: int, sums: Mapping[str, str]
) -> FetchReport:
    with disk_errors("read", target):
        files = {
            path.relative_to(target).as_posix()
            for path in target.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        }
    return FetchReport(target, url, tuple(written), skipped, len(sums), len(files - sums.keys()))


def _writable_beside(target: Path) -> Path:
    """Return where to work: a folder from which files can be moved to the target.

    That is the parent, except for a target that is a mount point or in a parent where the user
    may not write; such a target, which exists, is that folder itself.
    """
    parent = target.parent
    if target.is_dir() and (
        target.stat().st_dev != parent.stat().st_dev or not os.access(parent, os.W_OK)
    ):
        return target
    return parent


@contextmanager
def _alone_in(folder: Path, transfer: Transfer) -> Iterator[None]:
    """Let one call at a time work here; a second one waits, and then finds the data in place.

    The lock is on the folder itself, so a killed call leaves nothing behind. Where folders
    cannot be locked (Windows, some network disks) there is none.
    """
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with disk_errors("open", folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            transfer.tell(f"waiting for another fetch into {folder}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass
        yield
    finally:
        os.close(handle)
