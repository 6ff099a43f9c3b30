"""What can go wrong with a report."""

from __future__ import annotations

from babi_cascade.errors import UserError


class ReportError(UserError):
    """A folder that holds no results, or a page that cannot be made of them; the text says why."""
