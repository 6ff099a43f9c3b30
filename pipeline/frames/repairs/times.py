"""Repairs of times: fronted ("This week Kim …"), linking ("After that …"), behind a place."""

from __future__ import annotations

from babi_cascade.pipeline.frames.phrases import case_of, is_dated, is_time
from babi_cascade.pipeline.frames.repairs.changes import NOMINAL, VERBAL, Changes, main_verb
from babi_cascade.pipeline.frames.words import (
    TIME_ADVERBS,
    TIME_DETERMINERS,
    TIME_NOUNS,
    TIME_PREPOSITIONS,
    lemma_of,
)
from babi_cascade.pipeline.trees import Token, Tree


def fronted_link(tree: Tree) -> Changes:
    """ "After that he …", "Following this, Kim …": preposition + pronoun, not a clause."""
    words = [t for t in tree if t.upos != "PUNCT"]
    if len(words) < 4:
        return {}
    first, second, third = words[:3]
    verb = main_verb(tree)
    if verb is first or verb is second:
        # the link itself was taken for the main clause
        verb = next(
            (t for t in words[3:] if t.upos == "VERB" or tree.child(t, "cop", "nsubj")), None
        )
    if verb is None:
        return {}
    if (
        first.form.lower() in TIME_PREPOSITIONS
        and second.form.lower() in ("that", "this", "which")
        and third.upos in ("PRON", "PROPN", "DET", "ADJ")
        and third.id < verb.id
        # "After that day he …": the pronoun would be a determiner of a noun of time
        and lemma_of(third) not in TIME_NOUNS
    ):
        changes: Changes = {second.id: (verb.id, "obl"), first.id: (second.id, "case")}
        if verb.head in (first.id, second.id):
            changes = {verb.id: (0, "root"), **changes}
        for lost in (*tree.children(first), *tree.children(second)):
            if lost.id not in (first.id, second.id, verb.id) and lost.upos != "PUNCT":
                relation = (
                    lost.deprel if lost.relation in ("nsubj", "obj", "obl", "advmod") else "nsubj"
                )
                changes[lost.id] = (verb.id, relation)
        return changes
    return {}


def adverbial_time(tree: Tree) -> Changes:
    """A time inside another phrase belongs to the verb ("Yesterday/compound Kim …", "this morning Kim …").

    Also where the time was taken for the subject although another noun stands before the verb.
    """
    changes: Changes = {}
    for token in tree:
        word = token.form.lower()
        bare = word in TIME_ADVERBS and token.upos in ("ADV", "NOUN", "PROPN", "ADJ", "DET")
        if (
            token.head == 0
            or token.deprel == "nmod:poss"
            or not (bare or (is_dated(tree, token) and not case_of(tree, token)))
        ):
            continue
        above = tree[token.head]
        nominal = above.upos in NOMINAL and tree.child(above, "cop") is None and not _clausal(above)
        rival = token.relation in ("nsubj", "obj", "iobj", "ccomp", "xcomp") and not nominal
        verb = (
            above
            if not nominal
            else next((t for t in tree.ancestors(token) if _heads_clause(tree, t)), None)
        )
        if verb is None:
            continue
        relation = "advmod" if bare else "obl:tmod"
        lost = [
            t
            for t in tree.children(
                token, "flat", "appos", "nsubj", "compound", "nmod", "acl", "conj"
            )
            if t.upos in ("PROPN", "PRON", "NOUN")
            and token.id < t.id < verb.id
            and not case_of(tree, t)
        ]
        if lost and token.relation == "nsubj":
            changes[lost[0].id] = (verb.id, "nsubj")
            changes[token.id] = (verb.id, relation)
        elif (
            nominal
            and token.relation
            in ("compound", "nmod", "appos", "flat", "det", "amod", "advmod", "obl")
        ) or (rival and len(tree.children(verb, "nsubj", "obj")) > 1):
            changes[token.id] = (verb.id, relation)
    return changes


def fronted_time(tree: Tree) -> Changes:
    """ "This week Kim rests": a time with a demonstrative heads no relative clause, the verb is the root."""
    root = tree.root
    if root is None or not is_dated(tree, root) or tree.child(root, "cop", "nsubj"):
        return {}
    verb = next(
        (t for t in tree.children(root) if t.id > root.id and tree.child(t, "nsubj", "csubj")), None
    )
    if verb is None:
        return {}
    changes: Changes = {verb.id: (0, "root"), root.id: (verb.id, "obl:tmod")}
    changes |= {t.id: (verb.id, t.deprel) for t in tree.children(root, "punct")}
    return changes


def time_behind_noun(tree: Tree) -> Changes:
    """ "to the shop/compound yesterday", "to the shop this week": the noun before the time is a head itself.

    An adverb of time has no article, and a demonstrative begins a phrase of its own.
    """
    changes: Changes = {}
    for time in tree:
        own = next(
            (t for t in tree.children(time, "det") if t.form.lower() in TIME_DETERMINERS), None
        )
        adverb = time.form.lower() in TIME_ADVERBS and tree.child(time, "det", "case") is not None
        if not time.head or not (adverb or (own is not None and is_time(tree, time))):
            continue
        start = own.id if own is not None else time.id
        before = [
            t for t in tree.children(time) if t.id < start and t.upos not in ("DET", "ADP", "PUNCT")
        ]
        if not before or not (tree.child(time, "case") or tree.child(before[-1], "case")):
            changes |= _way_before(tree, time, before)
            continue
        noun = before[-1]
        changes[noun.id] = (time.head, "obl")
        for t in tree.children(time):
            if t is not noun and t.id < noun.id:
                changes[t.id] = (noun.id, t.deprel)
        verb = next((t for t in tree.ancestors(time) if t.upos in VERBAL), tree[time.head])
        changes[time.id] = (verb.id, "advmod" if adverb else "obl:tmod")
    return changes


def _way_before(tree: Tree, time: Token, before: list[Token]) -> Changes:
    """ "back/advmod to the shop this week": a way is none of the time's; "early this week" is."""
    changes: Changes = {}
    for adverb in before:
        ways = [t for t in tree.children(adverb, "obl", "nmod") if case_of(tree, t)]
        if adverb.upos == "ADV" and ways:
            changes[adverb.id] = (time.head, "advmod")
            changes |= {way.id: (time.head, "obl") for way in ways}
    return changes


def time_before_name(tree: Tree) -> Changes:
    """ "This/det evening Kim …": the demonstrative goes with the time, a name has none."""
    changes: Changes = {}
    for this in tree.tokens[:-2]:
        time, name = tree[this.id + 1], tree[this.id + 2]
        if (
            this.form.lower() in TIME_DETERMINERS
            and is_time(tree, time)
            and name.form.istitle()
            and name.head
            and this.head == name.id
        ):
            changes[this.id] = (time.id, "det")
            if time.head == name.id:
                changes[time.id] = (name.head, "obl:tmod")
    return changes


def _heads_clause(tree: Tree, token: Token) -> bool:
    return token.upos in VERBAL or token.head == 0 or tree.child(token, "cop", "nsubj") is not None


def _clausal(token: Token) -> bool:
    return token.relation in ("root", "ccomp", "advcl", "parataxis")
