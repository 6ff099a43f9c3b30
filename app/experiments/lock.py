"""One run at a time in a folder: two at once would do everything twice and write over each other.

The system lets go of the lock however its holder ends, so that a killed run leaves nothing to be cleared
away by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from babi_cascade.app.experiments.errors import TrackError

LOCK = ".lock"
_DRAFT = ".????????????????.tmp"
"""What `pipeline.stories.saving.replacing` calls a file that is not finished."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; folders that are made for it and stay empty are gone afterwards."""
    from filelock import FileLock, Timeout

    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    lock = FileLock(folder / LOCK)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        raise TrackError(
            f"{folder}: another run is going on in this folder; wait for it, or choose another --out"
        ) from None
    except OSError as error:
        raise TrackError(f"{folder}: cannot write there: {error.strerror}") from error
    try:
        for draft in (*folder.glob(_DRAFT), *folder.glob(f"*/{_DRAFT}")):
            draft.unlink(missing_ok=True)  # of a run that was killed while it wrote
        yield
    finally:
        with suppress(OSError):
            (
                folder / LOCK
            ).unlink()  # while it is held: who waits for it sees that the file is gone
        lock.release()
        with suppress(OSError):
            for each in missing:
                each.rmdir()
