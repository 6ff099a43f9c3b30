"""The cascade: read the story, select the supporting facts, rank the answers.

Names are imported when they are asked for: the command line wants the settings and not the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from babi_cascade.cascade.settings import Settings, SettingsError

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade, CascadeError
    from babi_cascade.cascade.prediction import (
        Candidate,
        Contribution,
        Explanation,
        OtherFacts,
        Prediction,
    )

__all__ = [
    "Candidate",
    "Cascade",
    "CascadeError",
    "Contribution",
    "Explanation",
    "OtherFacts",
    "Prediction",
    "Settings",
    "SettingsError",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    room = "estimator" if name in ("Cascade", "CascadeError") else "prediction"
    return getattr(import_module(f"{__name__}.{room}"), name)
