"""Repairs of noun phrases and of what a verb has: subjects, objects, obliques, particles, receivers."""

from __future__ import annotations

from dataclasses import replace

from babi_cascade.pipeline.frames.phrases import case_of, is_time
from babi_cascade.pipeline.frames.repairs.changes import NOMINAL, Changes
from babi_cascade.pipeline.frames.verbs import dative_verbs, phrasal_verbs, transitive_verbs
from babi_cascade.pipeline.frames.words import (
    ONLY_PARTICLES,
    PLACE_PREPOSITIONS,
    TIME_PREPOSITIONS,
    WH_WORDS,
    lemma_of,
)
from babi_cascade.pipeline.trees import Token, Tree

NEAR = 8  # words; an object that follows its verb directly begins within this distance


def named(tree: Tree) -> Tree:
    """Tag capitalised words inside a sentence as names, whatever a tagger made of their ending.

    Not in titles, where most words have a capital, and not where a name can be an adjective ("English").
    """
    words = [t for t in tree.tokens[1:] if t.form.isalpha()]
    capital = {t.id for t in words if t.form.istitle() and len(t.form) > 1}
    wrong = {
        t.id
        for t in words
        if t.id in capital
        and t.upos in ("VERB", "ADV")
        and not t.lemma.istitle()
        and t.id + 1 not in capital
        and tree[t.id - 1].upos not in ("PUNCT", "PROPN", "NUM", "SYM")
    }
    if not wrong or 2 * len(capital) > len(words) + 1:
        return tree
    return Tree(
        tuple(
            replace(t, upos="PROPN", xpos="NNP", lemma=t.form) if t.id in wrong else t for t in tree
        ),
        tree.text,
    )


def adjective_in_phrase(tree: Tree) -> Changes:
    """Determiner + adjective + noun is one noun phrase ("the scarlet/nsubj lamp")."""
    return {
        t.id: (t.head, "amod")
        for t in tree
        if t.upos == "ADJ"
        and t.deprel in ("nsubj", "dep", "appos", "nmod", "acl")
        and t.head == t.id + 1
        and tree[t.head].upos in ("NOUN", "ADJ")
        and t.id > 1
        and tree[t.id - 1].upos == "DET"
        and tree[t.id - 1].head == t.head
    }


def active_subject(tree: Tree) -> Changes:
    """A passive subject without a passive auxiliary is a subject ("Kim nsubj:pass baked the bread")."""
    return {
        t.id: (t.head, t.deprel.replace(":pass", ""))
        for t in tree
        if t.deprel in ("nsubj:pass", "csubj:pass")
        and t.head
        and tree.child(tree[t.head], "aux:pass") is None
        and not any(lemma_of(a) in ("be", "get") for a in tree.children(tree[t.head], "aux", "cop"))
    }


def marked_object(tree: Tree) -> Changes:
    """An object with a preposition is an oblique ("sailed to/case the island/obj")."""
    return {
        t.id: (t.head, "obl")
        for t in tree
        if t.relation in ("obj", "iobj") and case_of(tree, t) and t.form.lower() not in WH_WORDS
    }


def adverb_as_preposition(tree: Tree) -> Changes:
    """Adverb + determiner + noun is a prepositional phrase ("hid underneath/advmod the bridge/obj").

    Only for words that English uses both ways, and only if nothing else introduces the noun.
    """
    changes: Changes = {}
    for noun in tree:
        first = _first_word(tree, noun)
        if noun.upos not in NOMINAL or noun.head == 0 or first.id < 2 or case_of(tree, noun):
            continue
        adverb = tree[first.id - 1]
        if (
            adverb.upos in ("ADV", "ADP")
            and adverb.form.lower() in PLACE_PREPOSITIONS
            and adverb.relation in ("advmod", "compound", "obl")
            and adverb.id != noun.head
            and adverb.deprel != "compound:prt"
            and noun.head == adverb.head
            and noun.relation in ("obj", "obl", "iobj", "xcomp", "ccomp", "advmod")
            and not tree.children(adverb)
            and first.upos in ("DET", "PROPN", "PRON")
        ):
            changes[adverb.id] = (noun.id, "case")
            changes[noun.id] = (noun.head, "obl")
    return changes


