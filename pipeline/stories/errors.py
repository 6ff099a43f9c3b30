"""The one exception that bad input raises, and the collector that lets a reader go on after it."""

from __future__ import annotations

from collections.abc import Callable

from babi_cascade.errors import UserError

ErrorHandler = Callable[["StoryError"], object]

SHOWN_CHARACTERS = 60


class StoryError(UserError):
    """Input that is not what it should be: where, what was found, what was expected.

    Its text is always one line, ``FILE:LINE: found ..., expected ...``, whatever the input held,
    so that it can be printed to a terminal or grepped from a log. `line` is None when the fault
    is of the file as a whole (missing, empty, unreadable).
    """

    def __init__(self, source: str, line: int | None, found: str, expected: str) -> None:
        # All four go to the base class: that is what makes the exception survive pickling, and
        # with it a trip between processes.
        super().__init__(source, line, found, expected)
        self.source = source
        self.line = line
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return escaped(f"{place}: found {self.found}, expected {self.expected}")


class Skipped:
    """Counts what a reader leaves out; give it as `on_error` to skip bad lines.

    `errors` is the number of faults, `lines` the number of lines left out because of them (a bad
    statement takes the rest of its story along), `first` the first few faults in full: a file
    that is bad throughout must neither fill the memory nor the screen.
    """

    KEPT = 20

    def __init__(self) -> None:
        self.errors = 0
        self.lines = 0
        self.first: list[StoryError] = []

    def __call__(self, error: StoryError) -> None:
        """Take note of one bad line."""
        self.errors += 1
        self.lines += 1
        if len(self.first) < self.KEPT:
            self.first.append(error)

    def dropped(self, lines: int) -> None:
        """Take note of sound lines that are left out because of a bad one before them."""
        self.lines += lines

    def __repr__(self) -> str:
        return f"Skipped(errors={self.errors}, lines={self.lines})"


def raise_error(error: StoryError) -> None:
    """Handle an error by raising it: what readers do unless told otherwise."""
    raise error


def drop_reporter(on_error: ErrorHandler) -> Callable[[int], object]:
    """Give the `dropped` method of a handler, or a stand-in when it has none."""
    dropped: Callable[[int], object] = getattr(on_error, "dropped", _not_counted)
    return dropped


def shown(text: str) -> str:
    """Quote a piece of input for a message: shortened, and in one printable line."""
    visible = escaped(text[: SHOWN_CHARACTERS + 1])
    if len(visible) > SHOWN_CHARACTERS:
        visible = visible[: SHOWN_CHARACTERS - 3] + "..."
    return f'"{visible}"'


def escaped(text: str) -> str:
    """Replace what cannot be printed (controls, line breaks, lone surrogates) by its escape."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def visible(text: str) -> str:
    """Escape as `escaped` does what a terminal must not get, but keep lines and TABs as they are."""
    if text.isprintable():
        return text
    return "".join(character if character in "\n\t" else escaped(character) for character in text)


def _not_counted(lines: int) -> None:
    """Ignore the number of dropped lines."""
