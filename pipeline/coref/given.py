"""Mentions from spans that another system marked: the head and the attributes are ours."""

from __future__ import annotations

from babi_cascade.pipeline.coref.attributes import attributes
from babi_cascade.pipeline.coref.lexicon import Lexicon, shipped
from babi_cascade.pipeline.coref.model import Kind, Mention
from babi_cascade.pipeline.trees import Token, Tree


def given_mention(
    tree: Tree, sentence: int, start: int, end: int, lexicon: Lexicon | None = None
) -> Mention:
    """Make the mention of a span; its head is the word whose own head lies outside."""
    words = tree.tokens[start - 1 : end]
    head = next((t for t in words if not start <= t.head <= end), words[0])
    kind = _kind(tree, head, start, end)
    return Mention(
        sentence,
        start,
        end,
        head.id,
        kind,
        *attributes(tree, head, kind, shipped() if lexicon is None else lexicon),
    )


def _kind(tree: Tree, head: Token, start: int, end: int) -> Kind:
    if any(start <= member.id <= end for member in tree.children(head, "conj")):
        return "list"
    if head.upos in ("PRON", "DET"):
        return "pronoun"
    return "name" if head.upos == "PROPN" else "nominal"
