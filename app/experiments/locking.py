"""One run at a time in a folder: two at once would do everything twice and write over each other.

The system lets go of the lock however its holder ends, so that a killed run leaves nothing to be cleared
away by hand.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.pipeline.stories.errors import StoryError
from babi_cascade.pipeline.stories.saving import refuse_links_out

try:
    import fcntl
except ImportError:  # not a Unix
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
OWN_FILES = (LOCK, "results.json", "ablation.*", "compare.*", "curve.*", "curve-*")
OWN_FOLDERS = ("units", "predictions", "errors", "stories")
"""What runs write and remove in their folder; none of it may be a link to somewhere else."""

_DRAFT = ".????????????????.tmp"
"""What `pipeline.stories.saving.replacing` calls a file that is not finished."""


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; folders that are made for it and stay empty are gone afterwards."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links_out(folder, OWN_FILES, OWN_FOLDERS)
        held = _locked(folder / LOCK)
    except StoryError as error:
        raise TrackError(str(error)) from error
    except OSError as error:
        raise TrackError(f"{folder}: cannot write there: {error.strerror}") from error
    try:
        for draft in (*folder.glob(_DRAFT), *folder.glob(f"*/{_DRAFT}")):
            if not draft.parent.is_symlink() or draft.parent == folder:
                draft.unlink(missing_ok=True)  # of a run that was killed while it wrote
        yield
    finally:
        # While the lock is held: who waits for it sees that the file is another one, or none.
        (folder / LOCK).unlink(missing_ok=True)
        os.close(held)
        with suppress(OSError):
            for each in missing:
                each.rmdir()


def _locked(path: Path) -> int:
    while True:
        held = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644)
        if fcntl is None:
            return held
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(held)
            raise TrackError(
                f"{path.parent}: another run is going on in this folder; wait for it, or choose another --out"
            ) from None
        except OSError:  # a file system without locks
            return held
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(held), path.stat()):
                return held
        os.close(held)  # its last holder has just removed it
