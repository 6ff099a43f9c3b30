"""An independent reader of stories: it sees only the words, and proves or refutes every answer."""

from __future__ import annotations

from simulation.check.proof import Line, Report, check_story
from simulation.check.reading import Comprehension

__all__ = ["Comprehension", "Line", "Report", "check_story"]
