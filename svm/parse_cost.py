"""How much memory a JSON text can take when it is parsed, told from its bytes without parsing it.

Brackets are cheap to write and dear to read: two bytes `[]` become an object of 56. Whoever reads JSON from
somebody else counts first. Counting takes no memory, and the result is an upper bound: what stands inside of
strings is counted as if it stood outside.
"""

from __future__ import annotations

import re

LIST = 56 + 4 * 8
"""An object with room for four entries; longer ones are paid for by their commas."""
DICT = 64 + 168
"""With room for five entries."""
KEY = 120
"""Room in its object and in the parser's table of keys, which both double when they are full."""
ENTRY = 10
NUMBER = 32
_PLAIN, _WIDE = 50, 76  # of a string besides its characters

_KEYS = re.compile(rb'"\s*:')
_NUMBERS = re.compile(rb"[\[,:]\s*[-0-9NI]")
_WIDEST = re.compile(rb"\\u|[\xf0-\xff]")


def parse_cost(text: bytes) -> int:
    """Return bytes that `json.loads(text.decode())` does not exceed."""
    width, string = 1, _PLAIN
    if _WIDEST.search(text) is not None:
        width, string = 4, _WIDE
    elif not text.isascii():
        width, string = 2, _WIDE
    return (
        2 * width * len(text)  # decoded as a whole, and once more in its strings
        + string * ((text.count(b'"') + 1) // 2)
        + LIST * text.count(b"[")
        + DICT * text.count(b"{")
        + ENTRY * text.count(b",")
        + KEY * _count(_KEYS, text)
        + NUMBER * _count(_NUMBERS, text)
        + 2000
    )


def _count(pattern: re.Pattern[bytes], text: bytes) -> int:
    return sum(1 for _ in pattern.finditer(text))
