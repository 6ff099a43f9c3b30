"""Trees of other parsers in Universal Dependencies 2: tags that were left out, names of version 1.

A file may come from any parser. CoreNLP writes no universal tags, others no lemmas or the relations of
UD 1. What can be completed without guessing is; what cannot is said in one line.
"""

from __future__ import annotations

from dataclasses import replace

from babi_cascade.pipeline.trees.conllu import ConlluError
from babi_cascade.pipeline.trees.model import Token, Tree

MISSING = ("_", "")

_TAGS = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "CD": "NUM",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "AFX": "ADJ",
    "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "ADV",
    "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB",
    "MD": "AUX", "DT": "DET", "PDT": "DET", "WDT": "DET",
    "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "EX": "PRON",
    "IN": "ADP", "RP": "ADP", "TO": "ADP", "CC": "CCONJ", "POS": "PART", "UH": "INTJ",
    "FW": "X", "LS": "X", "ADD": "X", "GW": "X", "XX": "X", "SYM": "SYM", "$": "SYM", "#": "SYM",
    "NFP": "PUNCT",
    ".": "PUNCT", ",": "PUNCT", ":": "PUNCT", "``": "PUNCT", "''": "PUNCT", '"': "PUNCT", "HYPH": "PUNCT",
    "-LRB-": "PUNCT", "-RRB-": "PUNCT", "(": "PUNCT", ")": "PUNCT", "-LCB-": "PUNCT", "-RCB-": "PUNCT",
}  # fmt: skip
"""Tags of the Penn Treebank, where neither word nor relation decides."""

_RELATIONS = {
    "dobj": "obj", "nsubjpass": "nsubj:pass", "csubjpass": "csubj:pass", "auxpass": "aux:pass",
    "neg": "advmod", "mwe": "fixed", "name": "flat", "foreign": "flat:foreign", "remnant": "orphan",
}  # fmt: skip
"""Relations of UD 1 that have another name in UD 2."""


def completed(tree: Tree, where: str) -> Tree:
    """Return a tree with universal tags and the relations of UD 2; ``where`` is for messages."""
    if all(t.upos not in MISSING and t.relation not in _RELATIONS for t in tree):
        named = tree.tokens
    else:
        named = tuple(_named(token, where) for token in tree)
    if len(named) > 1 and all(token.head == 0 for token in named):
        raise ConlluError(f"{where}: found no heads in {tree.text[:60]!r}; expected a tree")
    tokens = tuple(_of_clause(token, Tree(named, tree.text)) for token in named)
    return tree if tokens == tree.tokens else Tree(tokens, tree.text)


def _named(token: Token, where: str) -> Token:
    if token.deprel in MISSING and token.head:
        raise ConlluError(f"{where}: found no relation of the word {token.form!r} (column 8)")
    relation, colon, subtype = token.deprel.partition(":")
    deprel = _RELATIONS.get(relation, relation) + colon + subtype
    token = replace(token, deprel=deprel)
    return replace(token, upos=_tag(token, where)) if token.upos in MISSING else token


def _tag(token: Token, where: str) -> str:
    """Return the universal tag of a word by its tag of the Penn Treebank and its relation."""
    form, relation = token.form.lower(), token.relation
    tag = _TAGS.get(token.xpos)
    if tag is None:
        raise ConlluError(
            f"{where}: found neither a universal tag of the word {token.form!r} (column 4) nor one of the "
            f"Penn Treebank (column 5: {token.xpos!r}); expected one of them"
        )
    if form in ("not", "n't", "n’t"):
        return "PART"
    if tag == "VERB" and relation in ("aux", "cop"):
        return "AUX"
    if tag == "DET" and relation not in ("det", "cc", "predet"):
        return "PRON"
    if tag == "ADP" and relation == "mark":
        return "PART" if form == "to" else "SCONJ"
    return tag


def _of_clause(token: Token, tree: Tree) -> Token:
    """Return a word whose phrase modifies a clause as an oblique, which UD 1 does not tell from "nmod"."""
    head = tree.head(token)
    if token.relation != "nmod" or token.deprel == "nmod:poss" or head is None:
        return token
    if head.upos not in ("VERB", "AUX"):
        return token
    return replace(token, deprel="obl" + token.deprel.removeprefix("nmod"))
