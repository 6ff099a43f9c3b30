"""The paper's other systems on the same questions: N-grams, LSTM, memory networks with their extensions.

All have the surface of the cascade: fit, predict, score, get_params, set_params, save, load. What one
needs is imported when it is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.errors import UserError

if TYPE_CHECKING:
    from babi_cascade.comparison.system import ComparisonSystem

_MEMNN = "memnn.estimator.MemoryNetwork"

SYSTEMS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "ngram": ("ngram.NGramClassifier", {}),
    "lstm": ("lstm.LSTMClassifier", {}),
    "memnn": (_MEMNN, {}),
    "memnn-am": (_MEMNN, {"adaptive": True}),
    "memnn-am-ng": (_MEMNN, {"adaptive": True, "longest": 3}),
    "memnn-am-nl": (_MEMNN, {"adaptive": True, "form": "nonlinear"}),
    "memnn-am-ng-nl": (_MEMNN, {"adaptive": True, "longest": 3, "form": "nonlinear"}),
    "memnn-am-multilinear": (_MEMNN, {"adaptive": True, "form": "multilinear"}),
}
"""For each name the place of its class in this room, and the parameters that the name stands for."""


def make_system(name: str, **params: Any) -> ComparisonSystem:
    """Return an untrained system; ``params`` go to its constructor, above what the name stands for."""
    return _class_of(name)(**{**SYSTEMS[name][1], **params})


def load_system(name: str, path: str | Path) -> ComparisonSystem:
    """Read a model that a system of this name saved."""
    return _class_of(name).load(path)


def _class_of(name: str) -> type[ComparisonSystem]:
    if name not in SYSTEMS:
        raise UserError(f"system: found {name!r}, expected one of {', '.join(SYSTEMS)}")
    module, _, own = SYSTEMS[name][0].rpartition(".")
    try:
        found: type[ComparisonSystem] = getattr(import_module(f"{__package__}.{module}"), own)
    except ModuleNotFoundError as error:
        raise UserError(
            f"system {name!r} needs the package {error.name}, which is not installed; "
            "get it with: pip install -c constraints.txt -e '.[comparison]'"
        ) from error
    return found
