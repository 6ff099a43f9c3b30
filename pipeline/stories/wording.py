"""Numbers with their nouns, for the messages of every room."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: 1 file, 2 files."""
    return f"{number} {one if number == 1 else many or one + 's'}"
