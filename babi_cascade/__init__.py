"""The external-resources track of the bAbI tasks: read stories, select facts, rank answers, say why.

Stories: `Question`, `Sentence`, `Story`, `read_questions`, `read_stories`, `save_questions`, `generate`.
The system: `Cascade`, `Settings`, `Prediction`, `Explanation`, `reader`, `load`, `ask`.
Experiments: `run_plan` with a `RunPlan`, `AblationPlan`, `ComparisonPlan` or `CurvePlan`, on a `DataSource`.
Whatever is wrong with what was given is a `UserError`.

Names are loaded when they are used: importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babi_cascade.app.api import ask, generate, load, reader
    from babi_cascade.app.experiments import (
        AblationPlan,
        ComparisonPlan,
        CurvePlan,
        DataSource,
        RunPlan,
        run_plan,
    )
    from babi_cascade.cascade import Cascade, Explanation, Prediction, Settings
    from babi_cascade.errors import UserError
    from babi_cascade.pipeline.stories import (
        Question,
        Sentence,
        Story,
        read_questions,
        read_stories,
        save_questions,
    )

__all__ = [
    "AblationPlan",
    "Cascade",
    "ComparisonPlan",
    "CurvePlan",
    "DataSource",
    "Explanation",
    "Prediction",
    "Question",
    "RunPlan",
    "Sentence",
    "Settings",
    "Story",
    "UserError",
    "ask",
    "generate",
    "load",
    "read_questions",
    "read_stories",
    "reader",
    "run_plan",
    "save_questions",
]

_HOMES = {
    **dict.fromkeys(("ask", "generate", "load", "reader"), "app.api"),
    **dict.fromkeys(
        ("AblationPlan", "ComparisonPlan", "CurvePlan", "DataSource", "RunPlan", "run_plan"),
        "app.experiments",
    ),
    **dict.fromkeys(("Cascade", "Explanation", "Prediction", "Settings"), "cascade"),
    "UserError": "errors",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOMES.get(name, "pipeline.stories")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return __all__
