"""The cascade: read the story, select the supporting facts, rank the answers, say why and how sure.

Names are loaded when they are used: whoever only wants the settings, or to tell what is missing, loads no
learner.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babi_cascade.cascade.doubt import Verdict
    from babi_cascade.cascade.errors import CascadeError
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.cascade.explanation import Candidate, Contribution, Explanation, RunnerUp
    from babi_cascade.cascade.prediction import Prediction
    from babi_cascade.cascade.settings import Settings, SettingsError

_HOMES = {
    "Candidate": "explanation",
    "Cascade": "estimator",
    "CascadeError": "errors",
    "Contribution": "explanation",
    "Explanation": "explanation",
    "Prediction": "prediction",
    "RunnerUp": "explanation",
    "Settings": "settings",
    "SettingsError": "settings",
    "Verdict": "doubt",
}

__all__ = [
    "Candidate",
    "Cascade",
    "CascadeError",
    "Contribution",
    "Explanation",
    "Prediction",
    "RunnerUp",
    "Settings",
    "SettingsError",
    "Verdict",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
