"""Results as records: what was measured, under which settings, and what the paper reports."""

from babi_cascade.app.results.paper import PaperTable, paper_table
from babi_cascade.app.results.predictions import accuracy, support_accuracy
from babi_cascade.app.results.records import PASS, Figure, StageResult, TaskResult
from babi_cascade.app.results.signature import signature_of
from babi_cascade.app.results.table import Table

__all__ = [
    "PASS",
    "Figure",
    "PaperTable",
    "StageResult",
    "Table",
    "TaskResult",
    "accuracy",
    "paper_table",
    "signature_of",
    "support_accuracy",
]
