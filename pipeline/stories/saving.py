"""Story files that are either written in full or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from os import PathLike
from pathlib import Path
from typing import TextIO

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.babi import write_babi
from babi_cascade.pipeline.stories.errors import StoryError, escaped
from babi_cascade.pipeline.stories.jsonl import write_jsonl
from babi_cascade.pipeline.stories.model import Question, Story


def save_stories(path: str | PathLike[str], stories: Iterable[Story]) -> None:
    """Write a bAbI file; if anything fails, what was there before stays as it was."""
    with replacing(path) as stream:
        write_babi(stories, stream)


def save_questions(path: str | PathLike[str], questions: Iterable[Question]) -> None:
    """Write a file of JSON lines; if anything fails, what was there before stays as it was."""
    with replacing(path) as stream:
        write_jsonl(questions, stream)


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[TextIO]:
    """Give a stream whose text takes the place of a file once all of it is on the disk."""
    try:
        # A link stays a link, and the file it points to is replaced.
        target = Path(os.path.realpath(path))  # of links in a circle, the path itself
        if target.exists() and not target.is_file():
            # Pipes and devices cannot be replaced, and must not be.
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        # Half a pair of UTF-16, as in a file name that is no UTF-8, is shown as its escape.
        with (
            drafted(target) as draft,
            draft.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
        ):
            if target.exists():
                shutil.copymode(target, draft)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        reason = f"an error ({error.strerror or type(error).__name__})"
        raise StoryError(str(path), None, reason, "a file that can be written") from error


@contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """Give the path of a file to be made, which takes the place of another when the block is left well.

    A link in the place of ``target`` is replaced, not followed. Nobody can guess the name of the draft, and
    with it put a link there.
    """
    # In the same directory, since only within one file system a rename is atomic; not by
    # `tempfile`, whose files are private to the user whatever the umask says.
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        yield draft
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def refuse_links_out(folder: Path, names: Iterable[str], folders: Collection[str] = ()) -> None:
    """Refuse links in a folder that lead out of it, where this program is to write or remove.

    Somebody else's folder may hold a link in the place of a result; what is written there would replace a
    file anywhere. The folder itself may be a link: the user named it.

    Parameters
    ----------
    names : patterns of files in the folder
    folders : names of folders in it, whose files all count
    """
    home = folder.resolve()
    entries = _entries(folder)
    suspects = [path for path in entries if any(fnmatchcase(path.name, each) for each in names)]
    inner = [path for path in entries if path.name in folders]
    suspects += inner
    # Not those of a linked folder: it is refused itself, or lies in the folder.
    suspects += [path for each in inner if not each.is_symlink() for path in _entries(each)]
    for path in suspects:
        if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(home):
            raise UserError(
                f"{escaped(str(path))}: found a link that leads out of {escaped(str(folder))}, expected "
                "a file or folder of its own; remove the link"
            )


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
