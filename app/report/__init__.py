"""Something to look at: runs as one self-contained page, plots, and questions as a reader sees them."""

from babi_cascade.app.report.errors import ReportError

__all__ = ["ReportError"]
