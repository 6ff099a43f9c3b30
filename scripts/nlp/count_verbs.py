"""Count in treebanks which verbs have particles ("put down"), receivers ("lend") and objects.

The counts become ``verbs.txt``, which ships beside the role model (see ``scripts/train_srl.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from babi_cascade.pipeline.frames.words import lemma_of, word_set
from babi_cascade.pipeline.trees import Tree

PARTICLES = word_set("up down off out over away back along around through")


def count_transitive_verbs(trees: Iterable[Tree]) -> list[str]:
    """Return the verbs seen ten times or more, mostly with an object."""
    verbs: Counter[str] = Counter()
    objects: Counter[str] = Counter()
    for tree in trees:
        for token in tree:
            if token.upos == "VERB" and token.relation not in ("amod", "case"):
                verbs[lemma_of(token)] += 1
                objects[lemma_of(token)] += tree.child(token, "obj", "nsubj:pass") is not None
    return sorted(v for v, n in verbs.items() if n > 9 and 2 * objects[v] > n and v.isalpha())


def count_dative_verbs(trees: Iterable[Tree]) -> list[str]:
    """Return the verbs that have an indirect object at least twice."""
    found: Counter[str] = Counter()
    for tree in trees:
        found.update(lemma_of(t) for t in tree if t.upos == "VERB" and tree.child(t, "iobj"))
    return sorted(verb for verb, n in found.items() if n > 1 and verb.isalpha())


def count_phrasal_verbs(trees: Iterable[Tree]) -> list[tuple[str, str]]:
    """Return the pairs that are a particle more often than a preposition and can have an object.

    That is, the pair has one somewhere, or the verb often has one and the word is never its preposition.
    """
    verbs: Counter[str] = Counter()
    objects: Counter[str] = Counter()
    particles: Counter[tuple[str, str]] = Counter()
    prepositions: Counter[tuple[str, str]] = Counter()
    transitive: set[tuple[str, str]] = set()
    for tree in trees:
        for token in tree:
            if token.upos == "VERB":
                verbs[lemma_of(token)] += 1
                objects[lemma_of(token)] += tree.child(token, "obj", "nsubj:pass") is not None
            head = tree.head(token)
            word = token.form.lower()
            if head is None or word not in PARTICLES:
                continue
            above = tree.head(head)
            if token.deprel == "compound:prt" and head.upos == "VERB":
                pair = lemma_of(head), word
                particles[pair] += 1
                if tree.child(head, "obj", "nsubj:pass"):
                    transitive.add(pair)
            elif (
                token.relation == "case"
                and head.relation == "obl"
                and above
                and above.upos == "VERB"
            ):
                prepositions[lemma_of(above), word] += above.id == token.id - 1
    return sorted(
        (verb, word)
        for (verb, word), n in particles.items()
        if n > 1
        and n > prepositions[verb, word]
        and (
            (verb, word) in transitive
            or (3 * objects[verb] > verbs[verb] and not prepositions[verb, word])
        )
    )
