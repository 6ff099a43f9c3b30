"""Results as records: what was measured, under which settings, and what the paper reports."""

from babi_cascade.app.results.paper import PaperTable, paper_table
from babi_cascade.app.results.records import PASS, ResultError, RunResult, StageResult, TaskResult
from babi_cascade.app.results.scoring import accuracy, support_accuracy
from babi_cascade.app.results.signature import Signature

__all__ = [
    "PASS",
    "PaperTable",
    "ResultError",
    "RunResult",
    "Signature",
    "StageResult",
    "TaskResult",
    "accuracy",
    "paper_table",
    "support_accuracy",
]
