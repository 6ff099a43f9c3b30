"""One run at a time in a folder: two at once would do everything twice and write over each other.

The system lets go of the lock however its holder ends, so that a killed run leaves nothing to be cleared
away by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.saving import refuse_links_out

LOCK = ".lock"
OWN_FILES = (LOCK, "results.json", "ablation.*", "compare.*", "curve.*", "curve-*")
OWN_FOLDERS = ("units", "predictions", "errors", "stories")
"""What runs write and remove in their folder; none of it may be a link to somewhere else."""

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
        refuse_links_out(folder, OWN_FILES, OWN_FOLDERS)
        lock.acquire(blocking=False)
    except Timeout:
        raise UserError(
            f"{folder}: another run is going on in this folder; wait for it, or choose another --out"
        ) from None
    except OSError as error:
        raise UserError(f"{folder}: cannot write there: {error.strerror}") from error
    try:
        for draft in (*folder.glob(_DRAFT), *folder.glob(f"*/{_DRAFT}")):
            if not draft.parent.is_symlink() or draft.parent == folder:
                draft.unlink(missing_ok=True)  # of a run that was killed while it wrote
        yield
    finally:
        with suppress(OSError):
            # While it is held: who waits for it sees that the file is gone.
            (folder / LOCK).unlink()
        lock.release()
        with suppress(OSError):
            for each in missing:
                each.rmdir()
