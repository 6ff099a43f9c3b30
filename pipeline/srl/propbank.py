"""What labellers of whole phrases, and of words, have in common: PropBank's names, the head of a phrase."""

from __future__ import annotations

import re
from collections.abc import Sequence

from babi_cascade.pipeline.trees import Token

NUMBERED_FUNCTIONS = ("GOL", "PRD", "DIR")
"""Functions that PropBank mostly gives to numbered arguments (EWT dev: 85, 94 and 52 %), as ``ARG2-GOL``."""

_LEADING = frozenset({"ADP", "ADV", "PART", "SCONJ"})
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_NUMBER = re.compile(r"A[0-5A]\b")


def propbank_role(role: str) -> str:
    """Return a role under PropBank's name: ``A0`` is ``ARG0``, ``R-AM-LOC`` is ``R-ARGM-LOC``."""
    prefix, dash, rest = role.partition("-")
    if prefix in ("R", "C") and dash:
        return f"{prefix}-{propbank_role(rest)}"
    if _NUMBER.match(role) or prefix == "AM":
        return "ARG" + role[1:]
    if role.startswith("ARG"):
        return role
    return f"ARG2-{role}" if role in NUMBERED_FUNCTIONS else f"ARGM-{role}"


def phrase_head(words: Sequence[Token], stated: Token | None = None) -> Token:
    """Return the word of a phrase that hangs on a word outside.

    Of several it is the stated one, or the first, but a noun rather than what leads to it: "back to town".
    """
    ids = {word.id for word in words}
    outside = [word for word in words if word.head not in ids and word.upos != "PUNCT"]
    if stated in outside and stated is not None and stated.upos not in _LEADING:
        return stated
    nominal = [word for word in outside if word.upos in _NOMINAL]
    return (nominal or outside or words[-1:])[0]
