"""How true the simulated stories are to real ones: what is said, asked, answered and supported."""

from babi_cascade.app.fidelity.comparing import compare
from babi_cascade.app.fidelity.report import (
    Difference,
    FidelityReport,
    FormDifference,
    Row,
    Settings,
    TaskFidelity,
)
from babi_cascade.app.fidelity.table import plain_text, show

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
