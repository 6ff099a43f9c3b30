"""Changing the heads of a tree safely, and what several repairs ask of a tree."""

from __future__ import annotations

from dataclasses import replace

from babi_cascade.pipeline.trees import Token, Tree

Changes = dict[int, tuple[int, str]]
"""id of a word → its new head and relation; made in order"""
NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
VERBAL = frozenset({"VERB", "AUX"})


def changed(tree: Tree, changes: Changes) -> Tree:
    """Return a tree with other heads; a change that would close a circle is left out."""
    for token_id, (head, relation) in changes.items():
        if head == token_id:
            continue
        tokens = list(tree.tokens)
        tokens[token_id - 1] = replace(tree[token_id], head=head, deprel=relation)
        candidate = Tree(tuple(tokens), tree.text)
        if head == 0 or token_id not in {t.id for t in candidate.ancestors(candidate[head])}:
            tree = candidate
    return tree


def main_verb(tree: Tree) -> Token | None:
    """Return the root, or the first verb that has a subject if the root is none."""
    root = tree.root
    if root is not None and (root.upos == "VERB" or tree.child(root, "cop")):
        return root
    return next((t for t in tree if t.upos == "VERB" and tree.child(t, "nsubj")), root)
