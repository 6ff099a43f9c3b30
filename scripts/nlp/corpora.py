"""Treebanks: read gzipped CoNLL-U, flatten multi-word tokens, bring four schemes to one."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

CORPORA = {
    "ewt": "ud_english_ewt",
    "childes": "ud_english_childes",
    "atis": "ud_english_atis",
    "gum": "gum_coref",
}

# Subtypes that later stages can use; the others are cut back to the universal relation, since a
# biaffine layer pays for every relation and the four corpora disagree on most subtypes.
KEPT_SUBTYPES = {
    "nsubj:pass", "aux:pass", "obl:agent", "obl:unmarked", "nmod:unmarked", "nmod:poss",
    "acl:relcl", "compound:prt", "det:predet", "cc:preconj",
}  # fmt: skip
RENAMED_SUBTYPES = {
    "obl:tmod": "obl:unmarked",
    "obl:npmod": "obl:unmarked",
    "nmod:tmod": "nmod:unmarked",
    "nmod:npmod": "nmod:unmarked",
}


@dataclass(frozen=True, slots=True)
class Token:
    """One syntactic word; ``head`` is a 1-based position, 0 for the root."""

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    deprel: str
    space_after: bool = True


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence with its gold tree; ``source`` names where it (or its material) came from."""

    source: str
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """The running text, spaces as in the source."""
        pieces = [token.form + (" " if token.space_after else "") for token in self.tokens]
        return "".join(pieces).rstrip()


def read_corpus(directory: Path, name: str, split: str) -> list[Tree]:
    """Read one split (``train`` or ``dev``) of the corpus called ``name`` in CORPORA."""
    path = directory / CORPORA[name] / f"{split}.conllu.gz"
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; CORPORA_DIR must hold {', '.join(CORPORA.values())}, "
            "each with train.conllu.gz and dev.conllu.gz"
        )
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return list(read_trees(lines, name))


def read_trees(lines: Iterable[str], name: str) -> Iterator[Tree]:
    """Trees of a CoNLL-U stream."""
    sent_id, block = "", list[list[str]]()
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith("# sent_id"):
            sent_id = line.partition("=")[2].strip()
        elif line and not line.startswith("#"):
            block.append(line.split("\t"))
        elif not line and block:
            yield Tree(f"{name}:{sent_id}", _tokens(block))
            block = []
    if block:
        yield Tree(f"{name}:{sent_id}", _tokens(block))


def to_conllu(trees: Iterable[Tree]) -> str:
    """CoNLL-U text of ``trees``; no morphological features (the parser would not see them)."""
    out: list[str] = []
    for tree in trees:
        out.append(f"# sent_id = {tree.source}")
        out.append(f"# text = {tree.text}")
        for number, token in enumerate(tree.tokens, 1):
            misc = "_" if token.space_after else "SpaceAfter=No"
            columns = (str(number), token.form, token.lemma, token.upos, token.xpos, "_")
            out.append("\t".join((*columns, str(token.head), token.deprel, "_", misc)))
        out.append("")
    return "\n".join(out) + "\n"


def map_tokens(tree: Tree, change: Callable[[int, Token], Token]) -> Tree:
    """A copy of ``tree`` with every token changed by ``change(index, token)``."""
    return replace(tree, tokens=tuple(change(i, token) for i, token in enumerate(tree.tokens)))


def _tokens(block: list[list[str]]) -> tuple[Token, ...]:
    """Tokens of one sentence. English multi-word tokens are concatenations of their words, so the
    words are kept and written without a space between them."""
    words = [row for row in block if row[0].isdigit()]
    glued: set[str] = set()
    for row in block:
        if "-" in row[0]:
            first, last = map(int, row[0].split("-"))
            glued.update(str(number) for number in range(first, last))
            if "SpaceAfter=No" in row[9]:
                glued.add(str(last))
        elif row[0].isdigit() and "SpaceAfter=No" in row[9]:
            glued.add(row[0])
    return tuple(_token(row, row[0] not in glued) for row in words)


def _token(row: list[str], space_after: bool) -> Token:
    form, lemma, upos, xpos, feats = row[1:6]
    if xpos in {"?", "!"}:
        xpos = "."
    if xpos in {"_", "VV", "TP"}:
        xpos = _xpos(form.lower(), upos, feats)
    deprel = RENAMED_SUBTYPES.get(row[7], row[7])
    if deprel not in KEPT_SUBTYPES:
        deprel = deprel.split(":")[0]
    if lemma == "_" and form != "_":
        lemma = form
    return Token(form, lemma, upos, xpos, int(row[6]), deprel, space_after)


_PLAIN_XPOS = {
    "ADP": "IN", "SCONJ": "IN", "CCONJ": "CC", "NUM": "CD", "INTJ": "UH", "PUNCT": ".",
    "SYM": "SYM", "X": "FW",
}  # fmt: skip


def _xpos(form: str, upos: str, feats: str) -> str:
    """A Penn tag from the universal tag and features, for a corpus without Penn tags (ATIS)."""
    plural, wh = "Number=Plur" in feats, form.startswith("wh") or form == "how"
    if upos in _PLAIN_XPOS:
        return _PLAIN_XPOS[upos]
    if upos == "NOUN":
        return "NNS" if plural else "NN"
    if upos == "PROPN":
        return "NNPS" if plural else "NNP"
    if upos == "PART":
        return "TO" if form == "to" else "POS" if form in {"'s", "'"} else "RB"
    if upos == "PRON":
        return _pronoun_xpos(form, feats, wh)
    if upos == "DET":
        return "WDT" if wh else "PRP$" if "Poss=Yes" in feats else "DT"
    if upos in {"ADJ", "ADV"}:
        base = "JJ" if upos == "ADJ" else "RB"
        degree = "R" if "Degree=Cmp" in feats else "S" if "Degree=Sup" in feats else ""
        return "WRB" if wh and upos == "ADV" else base + degree
    return _verb_xpos(form, feats)


def _pronoun_xpos(form: str, feats: str, wh: bool) -> str:
    if wh:
        return "WDT" if form == "which" else "WP"
    if form == "there":
        return "EX"
    if "Poss=Yes" in feats:
        return "PRP$"
    return "PRP" if "PronType=Prs" in feats else "WDT" if "PronType=Rel" in feats else "DT"


def _verb_xpos(form: str, feats: str) -> str:
    if form in {"can", "could", "will", "would", "shall", "should", "may", "might", "must", "'d"}:
        return "MD"
    if "VerbForm=Ger" in feats:
        return "VBG"
    if "VerbForm=Part" in feats:
        return "VBN" if "Tense=Past" in feats else "VBG"
    if "VerbForm=Fin" in feats and "Mood=Imp" not in feats:
        third = "Number=Sing" in feats and "Person=3" in feats
        return "VBD" if "Tense=Past" in feats else "VBZ" if third else "VBP"
    return "VB"
