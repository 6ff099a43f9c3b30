"""JSON as every file of the project is read and written: finite numbers only, nothing hidden in a text.

The standard library takes and makes ``NaN`` and ``Infinity``, which are no JSON, reads ``1e999`` as infinite,
and writes characters that a terminal obeys or that no UTF-8 file can hold. Here all of these are refused when
they are read as numbers, and written as escapes, which any reader turns back into the same text.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from babi_cascade.pipeline.stories.errors import shown

LONGEST_NUMBER = 300
"""Digits of a whole number: more would not fit into a float, and take long to convert."""

# C0, DEL and C1; marks that reorder text or hide; line separators; lone surrogates. Ranges that do not depend
# on the Unicode tables of a Python, so that the same record has the same bytes everywhere.
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


class JsonError(ValueError):
    """What is wrong with a JSON text or value, in one line; whose it is, is known further up."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found, expected)
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return f"found {self.found}, expected {self.expected}"


def read_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; every number in it is finite, no object has a key twice."""
    try:
        return json.loads(
            text,
            object_pairs_hook=_each_once,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_bounded,
        )
    except RecursionError:
        raise JsonError("JSON nested too deep", "fewer levels") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        found = f"broken JSON at {place}column {error.colno} ({error.msg})"
        raise JsonError(found, "one JSON value") from None
    except UnicodeDecodeError as error:
        found = f"bytes that are not UTF-8 at byte {error.start + 1}"
        raise JsonError(found, "UTF-8 text") from None


def json_text(
    value: Any, *, indent: int | None = None, separators: tuple[str, str] | None = None
) -> str:
    """Return the JSON text of a value; a number that is not finite is a `JsonError`."""
    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
        )
    except RecursionError:
        raise JsonError("a value nested too deep", "fewer levels") from None
    except ValueError as error:
        raise JsonError(f"a number that is not finite ({error})", "finite numbers") from None
    # The only line breaks outside of texts are those of the indentation.
    return HIDDEN.sub(lambda found: found[0] if found[0] == "\n" else json_escape(found[0]), text)


def json_escape(character: str) -> str:
    """Return a character as JSON escapes it; beyond the first 65536 as a pair."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[place : place + 2].hex()}" for place in range(0, len(units), 2))


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise JsonError(f"the key {shown(twice)} twice", "each key once")
    return record


def _no_constant(name: str) -> None:
    raise JsonError(name, "finite numbers")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise JsonError(f"the number {digits[:20]}", "finite numbers")
    return number


def _bounded(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:
        raise JsonError(f"a number of {len(digits)} digits", f"at most {LONGEST_NUMBER}")
    return int(digits)
