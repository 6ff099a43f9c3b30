"""The one error of this room."""

from __future__ import annotations

from babi_cascade.errors import UserError


class TrackError(UserError):
    """A run that cannot be made as asked for; the message says why and what to do."""
