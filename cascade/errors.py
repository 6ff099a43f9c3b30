"""The error of this room, apart from the estimator: to name it must not load the learner."""

from __future__ import annotations

from babi_cascade.errors import UserError


class CascadeError(UserError):
    """Questions that the cascade cannot learn from or answer, or a model that does not fit."""
