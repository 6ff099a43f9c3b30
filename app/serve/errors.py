"""What can go wrong before anything is served."""

from __future__ import annotations

from babi_cascade.errors import UserError


class ServingError(UserError):
    """An address that cannot be served on; the text says why, and what to do."""
