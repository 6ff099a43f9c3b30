"""Which task files a directory holds, by the names that the released data uses."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from pathlib import Path

from babi_cascade.pipeline.stories.errors import StoryError, shown
from babi_cascade.pipeline.stories.wording import some_of

SPLITS = ("train", "valid", "test")
LARGEST_TASK = 9999

_NAME = re.compile(r"qa([1-9][0-9]{0,3})(?:_(.+))?_(train|valid|test)\.(?:txt|jsonl)", re.ASCII)
_NAMES = "files called qaN_name_train.txt or qaN_name_test.txt"


@dataclass(frozen=True, slots=True)
class TaskFile:
    """One split of one task."""

    number: int
    name: str
    split: str
    path: Path


def find_tasks(
    directory: str | PathLike[str],
    tasks: Collection[int] | None = None,
    split: str | None = None,
) -> list[TaskFile]:
    """List the task files of a directory by number, then train, valid, test.

    `tasks` and `split` choose some of them. To find none, or not all that were asked for, is an
    error, and so are two files for one task and split: taking either would be a guess.
    """
    folder = Path(directory)
    if split is not None and split not in SPLITS:
        raise StoryError(str(folder), None, f"split {shown(split)}", f"one of {', '.join(SPLITS)}")
    every = _task_files(folder)
    if not every:
        raise StoryError(str(folder), None, "no task files" + _hint(folder), _NAMES)
    found = [file for file in every if split in (None, file.split)]
    if not found:
        splits = ", ".join(name for name in SPLITS if any(name == file.split for file in every))
        raise StoryError(str(folder), None, f"only {splits} files", f"{split} files")
    if tasks is not None:
        found = [file for file in found if file.number in tasks]
        absent = sorted(set(tasks) - {file.number for file in found})
        if absent:
            expected = f"{split} files of all tasks asked for" if split else "all tasks asked for"
            raise StoryError(str(folder), None, f"no task {some_of(absent, 20)}", expected)
    _refuse_twins(found, folder)
    return found


def task_of(path: Path) -> TaskFile | None:
    """Read what the name of a file says, None where it is not that of a task file."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    number, name, split = match.groups()
    return TaskFile(int(number), name or f"qa{number}", split, path)


def parse_task_list(text: str) -> list[int]:
    """Read a choice of tasks such as "1,3,5-8" into ascending numbers, each once."""
    chosen: set[int] = set()
    for item in text.split(","):
        first, dash, last = item.partition("-")
        begin = _task_number(first, item)
        end = _task_number(last, item) if dash else begin
        if end < begin:
            found = f"the range {shown(item.strip())}"
            raise StoryError("--tasks", None, found, "the smaller number first")
        chosen.update(range(begin, end + 1))
    return sorted(chosen)


def _task_files(folder: Path) -> list[TaskFile]:
    """List all files of a directory that have the name of a task file."""
    found = []
    try:
        paths = list(folder.iterdir())
    except FileNotFoundError as error:
        raise StoryError(str(folder), None, "no such directory", "a directory of tasks") from error
    except NotADirectoryError as error:
        raise StoryError(str(folder), None, "a file", "a directory of tasks") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StoryError(str(folder), None, f"an error ({reason})", "a directory") from error
    for path in paths:
        file = task_of(path)
        if file is not None and path.is_file():
            found.append(file)
    return sorted(found, key=lambda file: (file.number, SPLITS.index(file.split), file.path))


def _hint(folder: Path) -> str:
    """Name the sub-directories that do hold tasks: the data is released in a folder of them."""
    homes = []
    for path in sorted(folder.iterdir()):
        try:
            if path.is_dir() and _task_files(path):
                homes.append(path.name)
        except (StoryError, OSError):  # what cannot be looked into gives no hint
            continue
    return f" here but in {some_of(homes, 6)}" if homes else ""


def _refuse_twins(files: list[TaskFile], folder: Path) -> None:
    """Refuse two files for the same task and split."""
    for one, other in pairwise(files):
        if (one.number, one.split) == (other.number, other.split):
            found = f"{one.path.name} and {other.path.name}"
            expected = f"one {one.split} file for task {one.number}"
            raise StoryError(str(folder), None, found, expected)


def _task_number(text: str, item: str) -> int:
    """Read one number of a choice of tasks."""
    text = text.strip()
    if (
        not (text.isdigit() and text.isascii())
        or len(text) > len(str(LARGEST_TASK))
        or not int(text)
    ):
        expected = f"task numbers from 1 to {LARGEST_TASK}, such as 1,3,5-8"
        raise StoryError("--tasks", None, shown(item.strip()), expected)
    return int(text)
