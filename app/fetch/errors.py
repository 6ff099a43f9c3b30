"""The errors of fetching: one for callers, one that only means "try the next source"."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories.errors import escaped


class FetchError(UserError):
    """The data could not be fetched; ``str`` is one line: what, where, expected, what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(escaped(message))


class SourceError(Exception):
    """One source failed, for the reason given; another source may still deliver."""

    def __init__(self, reason: str) -> None:
        super().__init__(escaped(reason))


@contextmanager
def disk_errors(doing: str, where: Path) -> Iterator[None]:
    """Turn an OSError of the local disk into a FetchError: no other source would help."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        path = where if error.filename is None else error.filename
        raise FetchError(
            f"cannot {doing} {path}: {reason}; expected a folder with room and permission to "
            "write; choose another target or free it"
        ) from error
