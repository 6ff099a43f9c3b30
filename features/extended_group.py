"""What a group of the extended preset is: cases in, named attributes out, and words for people.

An attribute is a tuple of texts whose first says which template it comes from. It gets a weight of its own in
every slot that it can stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Protocol, runtime_checkable

from babi_cascade.features.cases import ItemCase, PairCase
from babi_cascade.features.outline import Signature

Attribute = tuple[str, ...]


@runtime_checkable
class SelectionGroup(Protocol):
    """Features of a fact beside the question and of two facts."""

    name: str
    description: str

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Return the attributes of a fact beside the question."""
        ...

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Return the attributes of two facts."""
        ...

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return an attribute in words; ``first`` and ``second`` name the two sentences."""
        ...


def said_safely(say: Callable[[], str], attribute: Attribute) -> str:
    """Return what a group says of an attribute; one that no group made is shown as it is."""
    try:
        return say()
    except (IndexError, KeyError, ValueError):
        return ", ".join(attribute)


@lru_cache(maxsize=4096)
def told(match: Signature) -> str:
    """Return a match as one text: "nsubj=nsubj; obl:in=obl:to"."""
    return "; ".join(f"{a}={b}" for a, b in match)
