"""Repairs of questions: fronted objects, stranded prepositions, subjects behind their auxiliary."""

from __future__ import annotations

from babi_cascade.pipeline.frames.phrases import case_of
from babi_cascade.pipeline.frames.questions import question_words
from babi_cascade.pipeline.frames.repairs.changes import NOMINAL, VERBAL, Changes, main_verb
from babi_cascade.pipeline.frames.repairs.copulas import stranded_copula
from babi_cascade.pipeline.frames.words import PLACE_PREPOSITIONS, WH_WORDS, lemma_of, word_set
from babi_cascade.pipeline.trees import Tree

# a noun right before its finite verb is its subject, not one of these
NO_SUBJECT = frozenset(
    {"vocative", "amod", "compound", "appos", "nmod", "obj", "dep", "dislocated"}
)
SPLIT = frozenset({"conj", "parataxis", "ccomp", "acl", "xcomp", "dep"})
STRANDED = PLACE_PREPOSITIONS | word_set("of to from with for at by about like")


def stranded_preposition(tree: Tree) -> Changes:
    """ "What is Kim fond of?": the preposition at the end belongs to the fronted question word."""
    words = [t for t in tree if t.upos != "PUNCT"]
    if len(words) < 4:
        return {}
    fronted = (t for t in words[:3] if t.form.lower() in ("what", "who", "whom", "which"))
    wh = next((t for t in fronted if t.relation not in ("det", "nmod")), None)
    last = words[-1]
    if wh is None or last.upos not in ("ADP", "PART", "SCONJ", "ADV") or tree.children(last):
        return {}
    if last.deprel == "compound:prt" or last.form.lower() not in STRANDED:
        return {}
    be = tree[wh.id + 1] if wh.id < len(tree) else wh
    if lemma_of(be) == "be" and be.upos in VERBAL:
        return stranded_copula(tree, wh, be, last)
    verb = main_verb(tree)
    if (
        verb is None
        or verb is wh
        or verb.upos != "VERB"
        or (wh.relation == "nsubj" and len(tree.children(verb, "nsubj", "csubj")) < 2)
    ):
        return {}
    return {wh.id: (verb.id, "obl"), last.id: (wh.id, "case")}


def degree(tree: Tree) -> Changes:
    """ "How many goats …": "how" belongs to the adjective or adverb right after it."""
    return {
        t.id: (t.id + 1, "advmod")
        for t in tree.tokens[:-1]
        if t.form.lower() == "how"
        and tree[t.id + 1].form.lower() in ("many", "much", "often", "long", "far", "old", "big")
        and t.head != t.id + 1
    }


def fronted_object(tree: Tree) -> Changes:
    """ "How many goats does Kim own?": of two subjects the fronted one is what the verb is done to."""
    for verb in tree:
        subjects = tree.children(verb, "nsubj")
        if verb.upos != "VERB" or len(subjects) != 2 or tree.child(verb, "obj"):
            continue
        first, second = subjects
        between = [t for t in tree.children(verb, "aux") if first.id < t.id < second.id]
        if between and question_words(tree, first):
            return {first.id: (verb.id, "obj")}
    return {}


def subject_behind_auxiliary(tree: Tree) -> Changes:
    """ "Where will kim go?": what stands alone between an inverted auxiliary and the verb is the subject.

    For names that a tagger took for something else.
    """
    for auxiliary in tree.tokens[:4]:
        front = auxiliary.id == 1 or tree[auxiliary.id - 1].form.lower() in WH_WORDS
        supports = auxiliary.upos == "AUX" and lemma_of(auxiliary) not in ("be", "have")
        if not supports or not front or auxiliary.id + 2 > len(tree):
            continue
        name, verb = tree[auxiliary.id + 1], tree[auxiliary.id + 2]
        if (
            verb.upos != "VERB"
            or name.upos in ("DET", "ADP", "PART", "PRON")
            or tree.child(verb, "nsubj")
        ):
            continue
        if name.upos == "ADV" and name.relation == "advmod" and tree.child(verb, "csubj"):
            continue
        if tree[1].form.lower() in ("who", "what") and name.upos not in NOMINAL | {
            "VERB",
            "X",
            "ADJ",
        }:
            continue
        changes: Changes = {
            verb.id: (0, "root"),
            name.id: (verb.id, "nsubj"),
            auxiliary.id: (verb.id, "aux"),
        }
        for t in tree:
            if t.id not in changes and t.head in (0, name.id, auxiliary.id):
                fronted = t.deprel == "root" and t.form.lower() in ("what", "who", "whom", "which")
                changes[t.id] = (verb.id, "obj" if fronted else t.deprel)
        return changes
    return {}


