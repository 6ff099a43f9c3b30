"""What can be wrong with what somebody types."""

from __future__ import annotations


class AskError(Exception):
    """Text that is neither a story nor a question, or a command that makes no sense; one line says why."""
