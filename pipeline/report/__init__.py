"""Something to look at: runs as one self-contained page, plots, and questions as a reader sees them."""

from pipeline.report.errors import ReportError
from pipeline.report.view import question_view

__all__ = ["ReportError", "question_view"]
