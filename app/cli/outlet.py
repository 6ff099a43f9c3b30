"""The one way out: whatever is said to people is printable, whoever wrote the names and words in it.

While a command runs, ``sys.stdout`` and ``sys.stderr`` are outlets, which escape what a terminal would obey
or reorder. Tables and progress bars go past them through a console that does the same with every piece of
text before it adds its own colours. Data for other programs goes into files and pipes as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from babi_cascade.pipeline.stories.errors import escaped, visible


class Outlet:
    """A stream of text that escapes control characters, all but line breaks and TABs.

    ``exact`` is the stream behind it; everything but writing is left to it.
    """

    def __init__(self, exact: TextIO) -> None:
        self.exact = exact

    def write(self, text: str) -> int:
        """Write text so that it can be read and nothing else."""
        if not isinstance(text, str):
            raise TypeError(f"expected text, found {type(text).__name__}")
        self.exact.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.exact, name)


class PlainConsole(Console):
    """A console whose text has no controls but its own."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Give the pieces of something to be shown, each escaped."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


@contextmanager
def guarded() -> Iterator[None]:
    """Put outlets in the place of the standard streams."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, Outlet(exact_stream(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def exact_stream(stream: TextIO) -> TextIO:
    """Return the stream behind an outlet."""
    return stream.exact if isinstance(stream, Outlet) else stream


def data_stream() -> TextIO:
    """Return where data for programs goes: as it is into a file or pipe, escaped on a terminal."""
    return sys.stdout if sys.stdout.isatty() else exact_stream(sys.stdout)


def say(text: object = "") -> None:
    """Print one line for people, whatever is in it."""
    print(escaped(str(text)))


def notice(text: object) -> None:
    """Tell the user something that is not a result, in one line."""
    print(escaped(str(text)), file=sys.stderr)
