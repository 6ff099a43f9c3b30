"""Structured SVM that knows nothing of stories: problems, exact search, learners.

`problem` says what a learner needs to know; `selection` and `ranking` are the two problems; `learner`
solves them with a certificate, `choose_c` picks C, `external` asks other packages for their opinion.
Names are loaded when they are used: importing this room costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "BlockFrankWolfe": "learner",
    "Choice": "choose_c",
    "DEFAULT_GRID": "choose_c",
    "Problem": "problem",
    "Progress": "learner",
    "RankingExamples": "ranking",
    "RankingProblem": "ranking",
    "SelectionExamples": "selection",
    "SelectionProblem": "selection",
    "SvmError": "errors",
    "WorkingSets": "working_sets",
    "choose_C": "choose_c",
    "external_learner": "external",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
