"""Results as records: what was measured, under which settings, and what the paper reports."""

from pipeline.results.paper import PaperTable, paper_table
from pipeline.results.records import PASS, ResultError, RunResult, StageResult, TaskResult
from pipeline.results.scoring import accuracy, support_accuracy
from pipeline.results.signature import Signature

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
