"""Something to look at: runs as one self-contained page, plots, and questions as a reader sees them."""

from babi_cascade.app.report.errors import ReportError
from babi_cascade.app.report.view import question_view

__all__ = ["ReportError", "question_view"]
