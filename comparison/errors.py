"""The one error of this room."""

from __future__ import annotations


class ComparisonError(ValueError):
    """Questions that a system cannot learn from, a parameter it cannot use, a name nobody has."""
