"""The one error of this room."""

from __future__ import annotations

from babi_cascade.errors import UserError


class ComparisonError(UserError):
    """Questions that a system cannot learn from, a parameter it cannot use, a name nobody has."""
