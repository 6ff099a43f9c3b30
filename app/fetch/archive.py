"""Check the members of a gzip tar, unpack them beside the target, and move them into place."""

import filecmp
import gzip
import io
import os
import shutil
import tarfile
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from babi_cascade.app.fetch.errors import FetchError, SourceError, disk_errors
from babi_cascade.pipeline.stories.wording import counted

_BLOCK = 1 << 18
# A name or pax header of the released archive has some hundred bytes. tarfile reads such a
# header in one go, into memory, as long as the archive claims it to be.
_LONGEST_HEADER = 1 << 20
_LONGEST_NAME = 240


@dataclass(frozen=True, slots=True)
class Member:
    """A plain file of the archive: its path below the target, and where its bytes are."""

    path: PurePosixPath
    offset: int
    size: int


def unpack(archive: Path, staging: Path, *, max_bytes: int, max_members: int) -> Path:
    """Unpack `archive` into a new folder in `staging` and return that folder.

    Nothing is unpacked unless every member is harmless. The archive is decompressed to a plain
    tar first: that bounds what really comes out of it, checks the CRC of all of it, and lets the
    check of the members and the copying look at the same bytes.
    """
    plain = staging / "archive.tar"
    content = staging / "content"
    with disk_errors("unpack to", staging):
        _decompress(archive, plain, max_bytes)
        members = check_members(plain, max_bytes=max_bytes, max_members=max_members)
        content.mkdir()
        with plain.open("rb") as tar:
            for member in members:
                _copy(tar, member, content)
        plain.unlink()
    return content


def check_members(plain: Path, *, max_bytes: int, max_members: int) -> list[Member]:
    """The files of an uncompressed tar; SourceError if any member is not fit to be unpacked."""
    try:
        with (
            io.FileIO(plain) as raw,
            _HeaderReader(raw) as reader,
            tarfile.open(fileobj=reader, mode="r:", encoding="utf-8") as tar,
        ):
            members = list(_harmless(tar, max_bytes, max_members))
            # tarfile takes a damaged header for the end; the real end is a block of zeros.
            reader.seek(tar.offset)
            if reader.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
                raise SourceError("is truncated or corrupt: the tar has no proper end")
    except (tarfile.TarError, ArithmeticError, LookupError, ValueError, RecursionError) as error:
        raise SourceError(f"is not a sound tar archive: {error}") from error
    if not members:
        raise SourceError("is an archive without files")
    return members


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


class _HeaderReader(io.BufferedReader):
    """Reads headers for tarfile, and refuses one that would fill the memory."""

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
    """Each file of the tar; raises at the first member that is not plain and inside."""
    tops: set[str] = set()
    files: set[str] = set()
    folders: set[str] = set()
    total = 0
    for number, info in enumerate(tar, start=1):
        if number > max_members:
            raise SourceError(f"has more than the {max_members:,} members accepted")
        if info.isdir() and info.name in ("", "."):
            continue
        path = _safe_path(info.name)
        if path.name == ".DS_Store" or any(part.startswith("._") for part in path.parts):
            continue  # what macOS adds to an archive
        if info.isdir():
            kind = folders
        elif info.isreg() and not info.issparse():
            kind = files
        else:
            raise _refused(info.name, f"is {_kind(info)}, neither a plain file nor a folder")
        total += info.size if kind is files else 0
        if info.size < 0:
            raise _refused(info.name, "has a negative size")
        if total > max_bytes:
            raise SourceError(f"unpacks to more than the {max_bytes:,} bytes accepted")
        tops.add(path.parts[0])
        if len(tops) > 1:
            raise _refused(info.name, "lies outside the top folder of the archive")
        inside = PurePosixPath(*path.parts[1:])
        if kind is files and not inside.parts:
            raise _refused(info.name, "lies outside the top folder of the archive")
        # Compared as a disk would that ignores case and Unicode form.
        key = unicodedata.normalize("NFC", str(inside)).casefold()
        parents = {str(parent) for parent in PurePosixPath(key).parents}
        if key in files or (kind is files and key in folders) or parents & files:
            raise _refused(info.name, "occurs twice")
        kind.add(key)
        folders |= parents
        if kind is files:
            yield Member(inside, info.offset_data, info.size)


def _safe_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute():
        raise _refused(name, "is an absolute path")
    if ".." in path.parts:
        raise _refused(name, "leaves the target")
    if "\\" in name or ":" in name:
        raise _refused(name, "holds a backslash or a drive letter")
    if not path.parts or not name.isprintable() or len(name) > _LONGEST_NAME:
        raise _refused(name, "is no name for a file")
    if any(part.endswith((".", " ")) for part in path.parts):
        raise _refused(name, "has a part that ends in a dot or a space")
    return path


def _refused(name: str, problem: str) -> SourceError:
    shown = name if len(name) <= 80 else name[:77] + "..."
    return SourceError(f"refused as unsafe, nothing unpacked: member {shown!r} {problem}")


def _kind(info: tarfile.TarInfo) -> str:
    if info.issym():
        return "a symbolic link"
    if info.islnk():
        return "a hard link"
    if info.isfifo():
        return "a fifo"
    if info.issparse():
        return "a sparse file"
    if info.isdev():
        return "a device"
    return f"of type {info.type!r}"


def _copy(tar: io.BufferedReader, member: Member, content: Path) -> None:
    path = content / member.path
    path.parent.mkdir(parents=True, exist_ok=True)
    tar.seek(member.offset)
    left = member.size
    with path.open("xb") as out:
        while left:
            block = tar.read(min(left, _BLOCK))
            if not block:
                raise SourceError(f"is truncated: member {str(member.path)!r} has no end")
            out.write(block)
            left -= len(block)


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


def differs(target: Path, names: Sequence[str]) -> FetchError:
    """The refusal to overwrite files that are not the released ones."""
    return FetchError(
        f"{target} holds {counted(len(names), 'other file')} under names of the bAbI archive: "
        f"{first_few(names)}; expected none or the released ones; nothing was changed; "
        "move them away, choose another target, or force overwriting"
    )


def first_few(names: Sequence[str], limit: int = 3) -> str:
    """A list of names that stays short."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def clean(staging: Path) -> None:
    """Remove a staging folder, also one that a killed run left."""
    shutil.rmtree(staging, ignore_errors=True)