def bare_oblique(tree: Tree) -> Changes:
    """ "switched off the radio/obl": a noun after its verb without preposition is its object."""
    changes: Changes = {}
    for noun in tree:
        if noun.deprel != "obl" or not noun.head or noun.upos not in NOMINAL or case_of(tree, noun):
            continue
        verb = tree[noun.head]
        if not 0 < noun.id - verb.id < NEAR:
            continue
        last = max((t.id for t in tree.children(verb, "compound:prt")), default=verb.id)
        near = _first_word(tree, noun).id == last + 1 and verb.upos == "VERB"
        if near and not is_time(tree, noun) and not tree.child(verb, "obj", "iobj", "aux:pass"):
            changes[noun.id] = (verb.id, "obj")
    return changes


def particle(tree: Tree) -> Changes:
    """ "laid down/case the rifle/obl": a particle where the verb usually has one, its noun is the object.

    Grammar alone cannot tell "laid down the rifle" from "ran down the hill"; the corpora that the models
    learn from can (see `phrasal_verbs`).
    """
    changes: Changes = {}
    for word in tree.tokens[1:]:
        verb, noun = tree[word.id - 1], tree.head(word)
        if (
            noun is not None
            and word.relation == "case"
            and noun.relation == "obl"
            and noun.head == verb.id
            and _takes_particle(lemma_of(verb), word.form.lower())
            and len(tree.children(noun, "case")) == 1
            and not tree.child(verb, "obj")
        ):
            changes |= {word.id: (verb.id, "compound:prt"), noun.id: (verb.id, "obj")}
    return changes


def clause_time(tree: Tree) -> Changes:
    """ "before the …", "until the …" says when something was so, not which thing it is.

    After a subject or object such a phrase modifies the clause ("Where was Kim before the concert?").
    """
    changes: Changes = {}
    for token in tree.tokens:
        if (
            token.relation != "nmod"
            or case_of(tree, token) not in TIME_PREPOSITIONS
            or not token.head
        ):
            continue
        noun = tree[token.head]
        if noun.relation in ("nsubj", "obj", "obl") and noun.head:
            changes[token.id] = (noun.head, "obl")
    return changes


def receiver(tree: Tree) -> Changes:
    """ "lent the book to Kim": somebody after "to" receives the object, and is no part of it.

    Only with verbs that have receivers in the corpora, so that "booked a flight to Rome" stays one thing.
    """
    changes: Changes = {}
    for token in tree:
        if token.relation != "nmod" or token.upos not in ("PROPN", "PRON") or not token.head:
            continue
        thing = tree[token.head]
        if (
            case_of(tree, token) == "to"
            and thing.relation == "obj"
            and thing.id < token.id
            and thing.head
        ):
            verb = tree[thing.head]
            if lemma_of(verb) in dative_verbs() and not tree.child(verb, "iobj"):
                changes[token.id] = (verb.id, "obl")
    return changes


def from_and_to(tree: Tree) -> Changes:
    """ "from Oslo to Rome": two phrases of the verb, not one inside the other."""
    return {
        t.id: (tree[t.head].head, "obl")
        for t in tree
        if t.relation == "nmod"
        and t.head
        and case_of(tree, t) == "to"
        and case_of(tree, tree[t.head]) == "from"
        and tree[t.head].relation == "obl"
        and tree[t.head].head
    }


def _takes_particle(verb: str, word: str) -> bool:
    """Say whether a verb has a word for particle: the word is nothing else, or the verb is known for it,
    or would lack its object."""
    return (
        word in ONLY_PARTICLES
        or (verb, word) in phrasal_verbs()
        or (word in ("up", "down") and verb in transitive_verbs())
    )


def _first_word(tree: Tree, noun: Token) -> Token:
    """Return the first word of a noun with its determiner and adjectives."""
    parts = tree.children(noun, "det", "amod", "nummod", "nmod:poss", "compound")
    return min([noun, *(t for t in parts if t.id < noun.id)], key=lambda t: t.id)
