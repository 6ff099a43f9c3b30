"""The error of this room."""

from __future__ import annotations


class SvmError(ValueError):
    """Something about a problem, a learner or its parts is not as it must be."""
