"""Repairs of passives: be + past participle, whatever a parser calls the auxiliary and the subject."""

from __future__ import annotations

from babi_cascade.pipeline.frames.phrases import case_of
from babi_cascade.pipeline.frames.repairs.changes import Changes
from babi_cascade.pipeline.frames.verbs import dative_verbs, transitive_verbs
from babi_cascade.pipeline.frames.words import lemma_of
from babi_cascade.pipeline.trees import Token, Tree


def passive_verb(tree: Tree) -> Changes:
    """ "Kim/nsubj was/aux handed/VBN the letter by Lee": the subject is not who hands.

    Only verbs that have objects or receivers, or an agent with "by" beside them: "Kim was gone" is none.
    """
    changes: Changes = {}
    for verb in tree:
        if verb.upos != "VERB" or verb.xpos != "VBN":
            continue
        auxiliaries = tree.children(verb, "aux")
        be = next((t for t in reversed(auxiliaries) if lemma_of(t) == "be"), None)
        subject = tree.child(verb, "nsubj", "csubj")
        if be is None or subject is None or not _has_passive(tree, verb):
            continue
        if be.deprel != "aux:pass":
            changes[be.id] = (verb.id, "aux:pass")
        if not subject.deprel.endswith(":pass"):
            changes[subject.id] = (verb.id, f"{subject.relation}:pass")
    return changes


def _has_passive(tree: Tree, verb: Token) -> bool:
    agent = any(case_of(tree, t) == "by" for t in tree.children(verb, "obl"))
    return agent or lemma_of(verb) in dative_verbs() | transitive_verbs()
