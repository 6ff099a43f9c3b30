"""What can go wrong before anything is served."""

from __future__ import annotations


class ServingError(Exception):
    """An address that cannot be served on; the text says why, and what to do."""
