"""The one error that a user of the simulator meets."""

from __future__ import annotations

from babi_cascade.errors import UserError


class SimulationError(UserError):
    """What was asked of the simulator cannot be done; the message says what, where and why."""
