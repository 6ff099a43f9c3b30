"""How true the simulated stories are to real ones: what is said, asked, answered and supported."""

from pipeline.fidelity.comparing import compare
from pipeline.fidelity.report import (
    Difference,
    FidelityReport,
    FormDifference,
    Row,
    Settings,
    TaskFidelity,
)
from pipeline.fidelity.table import plain_text, show

__all__ = [
    "Difference",
    "FidelityReport",
    "FormDifference",
    "Row",
    "Settings",
    "TaskFidelity",
    "compare",
    "plain_text",
    "show",
]
