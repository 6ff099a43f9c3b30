"""Values of records that somebody else may have written: what is not as expected is taken as not there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def mapping_in(value: Any) -> Mapping[str, Any]:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text_in(value: Any) -> str:
    """Return a text, an empty one for anything else."""
    return value if isinstance(value, str) else ""


def number_in(value: Any) -> float | None:
    """Return a finite number, also one that is written as a text; None for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if good and math.isfinite(value) else None


def share_in(value: Any) -> float | None:
    """Return a number from 0 to 1, None for anything else."""
    number = number_in(value)
    return number if number is not None and 0 <= number <= 1 else None


def whole_in(value: Any) -> int | None:
    """Return a whole number that is not negative, None for anything else."""
    number = number_in(value)
    return int(number) if number is not None and number.is_integer() and number >= 0 else None
