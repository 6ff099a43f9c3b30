"""Structured SVM that knows nothing of stories: problems, exact search, learners.

`problem` says what a learner needs to know; `tuples` and `ranking` are the two problems; `learner`
solves them with a certificate, `choice` picks C, `external` asks other packages for their opinion.
Names are loaded when they are used: importing this room costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "BlockFrankWolfe": "learner",
    "Choice": "choice",
    "DEFAULT_GRID": "choice",
    "Problem": "problem",
    "Progress": "learner",
    "RankingExamples": "ranking",
    "RankingProblem": "ranking",
    "SvmError": "errors",
    "TupleExamples": "tuples",
    "TupleProblem": "tuples",
    "WorkingSets": "working_sets",
    "choose_C": "choice",
    "external_learner": "external",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
