"""From bytes to numbered lines, lazily, in bounded memory, naming the line that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, Protocol, Union

from babi_cascade.pipeline.stories.checks import FORBIDDEN_IN_LINE, LONGEST_LINE
from babi_cascade.pipeline.stories.errors import StoryError

BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_ASCII_CONTROLS = bytes([*range(9), *range(11, 32), 127])


class ByteStream(Protocol):
    """Anything that bytes can be read from."""

    def read(self, size: int, /) -> bytes:
        """Give at most `size` bytes, and none at the end."""


Origin = Union[str, "PathLike[str]", ByteStream]


def read_lines(
    stream: ByteStream, source: str, *, limit: int = LONGEST_LINE
) -> Iterator[tuple[int, str | StoryError]]:
    r"""Give each line with its number, without its line break.

    A line that cannot be read (not UTF-8, a control character, longer than `limit` bytes) is
    given as the error that says so, in its place: only the caller knows what else a bad line
    takes with it. Lines end with ``\n`` or ``\r\n``; other Unicode line breaks do not end a line.
    A line that is too long is never held in memory.
    """
    size = min(BLOCK, limit)  # hence only the first line of a block can be too long
    held: list[bytes] = []  # the beginning of a line whose end has not been read
    length = 0  # of what is held
    number = 1
    skipping = False  # inside a line that was too long
    while chunk := read_bytes(stream, size, source):
        end = chunk.find(b"\n")
        if end < 0:
            if not skipping:
                held.append(chunk)
                length += len(chunk)
                if length > limit:
                    yield number, _too_long(source, number, limit)
                    skipping = True
                    held.clear()
            continue
        if not skipping and length + end > limit:
            yield number, _too_long(source, number, limit)
            skipping = True
        last = chunk.rfind(b"\n")
        if skipping:
            number += 1
            skipping = False
            block = chunk[end + 1 : last + 1]
        else:
            block = b"".join(held) + chunk[: last + 1]
        held = [chunk[last + 1 :]]
        length = len(held[0])
        if block:
            lines = _decoded(block[:-1], source, number)
            yield from enumerate(lines, number)
            number += len(lines)
    if length and not skipping:
        yield from enumerate(_decoded(b"".join(held), source, number), number)


@contextmanager
def opened(origin: Origin, source: str) -> Iterator[ByteStream]:
    """Open a path for reading, or pass a stream through; only what was opened is closed."""
    if not isinstance(origin, (str, PathLike)):
        yield origin
        return
    stream: IO[bytes]
    try:
        stream = open(origin, "rb")  # noqa: PTH123, SIM115 -- closed below, path may be a str
    except OSError as error:
        raise _os_error(source, error) from error
    except ValueError as error:  # a NUL in the name
        raise StoryError(source, None, "a name no file can have", "a story file") from error
    with stream:
        yield stream


def read_bytes(stream: ByteStream, size: int, source: str) -> bytes:
    """Read once, with the faults of the device told as faults of the input.

    Gives what a pipe has to offer now instead of waiting until it fills the whole size.
    """
    read: Callable[[int], bytes | None] = getattr(stream, "read1", stream.read)
    try:
        data = read(size)
    except OSError as error:
        raise _os_error(source, error) from error
    if data is None:  # a raw stream that does not wait; taking this for the end would lose lines
        raise StoryError(source, None, "a stream without data yet", "a stream that waits for it")
    return data


def name_of(origin: Origin) -> str:
    """Say what messages should call a path or stream."""
    if isinstance(origin, (str, PathLike)):
        return fspath(origin)
    name = getattr(origin, "name", None)
    return name if isinstance(name, str) else "<stream>"


def _decoded(block: bytes, source: str, number: int) -> Sequence[str | StoryError]:
    """Decode lines all at once, or one by one when one of them is bad."""
    if number == 1:
        block = block.removeprefix(_BOM)
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    try:
        text = block.decode()
    except UnicodeDecodeError:
        pass
    else:
        if _is_clean(block, text):
            return text.split("\n")
    lines = enumerate(block.split(b"\n"), number)
    return [_decoded_line(line, source, number) for number, line in lines]


def _is_clean(block: bytes, text: str) -> bool:
    """Tell whether lines are free of forbidden characters."""
    if block.isascii():  # deleting bytes is many times faster than a search for them
        return len(block.translate(None, _ASCII_CONTROLS)) == len(block)
    return FORBIDDEN_IN_LINE.search(text) is None


def _decoded_line(line: bytes, source: str, number: int) -> str | StoryError:
    """Decode one line, or say what is wrong with it."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        column = len(line[: error.start].decode()) + 1
        found = f"bytes that are not UTF-8 at column {column}"
        return StoryError(source, number, found, "UTF-8 text")
    bad = FORBIDDEN_IN_LINE.search(text)
    if bad is None:
        return text
    found = f"the control character U+{ord(bad[0]):04X} at column {bad.start() + 1}"
    return StoryError(source, number, found, "text and TABs only")


def _too_long(source: str, number: int, limit: int) -> StoryError:
    """Make the error for a line that is longer than allowed."""
    return StoryError(source, number, f"a line of more than {limit} bytes", "a shorter line")


def _os_error(source: str, error: OSError) -> StoryError:
    """Tell an error of the operating system as an error of the input."""
    reasons = {
        FileNotFoundError: "no such file",
        IsADirectoryError: "a directory",
        PermissionError: "no permission to read it",
    }
    reason = reasons.get(type(error)) or f"an error ({error.strerror or type(error).__name__})"
    return StoryError(source, None, reason, "a story file")
