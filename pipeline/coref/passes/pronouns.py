"""Pass: third-person pronouns take the first antecedent that agrees, in the order of Hobbs.

In the pronoun's own sentence candidates before it are tried breadth first and from left to right: the
subject of the main clause before what is nested in it. Then the three sentences before, the nearest
first, subjects first within each. A conjunction ("Pat and Robin") is a candidate as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from babi_cascade.pipeline.coref.attributes import REFLEXIVE
from babi_cascade.pipeline.coref.detection import looks_like_a_name
from babi_cascade.pipeline.coref.document import Document, Node, agree, nested
from babi_cascade.pipeline.coref.lexicon import word_set

WINDOW = 3
# Candidates of one sentence that are looked at; only a monstrous sentence has more.
MOST = 60
_ARGUMENTS = word_set("nsubj obj iobj obl")


@dataclass(frozen=True)
class Pronouns:
    """Resolve pronouns of the third person that no earlier pass has linked.

    Strictly, "he" and "she" mean a name or what is known to be alive. When ``strict`` is off, what
    is unknown is good enough.
    """

    name: str = "pronouns"
    strict: bool = True

    def run(self, document: Document) -> None:
        """Go through the story once, learning from each link for the next."""
        ordered = [sorted(nodes, key=_prominence)[:MOST] for nodes in document.sentences]
        for node in document.nodes:
            if not node.personal or node.mention.person != 3 or node.entity.first is not node:
                continue
            for candidate in self._candidates(node, document, ordered):
                if fits(node, candidate, strict=self.strict):
                    document.join(candidate, node)
                    break

    def _candidates(
        self, node: Node, document: Document, ordered: list[list[Node]]
    ) -> Iterator[Node]:
        sentence = node.mention.sentence
        nodes = document.sentences[sentence]
        before = node.index - nodes[0].index
        own = sorted(nodes[max(0, before - MOST) : before], key=_prominence)
        earlier = ordered[max(0, sentence - WINDOW) : sentence]
        for candidates in (own, *reversed(earlier)):
            if node.mention.gender in ("masc", "fem"):
                # "Her dog slept. She …": of one sentence, who is known to be a woman comes first.
                yield from (c for c in candidates if node.mention.gender in c.entity.genders)
            yield from candidates


def fits(node: Node, candidate: Node, *, strict: bool = True) -> bool:
    """Say whether a pronoun may mean what a candidate means."""
    mention, other = node.mention, candidate.mention
    if nested(node, candidate) or not agree(node.entity, candidate.entity):
        return False
    if other.person != 3 or (candidate.pronoun and not candidate.personal):
        return False
    known = candidate.entity.animacies
    if mention.animacy == "inanimate" and candidate.name and "inanimate" not in known:
        return False  # a name of which nothing is known is a person's sooner than a thing's
    person = candidate.name or looks_like_a_name(candidate.tree, candidate.token)
    if strict and mention.gender in ("masc", "fem") and not person and "animate" not in known:
        return False  # and a noun a thing's sooner than a person's
    return bound(node, candidate)


def bound(node: Node, candidate: Node) -> bool:
    """Apply the binding rules: "Kofi saw him" is not Kofi, "Kofi saw himself" is nobody else.

    "He saw him" is not whom "he" means either, whichever of his mentions is looked at.
    """
    if node.form in REFLEXIVE:
        return _same_clause(node, candidate)
    return not any(_same_clause(node, other) for other in candidate.entity.nodes)


def _same_clause(node: Node, other: Node) -> bool:
    """Say whether two mentions are arguments of one predicate."""
    return (
        node.mention.sentence == other.mention.sentence
        and node.token.head == other.token.head
        and node.token.relation in _ARGUMENTS
        and other.token.relation in _ARGUMENTS
    )


def _prominence(node: Node) -> tuple[bool, int, int, int]:
    return not node.subject, node.depth, node.mention.start, -node.mention.end
