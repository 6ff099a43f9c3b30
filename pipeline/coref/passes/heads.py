"""Passes: noun phrases with the same head, under conditions that grow weaker from pass to pass."""

from __future__ import annotations

from dataclasses import dataclass

from babi_cascade.pipeline.coref.attributes import DEMONSTRATIVE
from babi_cascade.pipeline.coref.document import Document, Node, agree, nested
from babi_cascade.pipeline.coref.passes.base import anaphors, nearest_entities


@dataclass(frozen=True)
class HeadMatch:
    """Join a phrase with the nearest earlier entity one of whose mentions has the same head.

    ``inclusion``: the phrase says nothing of the thing that the earlier entity did not say ("the
    old mill" may follow "the old mill by the river"). ``modifiers``: what stands before its head
    stands before the earlier head too. ``demonstrative``: it says "this" or "those", and so points
    back whatever else it says. Two conjoined phrases, and one within the other, never mean the same.
    """

    name: str
    inclusion: bool = True
    modifiers: bool = True
    demonstrative: bool = False

    def run(self, document: Document) -> None:
        """Resolve each phrase by the heads before it."""
        by_head: dict[str, list[Node]] = {}
        for node in document.nodes:
            if not node.pronoun and node.mention.kind != "list":
                by_head.setdefault(node.head, []).append(node)
        for node in anaphors(document):
            if node.mention.kind == "list" or node.appositive:
                continue
            for earlier in nearest_entities(node, by_head.get(node.head, [])):
                if self._same(node, earlier):
                    document.join(earlier, node)
                    break

    def _same(self, node: Node, earlier: Node) -> bool:
        if clashing(node, earlier):
            return False
        if self.demonstrative and node.determiner not in DEMONSTRATIVE:
            return False
        if self.inclusion and not node.entity.words - {node.head} <= earlier.entity.words:
            return False
        return not self.modifiers or node.modifiers <= earlier.modifiers


@dataclass(frozen=True)
class ProperHeadMatch:
    """Join names with the same last part when one says no more than the other ("Byron").

    Only a person may gain words later: "English Wikipedia" is not Wikipedia, and no two of the
    universities of a text are the same.
    """

    name: str = "proper head match"

    def run(self, document: Document) -> None:
        """Resolve each name by the names before it."""
        by_head: dict[str, list[Node]] = {}
        for node in document.nodes:
            if node.name:
                by_head.setdefault(node.head, []).append(node)
        for node in anaphors(document):
            if not node.name:
                continue
            for earlier in nearest_entities(node, by_head.get(node.head, [])):
                shorter = node.words <= earlier.words
                longer = node.mention.animacy == "animate" and earlier.words <= node.words
                if (shorter or longer) and not clashing(node, earlier):
                    document.join(earlier, node)
                    break


@dataclass(frozen=True)
class RelaxedHeadMatch:
    """Join a short name with a longer one that holds its head anywhere ("Gordon", "Gordon Byron")."""

    name: str = "relaxed head match"

    def run(self, document: Document) -> None:
        """Resolve each name by the words of the names before it."""
        by_word: dict[str, list[Node]] = {}
        for node in document.nodes:
            if node.name:
                for word in node.words:
                    by_word.setdefault(word, []).append(node)
        for node in anaphors(document):
            if not node.name or node.determiner == "the":
                continue
            for earlier in nearest_entities(node, by_word.get(node.head, [])):
                if not node.words <= earlier.words or clashing(node, earlier):
                    continue
                if earlier.mention.animacy == "animate" and node.mention.animacy != "inanimate":
                    document.join(earlier, node)
                    break


def clashing(node: Node, earlier: Node) -> bool:
    """Say whether two phrases cannot be the same whatever their heads."""
    if nested(node, earlier) or not agree(node.entity, earlier.entity):
        return True
    if node.token.relation == "conj" and node.mention.sentence == earlier.mention.sentence:
        return True  # "the red box and the blue box"
    return _numbers(node) != _numbers(earlier) and bool(_numbers(node))


def _numbers(node: Node) -> frozenset[str]:
    return frozenset(word for word in node.words if word.isdecimal())
