"""The error of this room."""

from __future__ import annotations

from babi_cascade.errors import UserError


class SvmError(UserError):
    """Something about a problem, a learner or its parts is not as it must be."""
