"""The one error of this room."""

from __future__ import annotations


class TrackError(Exception):
    """A run that cannot be made as asked for; the message says why and what to do."""
