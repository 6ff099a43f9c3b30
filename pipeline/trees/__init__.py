"""Dependency trees: what every stage after the parser reads, and their CoNLL-U form."""

from babi_cascade.pipeline.trees.conllu import (
    ConlluError,
    ConlluSentence,
    conllu_sentence,
    read_conllu,
    write_conllu,
)
from babi_cascade.pipeline.trees.model import Roles, Token, Tree

__all__ = [
    "ConlluError",
    "ConlluSentence",
    "Roles",
    "Token",
    "Tree",
    "conllu_sentence",
    "read_conllu",
    "write_conllu",
]
