"""What can go wrong with a batch, and what can go wrong with one question of it."""

from __future__ import annotations

from babi_cascade.errors import UserError


class BatchError(UserError):
    """Questions, predictions or a model that cannot be used as asked; the text says why."""


def said(error: Exception) -> str:
    """Return an error as one line; those of Python itself say little."""
    told = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        what = f"not enough memory ({told})" if told else "not enough memory"
        return f"{what}; fewer or shorter stories at a time need less"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply"
    return told


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the stages between a story and its answer."""
    from babi_cascade.cascade.errors import CascadeError
    from babi_cascade.pipeline.errors import ReadingError
    from babi_cascade.svm.errors import SvmError

    return ReadingError, CascadeError, SvmError, RecursionError, MemoryError
