"""Values of records that somebody else may have written: what is not as expected is taken as not there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babi_cascade.app.results.records import LARGEST
from babi_cascade.pipeline.stories.tasks import LARGEST_TASK


def mapping_in(value: Any) -> Mapping[str, Any]:
    """Return an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text_in(value: Any) -> str:
    """Return a text, an empty one for anything else."""
    return value if isinstance(value, str) else ""


def number_in(value: Any) -> float | None:
    """Return a number, also one that is written as a text; None for anything else, and beyond all reason."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    good = isinstance(value, (int, float)) and not isinstance(value, bool)
    # What is not finite is in no range; sums of what is stay finite.
    return float(value) if good and -LARGEST <= value <= LARGEST else None


def share_in(value: Any) -> float | None:
    """Return a number from 0 to 1, None for anything else."""
    number = number_in(value)
    return number if number is not None and 0 <= number <= 1 else None


def task_in(value: Any) -> int | None:
    """Return the number of a task, None for anything else."""
    return value if type(value) is int and 1 <= value <= LARGEST_TASK else None


def whole_in(value: Any) -> int | None:
    """Return a whole number that is not negative, None for anything else."""
    number = number_in(value)
    return int(number) if number is not None and number.is_integer() and number >= 0 else None
