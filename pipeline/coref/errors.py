"""The error of coreference."""

from __future__ import annotations

from babi_cascade.pipeline.errors import ReadingError


class CorefError(ReadingError):
    """Coreference could not be done: what was found, what was expected."""
