"""Repairs of copular clauses: what is the subject, and what is said of it."""

from __future__ import annotations

from babi_cascade.pipeline.frames.phrases import case_of
from babi_cascade.pipeline.frames.repairs.changes import NOMINAL, VERBAL, Changes
from babi_cascade.pipeline.frames.words import (
    RELATIONAL_NOUNS,
    STRESSING,
    WH_ADVERBS,
    WH_WORDS,
    lemma_of,
)
from babi_cascade.pipeline.trees import Token, Tree

SAID = frozenset({"amod", "acl", "advmod", "appos", "xcomp"})


def relation_after_copula(tree: Tree) -> Changes:
    """ "… is north of the river", "Is it older than the bridge?": the relation heads the clause.

    Wherever the parser put them: a comparative, adjective or part of space right before a preposition
    that completes it is what the copula says, the noun after the preposition is its complement, and the
    noun before it (or the question word) is the subject.
    """
    be = next((t for t in tree if lemma_of(t) == "be" and t.upos in VERBAL), None)
    if be is None or any(t.upos == "VERB" and t is not be for t in tree):
        return {}
    word = next((t for t in tree.tokens[be.id :] if _is_relation(tree, t)), None)
    if word is None or not _follows(tree, be, word):
        return {}
    preposition = tree[word.id + 1]
    subject = _subject_around(tree, be, word)
    other = _noun_after(tree, preposition)
    if subject is None or other is None or (other.relation == "nsubj" and tree.child(other, "cop")):
        return {}
    changes: Changes = {
        word.id: (0, "root"),
        subject.id: (word.id, "nsubj"),
        be.id: (word.id, "cop"),
        other.id: (word.id, "obl"),
        preposition.id: (other.id, "case"),
    }
    for t in tree:
        moved = t.head in (0, word.id, be.id, subject.id, other.id)
        if t.id in changes or not moved:
            continue
        if t.id < subject.id and t.head != subject.id and t.upos in ("DET", "ADJ", "NOUN"):
            changes[t.id] = (subject.id, t.deprel)
        elif t.upos == "PUNCT" or (be.id < t.id < word.id and t.head != subject.id):
            changes[t.id] = (word.id, t.deprel)
        elif preposition.id < t.id < other.id:
            changes[t.id] = (other.id, t.deprel)
    return {i: c for i, c in changes.items() if (tree[i].head, tree[i].deprel) != c}


def subject_with_of(tree: Tree) -> Changes:
    """ "Is the jar of nails/obl heavier …?": an of-phrase right after the subject is part of it."""
    return {
        t.id: (subject.id, "nmod")
        for t in tree
        if t.relation == "obl" and t.head and case_of(tree, t) == "of"
        for subject in tree.children(tree[t.head], "nsubj")
        if subject.id < t.id < t.head and tree.children(t, "case")[0].id == subject.id + 1
    }


def copula_of_noun(tree: Tree) -> Changes:
    """ "Is/aux:pass Kim/PROPN in Rome?": a form of "be" under a noun or adjective is a copula."""
    return {
        t.id: (t.head, "cop")
        for t in tree
        if t.relation == "aux"
        and t.head
        and lemma_of(t) == "be"
        and tree[t.head].upos in NOMINAL | {"ADJ"}
        and tree.child(tree[t.head], "cop", "obj") is None
    }


def question_adverb(tree: Tree) -> Changes:
    """ "Where/advmod was Kim/root?": the question adverb is what the copula says, the noun its subject."""
    root = tree.root
    if root is None or root.upos not in NOMINAL or tree.child(root, "nsubj", "csubj", "case"):
        return {}
    copula = tree.child(root, "cop")
    adverb = next((t for t in tree.children(root, "advmod") if t.form.lower() in WH_ADVERBS), None)
    if copula is None or adverb is None or not adverb.id < copula.id < root.id:
        return {}
    changes: Changes = {
        adverb.id: (0, "root"),
        root.id: (adverb.id, "nsubj"),
        copula.id: (adverb.id, "cop"),
    }
    for t in tree.children(root, "punct", "obl", "advmod", "nmod"):
        if t.id not in changes and (t.id > root.id or t.upos == "PUNCT"):
            changes[t.id] = (adverb.id, "obl" if t.relation == "nmod" else t.deprel)
    return changes


def copula_of_subject(tree: Tree) -> Changes:
    """ "Is/cop Kim/nsubj at the pier/root?": a copula under the subject belongs to what is said of it."""
    return {
        t.id: (tree[t.head].head, "cop")
        for t in tree
        if t.relation == "cop"
        and t.head
        and tree[t.head].relation == "nsubj"
        and tree[t.head].head
        and tree.child(tree[t.head], "nsubj") is None
        and tree[tree[t.head].head].upos != "VERB"
        and tree.child(tree[tree[t.head].head], "cop") is None
    }


def missing_subject(tree: Tree) -> Changes:
    """ "What size is Kim?", "Is the tower old?": the bare noun after an inverted copula is the subject."""
    for copula in tree:
        if (
            copula.relation != "cop"
            or not copula.head
            or tree.child(tree[copula.head], "nsubj", "csubj")
        ):
            continue
        head = tree[copula.head]
        inverted = (
            copula.id == 1 or tree[copula.id - 1].form.lower() in WH_WORDS or head.id < copula.id
        )
        for t in tree.children(head):
            if inverted and t.id > copula.id and t.upos in NOMINAL and not case_of(tree, t):
                if t.relation in (
                    "vocative",
                    "obl",
                    "obj",
                    "appos",
                    "parataxis",
                    "dislocated",
                    "nmod",
                ):
                    return {t.id: (head.id, "nsubj")}
                break
    return {}


