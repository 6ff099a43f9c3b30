"""What a word, or a pair of a predicate and a word, looks like to the role labeller.

Features are strings on the dependency tree (path, relations, lemmas, prepositions, voice, position,
neighbours), after Björkelund, Hafdell and Nugues (2009), and are known to the model only by a 32-bit
checksum: the model file then needs no feature names, and a checksum is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from zlib import crc32

from babi_cascade.pipeline.trees import Token, Tree

PREDICATE_TAGS = frozenset({"VERB", "AUX", "NOUN", "ADJ", "ADV", "X"})
CLIMB = (
    2  # ancestors looked at for arguments; with their children they hold 99 % of EWT's arguments
)
MOST = 80  # candidates of a predicate; no sentence that people write has more
FAR = 6  # distances in words are told apart up to here
ROOT = "<root>"
NONE = "<none>"


def checksum(feature: str) -> int:
    """Return the name under which the model knows a feature."""
    return crc32(feature.encode("utf-8", "surrogatepass"))


def predicate_candidates(tree: Tree) -> Iterator[Token]:
    """Yield the words that could be a predicate: content words and auxiliaries."""
    return (token for token in tree if token.upos in PREDICATE_TAGS)


def argument_candidates(tree: Tree, predicate: Token) -> list[Token]:
    """Return the words that could head an argument, in order of the sentence.

    These are the dependents of the predicate, its nearest ancestors and their dependents (Xue and
    Palmer's pruning, cut off after two steps up): everything else is noise or a parser's slip.
    """
    found: dict[int, Token] = {t.id: t for t in tree.children(predicate)}
    ancestors = tree.ancestors(predicate)
    for _, ancestor in zip(range(CLIMB), ancestors, strict=False):
        found[ancestor.id] = ancestor
        found.update((t.id, t) for t in tree.children(ancestor))
    found.pop(predicate.id, None)
    words = [t for t in found.values() if t.upos != "PUNCT"]
    if len(words) > MOST:
        words = sorted(words, key=lambda t: abs(t.id - predicate.id))[:MOST]
    return sorted(words, key=lambda t: t.id)


def predicate_features(tree: Tree, token: Token) -> list[str]:
    """Return the features that tell whether a word is a predicate."""
    head = tree.head(token)
    above, tag_above = (head.lemma.lower(), head.upos) if head else (ROOT, ROOT)
    lemma, form, relation = token.lemma.lower(), token.form.lower(), token.deprel
    relations = [t.deprel for t in tree.children(token)]
    prepositions = [_preposition(tree, t) for t in tree.children(token, "nmod", "obl", "acl")]
    return [
        "bias",
        f"l={lemma}",
        f"f={form}",
        f"u={token.upos}",
        f"x={token.xpos}",
        f"r={relation}",
        f"ul={token.upos} {lemma}",
        f"xr={token.xpos} {relation}",
        f"lr={lemma} {relation}",
        f"lx={lemma} {token.xpos}",
        f"hl={above}",
        f"hu={tag_above} {relation}",
        f"lh={lemma} {above}",
        f"lhu={lemma} {tag_above} {relation}",
        f"s3={token.upos} {form[-3:]}",
        f"s4={token.upos} {form[-4:]}",
        f"s5={token.upos} {lemma[-5:]}",
        f"n={min(len(relations), 5)} {token.upos}",
        *(f"c={token.upos} {r}" for r in relations),
        *(f"lc={lemma} {r}" for r in relations),
        *(f"cl={lemma} {t.lemma.lower()}" for t in tree.children(token)),
        *(f"p={token.upos} {p}" for p in prepositions),
        *(f"lp={lemma} {p}" for p in prepositions),
        *_neighbours(tree, token, "w"),
    ]


class PredicateView:
    """What is the same for all arguments of a predicate, worked out once."""

    def __init__(self, tree: Tree, predicate: Token) -> None:
        self.tree = tree
        self.predicate = predicate
        self.lemma = predicate.lemma.lower()
        children = tree.children(predicate)
        # A copula or auxiliary hangs under the word that carries its dependents.
        head = tree.head(predicate)
        self.below = predicate.relation in ("cop", "aux") and head is not None
        carrier = head if self.below and head is not None else predicate
        dependents = tree.children(carrier) if self.below else children
        self.voice = _voice(tree, carrier)
        self.frame = " ".join(
            t.deprel for t in dependents if t.upos != "PUNCT" and t.relation not in ("aux", "mark")
        )
        self.core = " ".join(
            t.relation
            for t in dependents
            if t.relation in ("nsubj", "obj", "iobj", "ccomp", "xcomp")
        )
        self.particle = " ".join(t.lemma.lower() for t in tree.children(predicate, "compound:prt"))
        self.kind = f"{predicate.upos} {predicate.relation} {self.voice}"
        self.chain = [
            predicate,
            *(t for _, t in zip(range(CLIMB + 1), tree.ancestors(predicate), strict=False)),
        ]


def argument_features(view: PredicateView, token: Token) -> list[str]:
    """Return the features that tell whether, and how, a word takes part in a predicate."""
    tree, predicate, verb, voice = view.tree, view.predicate, view.lemma, view.voice
    lemma, relation, tag = token.lemma.lower(), token.deprel, token.upos
    path, tags = _path(tree, view.chain, token)
    side = "<" if token.id < predicate.id else ">"
    gap = min(abs(token.id - predicate.id), FAR)
    marker = _preposition(tree, token)
    head = tree.head(token)
    above = head.lemma.lower() if head else ROOT
    children = tree.children(token)
    left = [t for t in tree.children(head) if t.id < token.id] if head else []
    right = [t for t in tree.children(head) if t.id > token.id] if head else []
    before = left[-1].deprel if left else NONE
    after = right[0].deprel if right else NONE
    first = children[0].lemma.lower() if children else NONE
    last = children[-1] if children else token
    where = f"{path} {side}"
    return [
        "bias",
        f"l={lemma}",
        f"u={tag}",
        f"x={token.xpos}",
        f"r={relation} {side}",
        f"m={marker}",
        f"mr={marker} {relation} {side}",
        f"ml={marker} {lemma}",
        f"w={where}",
        f"wt={tags}",
        f"wv={where} {voice}",
        f"wk={where} {view.kind}",
        f"wm={where} {marker}",
        f"wl={where} {lemma}",
        f"wx={where} {token.xpos} {predicate.xpos}",
        f"wmk={where} {marker} {predicate.upos}",
        f"v={verb}",
        f"vr={verb} {relation} {side}",
        f"vw={verb} {where}",
        f"vwv={verb} {where} {voice}",
        f"vwm={verb} {where} {marker}",
        f"vwc={verb} {where} {view.core} {voice}",
        f"vm={verb} {marker}",
        f"vl={verb} {lemma}",
        f"vp={verb} {view.particle} {where}",
        f"vu={verb} {tag} {relation}",
        f"k={view.kind}",
        f"fr={where} {view.frame}",
        f"co={where} {view.core} {voice}",
        f"cov={verb} {view.core} {relation} {side}",
        f"g={gap} {side} {relation}",
        f"h={above} {relation}",
        f"hm={above} {marker} {relation}",
        f"b={before} {relation} {after}",
        f"c1={first} {relation}",
        f"cn={last.deprel} {last.upos} {relation}",
        f"lt={lemma[-3:]} {relation} {tag}",
        f"px={predicate.xpos} {where}",
        f"pr={predicate.deprel} {where}",
        f"ws={where} {view.predicate.upos} {first}",
        f"tm={token.form.istitle()} {relation} {marker}",
        *(f"cs={t.deprel} {where}" for t in children if t.relation not in ("punct", "det")),
        *_neighbours(tree, token, f"n {relation}"),
    ]


def _neighbours(tree: Tree, token: Token, name: str) -> tuple[str, str]:
    before = tree[token.id - 1].lemma.lower() if token.id > 1 else ROOT
    after = tree[token.id + 1].lemma.lower() if token.id < len(tree) else ROOT
    return f"{name}-1={before}", f"{name}+1={after}"


def _preposition(tree: Tree, token: Token) -> str:
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
            relations = "".join(f"^{t.deprel}" for t in up) + "".join(
                f"v{t.deprel}" for t in reversed(down)
            )
            tags = (
                "".join(f"{t.upos}^" for t in up)
                + step.upos
                + "".join(f"v{t.upos}" for t in reversed(down))
            )
            return relations, tags
        down.append(step)
    return NONE, NONE
