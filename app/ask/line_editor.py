"""Typed lines with history, editing and completion, by the system's readline where there is one.

With readline a paste of several lines arrives as one text; without it, line by line. Both are understood.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from babi_cascade.app.ask.dialogue import COMMANDS

PROMPT = "> "
KEPT = 1000
"""Lines of history."""


def typed_lines(history: Path | None) -> Iterator[str]:
    """Yield what is typed until the end; ``history`` is the file that keeps it, None for none."""
    with _editing(history):
        while True:
            try:
                yield input(PROMPT)
            except EOFError:
                print(file=sys.stdout)
                return
            except KeyboardInterrupt:  # Ctrl-C takes back the line, not the dialogue
                print("  (Ctrl-D or :quit leaves)")


def history_path() -> Path:
    """Return where what was typed is kept."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "babi-cascade" / "ask_history"


@contextlib.contextmanager
def _editing(history: Path | None) -> Iterator[None]:
    try:
        import readline
    except ImportError:  # as on Windows
        yield
        return
    readline.set_completer(_Completer())
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
    readline.parse_and_bind("set enable-bracketed-paste on")
    readline.set_history_length(KEPT)
    if history is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(history)
    try:
        yield
    finally:
        if history is not None:
            with contextlib.suppress(OSError):
                history.parent.mkdir(parents=True, exist_ok=True)
                draft = history.with_name(f".{history.name}-{os.getpid()}")
                draft.touch(mode=0o600)  # what somebody types is his or her own business
                readline.write_history_file(draft)
                draft.replace(history)


class _Completer:
    """Completes commands."""

    def __call__(self, text: str, state: int) -> str | None:
        found = [name for name in COMMANDS if text.startswith(":") and name.startswith(text)]
        return found[state] + " " if state < len(found) else None
