"""Trees for tests, written by hand: ``form/UPOS/head/relation[/lemma[/feats]]``, words parted by spaces."""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.coref.model import Clusters
from babi_cascade.pipeline.trees import Token, Tree


def tree(notation: str) -> Tree:
    tokens, text = [], ""
    for number, entry in enumerate(notation.split(), start=1):
        form, upos, head, relation, *more = entry.split("/")
        if text and upos != "PUNCT" and form not in ("'s", "'"):
            text += " "
        lemma = more[0] if more else (form if upos == "PROPN" else form.lower())
        feats = more[1] if len(more) > 1 else "_"
        start = len(text)
        text += form
        tokens.append(
            Token(number, form, lemma, upos, "_", int(head), relation, feats, start, len(text))
        )
    return Tree(tuple(tokens), text)


def story(*notations: str) -> list[Tree]:
    return [tree(notation) for notation in notations]


def texts(trees: Sequence[Tree], clusters: Clusters) -> list[list[str]]:
    """The entities that are mentioned twice or more, in words."""
    return [[m.text(trees) for m in entity] for entity in clusters.without_singletons()]


def goes(name: str, place: str = "mill") -> str:
    """``Name went to the place.``"""
    upos = "PRON" if name.lower() in ("he", "she", "it", "they") else "PROPN"
    return (
        f"{name}/{upos}/2/nsubj went/VERB/0/root/go to/ADP/5/case the/DET/5/det "
        f"{place}/NOUN/2/obl ./PUNCT/2/punct"
    )


def go_together(one: str, other: str, place: str = "mill") -> str:
    """``One and Other went to the place.``"""
    return (
        f"{one}/PROPN/4/nsubj and/CCONJ/3/cc {other}/PROPN/1/conj went/VERB/0/root/go "
        f"to/ADP/7/case the/DET/7/det {place}/NOUN/4/obl ./PUNCT/4/punct"
    )
