"""Numbers with their nouns and names in a row, for the messages of every room."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 file, 2 files."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def some_of(names: Sequence[object], most: int = 3) -> str:
    """Return the first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (", ".join(map(str, names[:most])) or "none") + more
