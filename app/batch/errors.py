"""What can go wrong with a batch, and what can go wrong with one question of it."""

from __future__ import annotations


class BatchError(Exception):
    """Questions, predictions or a model that cannot be used as asked; the text says why."""


def reading_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the stages between a story and its answer."""
    from babi_cascade.cascade import CascadeError
    from babi_cascade.pipeline.errors import ReadingError
    from babi_cascade.svm.errors import SvmError

    return ReadingError, CascadeError, SvmError, RecursionError
