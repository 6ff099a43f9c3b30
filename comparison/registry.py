"""The systems by name; what a system needs is imported when it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babi_cascade.errors import UserError

if TYPE_CHECKING:
    from babi_cascade.comparison.system import System


def make_system(name: str, **params: Any) -> System:
    """Return an untrained system; ``params`` go to its constructor, above what the name stands for."""
    return _class_of(name)(**{**_entry(name)[1], **params})


def load_system(name: str, path: str | Path) -> System:
    """Read a model that a system of this name saved."""
    return _class_of(name).load(path)


def _ngram() -> type[System]:
    from babi_cascade.comparison.ngram import NGramClassifier

    return NGramClassifier


def _lstm() -> type[System]:
    from babi_cascade.comparison.lstm import LSTMClassifier

    return LSTMClassifier


def _memnn() -> type[System]:
    from babi_cascade.comparison.memnn import MemoryNetwork

    return MemoryNetwork


SYSTEMS: Mapping[str, tuple[Callable[[], type[System]], Mapping[str, Any]]] = {
    "ngram": (_ngram, {}),
    "lstm": (_lstm, {}),
    "memnn": (_memnn, {}),
    "memnn-am": (_memnn, {"adaptive": True}),
    "memnn-am-ng": (_memnn, {"adaptive": True, "longest": 3}),
    "memnn-am-nl": (_memnn, {"adaptive": True, "form": "nonlinear"}),
    "memnn-am-ng-nl": (_memnn, {"adaptive": True, "longest": 3, "form": "nonlinear"}),
    "memnn-am-multilinear": (_memnn, {"adaptive": True, "form": "multilinear"}),
}
"""For each name what gives its class, and the parameters that the name stands for."""


def _entry(name: str) -> tuple[Callable[[], type[System]], Mapping[str, Any]]:
    if name not in SYSTEMS:
        raise UserError(f"system: found {name!r}, expected one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def _class_of(name: str) -> type[System]:
    find, _ = _entry(name)
    try:
        return find()
    except ModuleNotFoundError as error:
        raise UserError(
            f"system {name!r} needs the package {error.name}, which is not installed; "
            "get it with: pip install -c constraints.txt -e '.[comparison]'"
        ) from error
