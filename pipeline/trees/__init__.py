"""Dependency trees: what every stage after the parser reads, and their CoNLL-U form."""

from pipeline.trees.conllu import (
    ConlluError,
    ConlluSentence,
    conllu_sentence,
    read_conllu,
    write_conllu,
)
from pipeline.trees.model import Token, Tree

__all__ = [
    "ConlluError",
    "ConlluSentence",
    "Token",
    "Tree",
    "conllu_sentence",
    "read_conllu",
    "write_conllu",
]
