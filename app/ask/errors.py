"""What can be wrong with what somebody types."""

from __future__ import annotations

from babi_cascade.errors import UserError


class AskError(UserError):
    """Text that is neither a story nor a question, or a command that makes no sense; one line says why."""
