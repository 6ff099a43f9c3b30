"""Settings of all tests: slow machines are no failures, and examples are the same every time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