def verb_after_do(tree: Tree) -> Changes:
    """ "Does the key fit the lock?": "do" needs a verb, the last word of the noun phrase is it."""
    first = tree.tokens[0] if tree.tokens else None
    if first is None or lemma_of(first) != "do":
        return {}
    verbs = [t for t in tree.tokens[1:] if t.upos == "VERB"]
    if not verbs:
        for noun in tree.tokens[1:]:
            parts = [t for t in tree.children(noun, "compound", "amod") if t.id < noun.id]
            if (
                noun.upos == "NOUN"
                and parts
                and not case_of(tree, noun)
                and tree.child(noun, "det")
            ):
                return _as_verb(tree, noun.id, parts[-1].id)
        return {}
    verb, subject = verbs[0], tree.child(first, "nsubj")
    inside = (
        subject is not None
        and subject in tree.ancestors(verb)
        and not tree.child(verb, "mark", "aux")
    )
    if first.head or subject is None or not inside:
        return {}
    changes: Changes = {
        verb.id: (0, "root"),
        subject.id: (verb.id, "nsubj"),
        first.id: (verb.id, "aux"),
    }
    changes |= {t.id: (verb.id, t.deprel) for t in tree.children(first) if t is not subject}
    return changes


def verb_of_sentence(tree: Tree) -> Changes:
    """ "The key fits into the lock.": in a sentence without any verb a noun with -s is one.

    It must follow another noun of its phrase, bare, and be followed by a prepositional phrase.
    """
    root = tree.root
    if (
        root is None
        or any(t.upos in VERBAL for t in tree)
        or not tree.tokens[-1].form.startswith(".")
    ):
        return {}
    for noun in (root, *tree.children(root, "nmod", "appos", "parataxis", "dep", "conj")):
        if noun.upos != "NOUN" or not noun.form.lower().endswith("s") or case_of(tree, noun):
            continue
        parts = [t for t in tree.children(noun, "compound", "amod") if t.id < noun.id]
        phrases = [
            t for t in tree.children(noun, "nmod", "obl") if t.id > noun.id and case_of(tree, t)
        ]
        if not phrases or tree.child(noun, "nummod") or not tree.child(root, "det"):
            continue
        if noun is root and not (parts and tree.child(noun, "det")):
            continue
        if noun is not root and (parts or noun.id < root.id or tree.child(noun, "cc", "det")):
            continue
        return _as_verb(tree, noun.id, parts[-1].id if noun is root else root.id)
    return {}


def subject_before_verb(tree: Tree) -> Changes:
    """ "Kim/vocative left early.": a finite verb needs a subject; the word right before it is one.

    Only without a comma between them, which would make it an address ("Kim, leave!").
    """
    for verb in tree.tokens[1:4]:
        name = tree[verb.id - 1]
        finite = verb.upos == "VERB" and verb.xpos in ("VBD", "VBZ")
        if not finite or tree.child(verb, "nsubj", "csubj", "aux"):
            continue
        if name.relation in NO_SUBJECT and name.head == verb.id and name.upos in NOMINAL:
            return {name.id: (verb.id, "nsubj")}
        split = verb.head == name.id and verb.relation in SPLIT
        if split and name.head == 0 and name.id == 1 and name.form.istitle():
            changes: Changes = {verb.id: (0, "root"), name.id: (verb.id, "nsubj")}
            changes |= {t.id: (verb.id, t.deprel) for t in tree.children(name) if t is not verb}
            return changes
    return {}


def _as_verb(tree: Tree, verb: int, subject: int) -> Changes:
    """Make a verb of the head of a compound, and its subject of the noun before it."""
    changes: Changes = {verb: (0, "root"), subject: (verb, "nsubj")}
    for t in tree:
        if t.id in changes:
            continue
        if t.head == verb and t.id < subject:
            changes[t.id] = (subject, t.deprel)
        elif t.head == verb and t.relation == "nmod":
            changes[t.id] = (verb, "obl")
        elif t.head == 0 or t.upos == "PUNCT":
            changes[t.id] = (verb, "aux" if lemma_of(t) == "do" else t.deprel if t.head else "dep")
        elif tree[verb].head == t.id or t.upos == "AUX":
            changes[t.id] = (verb, "aux")
    above = tree[verb].head
    if above > verb and case_of(tree, tree[above]):
        changes[above] = (verb, "obl")
    return changes
