"""What the corpora say of verbs that grammar alone cannot: particles ("put down") and receivers ("lend").

`verbs.txt` ships beside the role model: lines ``particle VERB WORD``, ``receiver VERB`` and
``object VERB``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

FILE = "verbs.txt"


def phrasal_verbs() -> frozenset[tuple[str, ...]]:
    """Return the pairs of verb and particle."""
    return _shipped("particle")


def transitive_verbs() -> frozenset[str]:
    """Return the verbs that have an object more often than not."""
    return frozenset(pair[0] for pair in _shipped("object"))


def dative_verbs() -> frozenset[str]:
    """Return the verbs that have receivers."""
    return frozenset(pair[0] for pair in _shipped("receiver"))


@cache
def _shipped(kind: str) -> frozenset[tuple[str, ...]]:
    """Read the lines of one kind; none if the file is not there."""
    path = Path(str(files("babi_cascade.data"))) / "models" / "en" / "srl" / FILE
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    return frozenset(tuple(line.split()[1:]) for line in lines if line.startswith(f"{kind} "))
