"""Check the members of a gzip tar, unpack them beside the target, and move them into place."""

from __future__ import annotations

import filecmp
import gzip
import io
import os
import re
import shutil
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors
from babi_cascade.pipeline.stories.wording import counted, some_of

_BLOCK = 1 << 18
# A name or pax header of the released archive has some hundred bytes. tarfile reads such a
# header in one go, into memory, as long as the archive claims it to be.
_LONGEST_HEADER = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(?<!\.)")
"""Of a file or folder of the archive: nothing that a disk or a shell takes for something else."""

_OF_MACOS = re.compile(r"(^|/)\._|/\.DS_Store$")
"""What macOS adds to an archive."""

Member = tuple[PurePosixPath, tarfile.TarInfo]
"""A plain file of the archive with its path below the target."""


def unpack(archive: Path, folder: Path, *, max_bytes: int, max_members: int) -> Path:
    """Unpack `archive` into a new folder in `folder` and return that.

    Nothing is unpacked unless every member is harmless. The archive is decompressed to a plain
    tar first: that bounds what really comes out of it, checks the CRC of all of it, and lets the
    check of the members and the copying look at the same bytes.
    """
    plain, content = folder / "archive.tar", folder / "content"
    with disk_errors("unpack to", folder):
        _decompress(archive, plain, max_bytes)
        try:
            with (
                io.FileIO(plain) as raw,
                _BoundedReader(raw) as reader,
                tarfile.open(fileobj=reader, mode="r:", encoding="utf-8") as tar,
            ):
                members = list(_harmless(tar, max_bytes, max_members))
                # tarfile takes a damaged header for the end; the real end is a block of zeros.
                reader.seek(tar.offset)
                if reader.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
                    raise SourceError("is truncated or corrupt: the tar has no proper end")
                for path, info in members:
                    (content / path).parent.mkdir(parents=True, exist_ok=True)
                    with (content / path).open("xb") as out:
                        source = tar.extractfile(info)
                        assert source is not None  # it is a plain file
                        shutil.copyfileobj(source, out)
        except (
            tarfile.TarError,
            ArithmeticError,
            LookupError,
            ValueError,
            RecursionError,
        ) as error:
            raise SourceError(f"is not a sound tar archive: {error}") from error
        plain.unlink()
    if not members:
        raise SourceError("is an archive without files")
    return content


def install(content: Path, target: Path, *, force: bool) -> tuple[list[str], list[str]]:
    """Move the files below `content` into `target`; return the names written and those kept.

    An absent target appears as a whole. In one that exists (and stays the same folder: it may be
    a mount point, or where somebody's shell is) each top-level folder it lacks appears as a whole,
    and elsewhere each file does. Interrupted between two moves, every file is old or new, and the
    next call completes the rest.
    """
    with disk_errors("write to", target):
        files = (path for path in content.rglob("*") if path.is_file())
        names = sorted(path.relative_to(content).as_posix() for path in files)
        kept = _already_there(content, target, names, force=force)
        if not target.exists():
            content.replace(target)
            return names, []
        written = [name for name in names if name not in kept]
        for entry in sorted(content.iterdir()):
            if not (target / entry.name).exists():
                entry.replace(target / entry.name)
        for name in written:
            if (content / name).exists():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (content / name).replace(target / name)
    return written, sorted(kept)


def differs(target: Path, names: Sequence[str]) -> FetchError:
    """The refusal to overwrite files that are not the released ones."""
    return FetchError(
        f"{target} holds {counted(len(names), 'other file')} under names of the bAbI archive: "
        f"{some_of(names)}; expected none or the released ones; nothing was changed; "
        "move them away, choose another target, or force overwriting"
    )


class _BoundedReader(io.BufferedReader):
    """Reads for tarfile, and refuses a header that would fill the memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= _LONGEST_HEADER:
            raise tarfile.ReadError("a header has an impossible length")
        return super().read(size)


def _decompress(archive: Path, plain: Path, max_bytes: int) -> None:
    with archive.open("rb") as file:
        start = file.read(16)
    if not start.startswith(b"\x1f\x8b"):
        raise SourceError(f"is not a gzip tar archive: it starts with {start!r}")
    written = 0
    with gzip.open(archive, "rb") as packed, plain.open("xb") as out:
        while True:
            try:
                block = packed.read(_BLOCK)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise SourceError(f"is truncated or corrupt: {error}") from error
            if not block:
                return
            written += len(block)
            if written > max_bytes:
                raise SourceError(f"unpacks to more than the {max_bytes:,} bytes accepted")
            out.write(block)


def _harmless(tar: tarfile.TarFile, max_bytes: int, max_members: int) -> Iterator[Member]:
    """Yield each file of the tar; the first member that is not plain and inside is an error."""
    tops: set[str] = set()
    files: set[str] = set()
    folders: set[str] = set()
    total = 0
    for number, info in enumerate(tar, start=1):
        if number > max_members:
            raise SourceError(f"has more than the {max_members:,} members accepted")
        if info.isdir() and info.name in ("", "."):
            continue
        path = PurePosixPath(info.name)
        if _OF_MACOS.search(info.name) and ".." not in path.parts:
            continue
        inside = PurePosixPath(*path.parts[1:])
        key = str(inside).casefold()  # as a disk sees it that ignores case
        parents = {str(parent) for parent in PurePosixPath(key).parents}
        problem = ""
        if not all(map(_NAME.fullmatch, path.parts)):
            problem = "has a name of other than letters, digits, ., _ and -, or leaves the target"
        elif not (info.isreg() or info.isdir()) or info.issparse() or info.size < 0:
            problem = "is neither a plain file nor a folder"
        elif tops - {path.parts[0]} or (info.isreg() and not inside.parts):
            problem = "lies outside the top folder of the archive"
        elif key in files or (info.isreg() and key in folders) or parents & files:
            problem = "occurs twice"
        if problem:
            shown = info.name if len(info.name) <= 80 else info.name[:77] + "..."
            raise SourceError(f"refused as unsafe, nothing unpacked: member {shown!r} {problem}")
        tops.add(path.parts[0])
        folders |= parents
        if info.isdir():
            folders.add(key)
            continue
        files.add(key)
        total += info.size
        if total > max_bytes:
            raise SourceError(f"unpacks to more than the {max_bytes:,} bytes accepted")
        yield inside, info


def _already_there(content: Path, target: Path, names: Sequence[str], *, force: bool) -> set[str]:
    """The names whose file in `target` is the same; FetchError if one stands in the way."""
    kept: set[str] = set()
    differing: list[str] = []
    for name in names:
        for folder in PurePosixPath(name).parents:
            place = target / folder
            if folder.parts and (place.is_symlink() or (place.exists() and not place.is_dir())):
                raise FetchError(f"{place} is in the way; expected a plain folder; move it away")
        place = target / name
        if not os.path.lexists(place):
            continue
        if place.is_dir():
            raise FetchError(f"{place} is in the way; expected a file; move it away")
        if place.is_file() and filecmp.cmp(content / name, place, shallow=False):
            kept.add(name)
        else:
            differing.append(name)
    if differing and not force:
        raise differs(target, differing)
    return kept
