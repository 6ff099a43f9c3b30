"""The training material: natural trees, trees with other words, clauses told again."""

from __future__ import annotations

from pathlib import Path

from scripts.nlp.clauses import clauses
from scripts.nlp.corpora import CORPORA, Tree, read_corpus
from scripts.nlp.phrases import harvest
from scripts.nlp.substitution import substituted
from scripts.nlp.transformations import transformed

# ATIS is thousands of near-identical requests for flights, without Penn tags: a third is enough.
EVERY = {"ewt": 1, "childes": 1, "gum": 1, "atis": 3}
LONGEST = 50


def natural(corpora: Path) -> list[Tree]:
    """The gold training trees."""
    trees = [
        tree for name in CORPORA for tree in read_corpus(corpora, name, "train")[:: EVERY[name]]
    ]
    return [tree for tree in trees if len(tree.tokens) <= LONGEST]


def derived(trees: list[Tree], told: int, other: int, seed: int) -> list[Tree]:
    """``told`` transformed and ``other`` substituted trees, from the corpora with Penn tags."""
    tagged = [tree for tree in trees if not tree.source.startswith("atis")]
    lexicon = harvest(tagged, seed)
    again = transformed(list(clauses(tagged)), lexicon, told, seed)
    return again + list(substituted(tagged, lexicon, other, seed))
