"""Mention detection: every noun phrase of a tree that could refer to something.

High recall is the aim, as in the sieve paper: what the passes never link stays a mention of its own and
harms nobody. Left out is what cannot refer: pleonastic "it", existential "there", question words,
quantifiers and "nobody".
"""

from __future__ import annotations

from collections.abc import Sequence

from babi_cascade.pipeline.coref.attributes import PRONOUNS, attributes
from babi_cascade.pipeline.coref.lexicon import Lexicon, word_set
from babi_cascade.pipeline.coref.model import Kind, Mention, text_order
from babi_cascade.pipeline.coref.spans import Extents, conjunction, noun_phrase
from babi_cascade.pipeline.trees import Token, Tree

NOT_REFERRING = word_set(
    "nobody nothing none nowhere anything something everything everybody somebody anybody "
    "there what who whom whose which where when why how each other "
    "many few several some any all both half more most much enough lot bit kind sort"
)
RELATIVE = word_set("who whom whose which that")
WEATHER = word_set("rain snow hail thunder drizzle")
SEEMING = word_set("seem appear turn happen matter mean take follow")
_CLAUSES = ("csubj", "ccomp", "advcl", "xcomp", "acl")
# A noun in these places belongs to the word above it and is no phrase of its own.
_PART_OF_WORD = word_set("flat fixed goeswith cc case punct det discourse")


def mentions_of(
    tree: Tree, sentence: int, lexicon: Lexicon, extents: Extents, *, relatives: bool = False
) -> list[Mention]:
    """Return the mentions of a sentence in the order of the text, one a span.

    Relative pronouns are mentions only on request: corpora do not mark them, and putting "the man"
    in the place of "who" makes no sentence.
    """
    found: dict[tuple[int, int], Mention] = {}
    for token in tree:
        kind = _kind(tree, token, relatives=relatives)
        if kind is None:
            continue
        spans: list[tuple[tuple[int, int], Kind]] = []
        if kind == "pronoun":
            spans.append(((token.id, token.id), kind))
        else:
            spans.append((noun_phrase(tree, token, extents), kind))
        group = conjunction(tree, token, extents)
        if group is not None and group != spans[0][0]:
            spans.append((group, "list"))
        for (start, end), span_kind in spans:
            known = attributes(tree, token, span_kind, lexicon)
            found.setdefault(
                (start, end), Mention(sentence, start, end, token.id, span_kind, *known)
            )
    return sorted(found.values(), key=text_order)


def looks_like_a_name(tree: Tree, token: Token) -> bool:
    """Say whether a word that is no proper noun to the tagger may still be somebody's name.

    It is written as one and is the bare subject or object of a verb ("Zorvena slept").
    """
    return (
        token.form[:1].isupper()
        and token.form[1:].islower()
        and token.relation in ("nsubj", "obj", "iobj", "conj")
        and not tree.children(token, "det", "amod", "nummod", "nmod", "compound", "case")
    )


def pleonastic(tree: Tree, token: Token) -> bool:
    """Say whether an "it" means nothing: "it is clear that …", "it rained", "it seems that …"."""
    if token.form.lower() != "it":
        return False
    if token.relation == "expl":
        return True
    governor = tree.head(token)
    if governor is None or token.relation != "nsubj":
        return False
    if governor.lemma in WEATHER:
        return True
    clause = any(
        child.id > governor.id and child.relation in _CLAUSES and _marked(tree, child)
        for child in tree.children(governor)
    )
    if governor.lemma in SEEMING:
        return clause
    return clause and governor.upos == "ADJ" and tree.child(governor, "cop") is not None


def _marked(tree: Tree, clause: Token) -> bool:
    return any(
        m.lemma.lower() in ("that", "to", "if", "whether") for m in tree.children(clause, "mark")
    )


def _kind(tree: Tree, token: Token, *, relatives: bool) -> Kind | None:
    """Say what kind of mention a word heads, None if it heads none."""
    form = token.form.lower()
    if token.upos in ("PRON", "DET"):
        return _pronoun(tree, token, form, relatives=relatives)
    if token.relation in _PART_OF_WORD:
        return None
    if token.upos == "PROPN":
        return _name(tree, token)
    if token.upos == "NOUN":
        if form in NOT_REFERRING and not tree.child(token, "nmod"):
            return None
        return "nominal"
    if token.upos in ("X", "ADJ", "INTJ") and looks_like_a_name(tree, token):
        return "name"  # what a tagger makes of names that it has never seen
    if token.upos == "NUM" and token.relation in ("nsubj", "obj", "obl", "nmod", "root", "appos"):
        return "nominal" if form.isdecimal() and len(form) == 4 else None  # a year
    return None


def _pronoun(tree: Tree, token: Token, form: str, *, relatives: bool) -> Kind | None:
    if form in RELATIVE and (token.has("PronType=Rel") or _in_relative_clause(tree, token)):
        return "pronoun" if relatives else None
    if form not in PRONOUNS or form in ("who", "whom", "whose", "which"):
        return None
    # "this" alone is a pronoun even where the tagger calls it a determiner.
    alone = token.relation in ("nsubj", "obj", "obl", "root", "conj")
    if (token.upos == "DET" or token.relation == "det") and not alone:
        return None
    if token.relation in ("reparandum", "discourse", "fixed") or token.has("PronType=Int"):
        return None
    return None if pleonastic(tree, token) else "pronoun"


def _in_relative_clause(tree: Tree, token: Token) -> bool:
    verb = tree.head(token)
    return verb is not None and verb.deprel == "acl:relcl" and token.id <= verb.id


def _name(tree: Tree, token: Token) -> Kind | None:
    head = tree.head(token)
    if token.deprel in ("compound", "nmod:desc") and head is not None and head.upos == "PROPN":
        return None  # "New" of "New York", "Dr." of "Dr. Okri"
    return "name"


def detect(
    story: Sequence[Tree], lexicon: Lexicon, *, relatives: bool = False
) -> tuple[list[list[Mention]], list[Extents]]:
    """Return the mentions of every sentence, and the extents that were computed for them."""
    extents = [Extents.of(tree) for tree in story]
    return [
        mentions_of(tree, index, lexicon, extents[index], relatives=relatives)
        for index, tree in enumerate(story)
    ], extents
