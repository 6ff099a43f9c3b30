"""A door to pystruct 0.3.2, which was written for the numpy and scikit-learn of its day.

Its learners are sound on current Python; what has gone since are ``np.float`` and ``np.int`` and
``sklearn.externals.joblib``. The first are supplied inside pystruct's own modules only, the second
only while it is imported, so that nobody else's numpy or scikit-learn changes.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from typing import Any

import numpy as np

from babi_cascade.svm.errors import SvmError

INSTALL = "scripts/install_pystruct.sh"
_JOBLIB = "sklearn.externals.joblib"
_REMOVED = {"float": float, "int": int, "bool": bool, "object": object}


def learners() -> types.ModuleType:
    """The module ``pystruct.learners``, ready for use."""
    if "pystruct.learners" in sys.modules:
        return sys.modules["pystruct.learners"]
    missing = [name for name in ("cvxopt", "joblib", "sklearn", "pystruct") if not _there(name)]
    if missing:
        raise SvmError(f"pystruct needs {', '.join(missing)}; get it with: {INSTALL}")
    before = sys.modules.get(_JOBLIB)
    sys.modules[_JOBLIB] = importlib.import_module("joblib")
    try:
        module = importlib.import_module("pystruct.learners")
    finally:
        if before is None:
            del sys.modules[_JOBLIB]
        else:
            sys.modules[_JOBLIB] = before
    old_numpy = _OldNumpy("numpy")
    for name, part in list(sys.modules.items()):
        if name.startswith(("pystruct.learners.", "pystruct.utils.")) and hasattr(part, "np"):
            part.np = old_numpy  # type: ignore[attr-defined]
    return module


class _OldNumpy(types.ModuleType):
    """numpy with the names that it had in 2017."""

    def __getattr__(self, name: str) -> Any:
        if name in _REMOVED:
            return _REMOVED[name]
        return getattr(np, name)


def _there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None
