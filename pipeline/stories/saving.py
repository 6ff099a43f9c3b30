"""Story files that are either written in full or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TextIO

from babi_cascade.pipeline.stories.babi import write_babi
from babi_cascade.pipeline.stories.errors import StoryError
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
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            # Pipes and devices cannot be replaced, and must not be.
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                yield stream
            return
        # In the same directory, since only within one file system a rename is atomic; not by
        # `tempfile`, whose files are private to the user whatever the umask says.
        draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            with draft.open("x", encoding="utf-8", newline="\n") as stream:
                if target.exists():
                    shutil.copymode(target, draft)
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = f"an error ({error.strerror or type(error).__name__})"
        raise StoryError(str(path), None, reason, "a file that can be written") from error