def inverted_copula(tree: Tree) -> Changes:
    """ "Is Kim in the barn?": what follows the subject is said of it, not part of it."""
    words = [t for t in tree if t.upos != "PUNCT"]
    if len(words) < 3 or lemma_of(words[0]) != "be" or words[0].upos not in VERBAL:
        return {}
    be, root = words[0], tree.root
    if root is be:
        root = _only_subject(tree, be)
    if root is None or root.upos not in NOMINAL or tree.child(root, "nsubj", "csubj", "expl"):
        return {}
    if any(t.upos == "VERB" and t.relation in ("acl", "conj", "parataxis") for t in words):
        return {}
    said = [
        t
        for t in tree.children(root)
        if t.id > root.id
        and (
            (t.relation in ("nmod", "obl") and case_of(tree, t) not in ("", "of"))
            or (t.relation in SAID and t.upos in ("ADJ", "ADV", "NOUN"))
        )
    ]
    if not said:
        return {}
    new = said[0]
    changes: Changes = {new.id: (0, "root"), root.id: (new.id, "nsubj"), be.id: (new.id, "cop")}
    for t in tree.children(root):
        if t is not new and t is not be and (t.relation == "punct" or t.id > new.id):
            changes[t.id] = (new.id, "obl" if t.relation == "nmod" else t.deprel)
    return changes


def stranded_copula(tree: Tree, wh: Token, be: Token, last: Token) -> Changes:
    """Repair "what is NP PREDICATE of": the word before the preposition is the predicate.

    "What is the box for?" has no predicate but the question word itself.
    """
    between = [t for t in tree.tokens[be.id : last.id - 1] if t.upos != "DET"]
    if len(between) < 2 or between[-1].upos == "VERB":
        return {}
    predicate, noun = between[-1], between[-2]
    if predicate.upos not in ("ADJ", "ADV") and last.form.lower() != "of":
        return {}
    if noun.upos not in NOMINAL and (noun.form.lower() in STRESSING or len(between) > 2):
        return {}
    changes: Changes = {
        predicate.id: (0, "root"),
        noun.id: (predicate.id, "nsubj"),
        be.id: (predicate.id, "cop"),
        wh.id: (predicate.id, "obl"),
        last.id: (wh.id, "case"),
    }
    for token in tree:
        if token.id in changes:
            continue
        if token.upos == "PUNCT":
            changes[token.id] = (predicate.id, "punct")
        elif (
            token.id < noun.id
            and token.id > be.id
            and token.head in (predicate.id, wh.id, be.id, 0)
        ):
            changes[token.id] = (noun.id, "det" if token.upos == "DET" else "compound")
    return changes


def _only_subject(tree: Tree, be: Token) -> Token | None:
    """Return the subject of "be" as a full verb, if nothing else is there to be said of it."""
    others = [t for t in tree.children(be) if t.upos != "PUNCT"]
    return others[0] if len(others) == 1 and others[0].relation == "nsubj" else None


def _is_relation(tree: Tree, token: Token) -> bool:
    """Say whether a word with the preposition after it is a relation: "older than", "north of"."""
    if token.id >= len(tree):
        return False
    after = tree[token.id + 1].form.lower()
    if token.xpos in ("JJR", "RBR") or token.form.lower().endswith("er"):
        return after == "than" and token.form.lower() not in ("more", "less", "rather", "other")
    if tree.child(token, "det", "nmod:poss"):
        return False
    bare = tree[token.id - 1].upos not in ("DET", "ADP", "ADJ")
    return after == "of" and bare and lemma_of(token) in RELATIONAL_NOUNS


def _follows(tree: Tree, be: Token, word: Token) -> bool:
    """Say whether only adverbs stand between copula and relation, or, inverted, only the subject."""
    between = tree.tokens[be.id : word.id - 1]
    if all(t.upos in ("ADV", "PART") or t.form.lower() == "no" for t in between):
        return True
    inverted = be.id == 1 or tree[be.id - 1].form.lower() in WH_WORDS
    return inverted and all(
        t.upos not in ("PUNCT", "ADP") or t.form.lower() == "of" for t in between
    )


def _subject_around(tree: Tree, be: Token, word: Token) -> Token | None:
    """Return the noun between an inverted copula and the relation, else the one before the copula."""
    inside = tree.tokens[be.id : word.id - 1]
    between = [t for t in inside if t.upos in NOMINAL]
    if between:
        return _highest(tree, between)
    if len(inside) > 1 and inside[0].upos == "DET":
        return inside[-1]  # an article needs a noun, whatever its tag
    before = [
        t for t in tree.tokens[: be.id - 1] if t.upos in NOMINAL or t.form.lower() in WH_WORDS
    ]
    return _highest(tree, before) if before else None


def _highest(tree: Tree, tokens: list[Token]) -> Token:
    """Return the word of some that stands above the others: the head of their noun phrase."""
    ids = {t.id for t in tokens}
    marked = [t for t in tokens if not case_of(tree, t) or len(tokens) == 1]
    above = [t for t in marked if t.relation == "nsubj" or t.head not in ids]
    return above[0] if above else tokens[0]


def _noun_after(tree: Tree, preposition: Token) -> Token | None:
    """Return the head of the noun phrase after a preposition."""
    head = tree.head(preposition)
    if head is not None and head.id > preposition.id and head.upos in NOMINAL:
        return head
    following = [t for t in tree.tokens[preposition.id :] if t.upos in NOMINAL]
    ids = {t.id for t in following}
    return next((t for t in following if t.head not in ids), None)
