"""A story while the sieve works on it: its mentions, and the entities they have been joined into so far.

The passes share what earlier, more precise passes found: an entity knows the attributes and words of all
its mentions, so "she" can tell the next pass that Robin is a woman.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from babi_cascade.pipeline.coref.attributes import DEMONSTRATIVE, PERSONAL, name_parts
from babi_cascade.pipeline.coref.detection import detect
from babi_cascade.pipeline.coref.lexicon import Lexicon, word_set
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.trees import Token, Tree

_ARTICLES = word_set("a an the this that these those")
_INDEFINITE = word_set("a an another some any no every each one many several few")
_MODIFIERS = word_set("nummod flat amod")
_EMPTY = _ARTICLES | word_set(
    "of in on at to for by from with and or 's ’s ' , ( ) \" my your his her its our their"
)


@dataclass(slots=True, eq=False)
class Node:
    """A mention with everything the passes ask of it, computed once."""

    index: int
    mention: Mention
    tree: Tree
    token: Token  # the head
    depth: int
    text: str  # lower-cased, without article and possessive mark
    head: str  # what head matching compares: a lemma, for a name its last part
    words: frozenset[str]  # everything but function words
    modifiers: frozenset[str]  # of them, what stands before the head or is a number
    entity: Entity

    @property
    def pronoun(self) -> bool:
        """Whether the mention is a pronoun."""
        return self.mention.kind == "pronoun"

    @property
    def name(self) -> bool:
        """Whether the mention is a name."""
        return self.mention.kind == "name"

    @property
    def form(self) -> str:
        """The head as it is written, in lower case."""
        return self.token.form.lower()

    @property
    def personal(self) -> bool:
        """Whether it is a personal, possessive or reflexive pronoun."""
        return self.pronoun and self.form in PERSONAL

    @property
    def determiner(self) -> str:
        """The article or determiner of the phrase, "" without one."""
        found = self.tree.child(self.token, "det")
        return found.form.lower() if found is not None and not self.pronoun else ""

    @property
    def indefinite(self) -> bool:
        """Whether it introduces something new: "a man" is never the man we know."""
        return self.mention.kind in ("nominal", "list") and self.determiner in _INDEFINITE

    @property
    def subject(self) -> bool:
        """Whether it is the subject of a clause."""
        return self.token.relation in ("nsubj", "csubj")

    @property
    def appositive(self) -> bool:
        """Whether it stands in apposition to another noun phrase."""
        return self.token.relation == "appos"


class Entity:
    """Mentions that have been found to mean the same, and what is known of them together."""

    __slots__ = ("animacies", "genders", "heads", "nodes", "numbers", "words")

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.numbers: set[str] = set()
        self.genders: set[str] = set()
        self.animacies: set[str] = set()
        self.words: set[str] = set()
        self.heads: set[str] = set()

    @property
    def first(self) -> Node:
        """The mention that comes first in the text."""
        return self.nodes[0]

    def add(self, node: Node) -> None:
        """Take a new mention in."""
        self.nodes.append(node)
        mention = node.mention
        for known, value in (
            (self.numbers, mention.number),
            (self.genders, mention.gender),
            (self.animacies, mention.animacy),
        ):
            if value != "unknown":
                known.add(value)
        if not node.pronoun:
            self.words |= node.words
            self.heads.add(node.head)


class Document:
    """The mentions of a story in the order of the text, each in an entity."""

    def __init__(self, story: Sequence[Tree], lexicon: Lexicon, *, relatives: bool = False) -> None:
        self.story = story
        self.lexicon = lexicon
        self.nodes: list[Node] = []
        self.sentences: list[list[Node]] = []
        found, extents = detect(story, lexicon, relatives=relatives)
        for tree, mentions, extent in zip(story, found, extents, strict=True):
            nodes = [self._node(mention, tree, extent.depth[mention.head]) for mention in mentions]
            self.sentences.append(nodes)
        self.sizes = [len(tree) for tree in story]

    def join(self, one: Node, other: Node) -> None:
        """Make one entity of two."""
        if one.entity is other.entity:
            return
        kept, lost = one.entity, other.entity
        if len(kept.nodes) < len(lost.nodes):
            kept, lost = lost, kept
        for node in lost.nodes:
            node.entity = kept
        kept.nodes = _merged(kept.nodes, lost.nodes)
        kept.numbers |= lost.numbers
        kept.genders |= lost.genders
        kept.animacies |= lost.animacies
        kept.words |= lost.words
        kept.heads |= lost.heads

    def clusters(self) -> Clusters:
        """Return the entities as they stand."""
        groups = {id(node.entity): node.entity.nodes for node in self.nodes}
        return Clusters.of([node.mention for node in nodes] for nodes in groups.values())

    def _node(self, mention: Mention, tree: Tree, depth: int) -> Node:
        token = tree[mention.head]
        # A phrase of 10 000 words is known by its first two hundred.
        inside = tree.tokens[mention.start - 1 : min(mention.end, mention.start + 200)]
        words = [t.lemma.lower() if t.upos == "NOUN" else t.form.lower() for t in inside]
        text = [t.form.lower() for t in inside]
        if text and text[0] in _ARTICLES and len(text) > 1 and mention.kind != "pronoun":
            text = text[1:]
        if len(text) > 1 and text[-1] in ("'s", "’s", "'", "’"):
            text = text[:-1]
        head = token.lemma.lower() + _of_what(tree, token)
        if mention.kind == "name":
            parts = name_parts(tree, token)
            head = (parts[-1] if tree.children(token, "flat") else token).form.lower()
        content = frozenset(words) - _EMPTY
        before = frozenset(
            w
            for t, w in zip(inside, words, strict=True)
            if t.id < mention.head or (t.head == mention.head and t.relation in _MODIFIERS)
        )
        entity = Entity()
        node = Node(
            len(self.nodes), mention, tree, token, depth, " ".join(text), head,
            content, (before & content) - {head}, entity,
        )  # fmt: skip
        entity.add(node)
        self.nodes.append(node)
        return node


def agree(one: Entity, other: Entity) -> bool:
    """Say whether number, gender and animacy allow two entities to be one.

    What is unknown of one side agrees with anything.
    """
    return (
        _compatible(one.numbers, other.numbers)
        and _compatible(one.genders, other.genders)
        and _compatible(one.animacies, other.animacies)
    )


def nested(one: Node, other: Node) -> bool:
    """Say whether one mention lies within the other: such never mean the same (i-within-i)."""
    return one.mention.contains(other.mention) or other.mention.contains(one.mention)


def demonstrative(node: Node) -> bool:
    """Say whether it is a bare "this" or "those"."""
    return node.pronoun and node.form in DEMONSTRATIVE


def _of_what(tree: Tree, token: Token) -> str:
    """Return " of bean" for "cup of beans": a bare complement makes another kind of thing.

    "The king of the island" is a king and may be "the king" later; a cup of beans is not the
    cup that stands beside it.
    """
    for child in tree.children(token, "nmod"):
        of = any(case.lemma.lower() == "of" for case in tree.children(child, "case"))
        bare = not tree.children(child, "det", "nmod:poss", "amod", "nummod")
        if of and bare and child.upos == "NOUN":
            return f" of {child.lemma.lower()}"
    return ""


def _compatible(one: set[str], other: set[str]) -> bool:
    return not one or not other or not one.isdisjoint(other)


def _merged(one: list[Node], other: list[Node]) -> list[Node]:
    """Keep the order of the text; a late mention joins the end, which is the common case."""
    if one[-1].index < other[0].index:
        one.extend(other)
        return one
    return sorted([*one, *other], key=lambda node: node.index)
