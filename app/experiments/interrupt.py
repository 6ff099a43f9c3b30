"""Ctrl-C ends a run, whatever the learner makes of it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stopping_for_good() -> Iterator[None]:
    """Raise KeyboardInterrupt at the end if Ctrl-C was pressed inside, even if somebody caught it.

    A learner answers Ctrl-C with its best weights so far, which is kind to somebody who tries it out. A run
    must not take such weights for a result: the next start would find the unit finished.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    handler = before
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt
