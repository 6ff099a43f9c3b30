"""How a run tells what it does: to a bar on a terminal, to a log, or to nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str, int, int], None]
"""Gets what is being done, how much of it is done, and how much there is (0: nobody knows)."""


def _no_progress(what: str, done: int, total: int) -> None:
    """Show nothing."""


def _no_notice(line: str) -> None:
    """Tell nothing."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Who hears of the progress of a run, of what a user should know, and of every part that is finished."""

    progress: Progress = _no_progress
    notice: Callable[[str], None] = _no_notice
    done: Progress = _no_progress
