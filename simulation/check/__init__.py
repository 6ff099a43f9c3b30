"""An independent reader of stories: it sees only the words, and proves or refutes every answer."""

from __future__ import annotations

from babi_cascade.simulation.check.proof import Line, Report, check_story
from babi_cascade.simulation.check.reading import Comprehension

__all__ = ["Comprehension", "Line", "Report", "check_story"]
