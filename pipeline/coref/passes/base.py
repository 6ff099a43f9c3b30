"""What a pass of the sieve is, and what several of them share."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Protocol

from babi_cascade.pipeline.coref.document import Document, Node

# How many earlier entities one mention is compared with. Nearly all antecedents are among the
# nearest few; the limit keeps a long story linear.
NEAREST = 40


class Pass(Protocol):
    """One pass: it joins entities of the document that it is sure about and leaves the rest."""

    @property
    def name(self) -> str:
        """What the pass is called in reports and tests."""
        ...

    def run(self, document: Document) -> None:
        """Join what this pass finds to be the same."""
        ...


def anaphors(document: Document) -> Iterator[Node]:
    """Yield the noun phrases that a pass should resolve, in the order of the text.

    Only the first mention of an entity is looked at, since it is the best described one and the
    others follow it, and none that introduces something new.
    """
    for node in document.nodes:
        if not node.pronoun and node.entity.first is node and not node.indefinite:
            yield node


def nearest_entities(node: Node, ordered: list[Node]) -> Iterator[Node]:
    """Yield a mention of each entity before a node, the nearest first, not without end.

    ``ordered`` holds mentions in the order of the text, those after the node among them.
    """
    before = bisect_left(ordered, node.index, key=_index)
    seen = {id(node.entity)}
    for candidate in reversed(ordered[max(0, before - 4 * NEAREST) : before]):
        if id(candidate.entity) not in seen:
            seen.add(id(candidate.entity))
            yield candidate
        if len(seen) > NEAREST:
            return


def _index(node: Node) -> int:
    return node.index
