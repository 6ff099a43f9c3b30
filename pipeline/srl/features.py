"""What a word, and a pair of a predicate and a word, looks like to the role labeller.

Features are strings, of a word by itself and on the way from a predicate to a word in the dependency tree
(after Björkelund, Hafdell and Nugues, 2009); the network knows them only by a 32-bit checksum: the model file
then needs no names, and a checksum is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from itertools import chain
from zlib import crc32

from babi_cascade.pipeline.trees import Token, Tree

VERBAL = frozenset({"VERB", "AUX"})
CLIMB = 2  # ancestors looked at for arguments
MOST = 80  # candidates of a predicate; no sentence that people write has more
FAR = 10  # distances in words are told apart up to here
SUBTYPES = frozenset(
    {"acl:relcl", "aux:pass", "compound:prt", "csubj:pass", "nmod:poss", "nsubj:pass"}
)
"""Subtypes of relations that are told apart: those that most parsers give."""

ROOT = "<root>"
NONE = "<none>"


def checksum(feature: str) -> int:
    """Return the name under which the model knows a feature."""
    return crc32(feature.encode("utf-8", "surrogatepass"))


def predicate_candidates(tree: Tree, nominal: Container[int]) -> Iterator[Token]:
    """Yield the words that could be a predicate: verbs, and what is known to be one without being a verb."""
    for token in tree:
        if token.upos in VERBAL or checksum(token.lemma.lower()) in nominal:
            yield token


def argument_candidates(tree: Tree, predicate: Token) -> list[Token]:
    """Return the words that could head an argument, in order of the sentence.

    These are the dependents of the predicate, its nearest ancestors and their dependents (Xue and Palmer's
    pruning, cut off after two steps up), and the dependents of its dependents: what a parser hangs on a
    wrong word is mostly there. On the parser's trees 97 % of EWT's arguments are among them.
    """
    below = tree.children(predicate)
    found: dict[int, Token] = {t.id: t for t in below}
    found.update((t.id, t) for child in below for t in tree.children(child))
    for _, ancestor in zip(range(CLIMB), tree.ancestors(predicate), strict=False):
        found[ancestor.id] = ancestor
        found.update((t.id, t) for t in tree.children(ancestor))
    found.pop(predicate.id, None)
    words = [t for t in found.values() if t.upos != "PUNCT"]
    if len(words) > MOST:
        words = sorted(words, key=lambda t: abs(t.id - predicate.id))[:MOST]
    return sorted(words, key=lambda t: t.id)


def word_features(tree: Tree, token: Token) -> list[str]:
    """Return the features of a word by itself and of its place in the tree."""
    head = tree.head(token)
    form = token.form.lower()
    return [
        f"l={token.lemma.lower()}",
        f"f={form}",
        f"s={form[-3:]} {form[:1].isdigit()} {token.form[:1].isupper()}",
        f"x={token.xpos}",
        f"u={token.upos}",
        f"r={relation_of(token)}",
        f"h={head.lemma.lower() if head else ROOT}",
        f"y={head.xpos if head else ROOT} {relation_of(token)} {head is not None and head.id < token.id}",
        f"m={preposition(tree, token)}",
        *(f"c={relation_of(t)}" for t in tree.children(token) if t.upos != "PUNCT"),
    ]


class PredicateView:
    """What is the same for all arguments of a predicate, worked out once."""

    def __init__(self, tree: Tree, predicate: Token) -> None:
        self.tree = tree
        self.predicate = predicate
        children = tree.children(predicate)
        particle = " ".join(t.lemma.lower() for t in tree.children(predicate, "compound:prt"))
        self.verb = f"{predicate.lemma.lower()} {particle}"
        # A copula or auxiliary hangs under the word that carries its dependents.
        head = tree.head(predicate)
        below = predicate.relation in ("cop", "aux") and head is not None
        carrier = head if below and head is not None else predicate
        self.voice = _voice(tree, carrier)
        self.core = " ".join(
            t.relation
            for t in (tree.children(carrier) if below else children)
            if t.relation in ("nsubj", "obj", "iobj", "ccomp", "xcomp")
        )
        self.kind = f"{predicate.upos} {predicate.relation} {self.voice}"
        self.chain = [
            predicate,
            *(t for _, t in zip(range(CLIMB + 1), tree.ancestors(predicate), strict=False)),
        ]


def pair_features(view: PredicateView, token: Token) -> list[str]:
    """Return the features that tell whether, and how, a word takes part in a predicate."""
    tree, predicate, verb, voice = view.tree, view.predicate, view.verb, view.voice
    lemma, relation = token.lemma.lower(), relation_of(token)
    path, tags = _path(tree, view.chain, token)
    side = "<" if token.id < predicate.id else ">"
    gap = min(abs(token.id - predicate.id), FAR)
    marker = preposition(tree, token)
    where = f"{path} {side}"
    return [
        f"w={where}",
        f"wt={tags} {side}",
        f"wk={where} {view.kind}",
        f"wm={where} {marker}",
        f"wx={where} {token.xpos} {predicate.xpos}",
        f"vw={verb} {where} {voice}",
        f"vm={verb} {marker} {relation} {side}",
        f"vl={verb} {lemma}",
        f"co={where} {view.core} {voice}",
        f"vc={verb} {view.core} {relation} {side}",
        f"ml={marker} {lemma}",
        f"g={gap} {side}",
        f"gr={min(gap, 4)} {side} {relation}",
    ]


def relation_of(token: Token) -> str:
    """Return the relation of a word, with its subtype only where most parsers give it."""
    return token.deprel if token.deprel in SUBTYPES else token.relation


def preposition(tree: Tree, token: Token) -> str:
    """Return what introduces a phrase or a clause: "in", "because", "to", or nothing."""
    words = [t.lemma.lower() for t in tree.children(token, "case", "mark")]
    return " ".join(words) if words else NONE


def _voice(tree: Tree, token: Token) -> str:
    if tree.child(token, "aux:pass", "nsubj:pass", "csubj:pass"):
        return "passive"
    # "the bread baked here": a participle under a noun is passive too
    if token.xpos == "VBN" and token.relation in ("acl", "amod") and not tree.child(token, "aux"):
        return "participle"
    return "active"


def _path(tree: Tree, chain_up: list[Token], token: Token) -> tuple[str, str]:
    """Return the way from predicate to argument in relations, and in tags: up "^", then down "v"."""
    heights = {t.id: i for i, t in enumerate(chain_up)}
    down: list[Token] = []
    for step in chain([token], tree.ancestors(token)):
        if step.id in heights:
            up = chain_up[: heights[step.id]]
            relations = "".join(f"^{relation_of(t)}" for t in up) + "".join(
                f"v{relation_of(t)}" for t in reversed(down)
            )
            tags = (
                "".join(f"{t.upos}^" for t in up)
                + step.upos
                + "".join(f"v{t.upos}" for t in reversed(down))
            )
            return relations, tags
        down.append(step)
    return NONE, NONE
