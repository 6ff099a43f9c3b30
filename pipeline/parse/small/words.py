"""Words as the tagger and the parser of Stanza see them: numbers of words and letters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

UNKNOWN, ROOT = 1, 3

_QUESTION = re.compile("^[?？︖﹖⁇][?？︖﹖⁇!！︕﹗‼]+$")
_EXCLAMATION = re.compile("^[!！︕﹗‼][?？︖﹖⁇!！︕﹗‼]+$")


def simplified(word: str) -> str:
    """Return a word; of a run of marks the first kind alone, as these models were trained."""
    if word[:1] in "?？︖﹖⁇!！︕﹗‼":
        word = _EXCLAMATION.sub("!", _QUESTION.sub("?", word))
    return word


class Numbers:
    """The numbers of the units of one of Stanza's vocabularies."""

    def __init__(self, vocabulary: Mapping[str, Any]) -> None:
        self.known: Mapping[str, int] = vocabulary["_unit2id"]
        self.units: Sequence[str] = vocabulary["_id2unit"]
        self.lower = bool(vocabulary["lower"])

    def __call__(self, units: Sequence[str]) -> list[int]:
        """Return the number of each unit."""
        if self.lower:
            units = [unit.lower() for unit in units]
        known = self.known
        return [known.get(unit, UNKNOWN) for unit in units]
