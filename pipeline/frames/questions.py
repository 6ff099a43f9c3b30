"""Questions: whether a sentence is one, and what it asks for."""

from __future__ import annotations

from babi_cascade.pipeline.frames.clauses import Clause
from babi_cascade.pipeline.frames.model import WH, YES_NO
from babi_cascade.pipeline.frames.phrases import phrase_tokens
from babi_cascade.pipeline.frames.words import WH_WORDS, lemma_of
from babi_cascade.pipeline.trees import Token, Tree

NEAR_START = 4  # a question word this early fronts the sentence, also behind "And" or "After that,"


def question_kind(tree: Tree, main: Clause | None) -> str | None:
    """Say whether a sentence asks with a wh-word, asks for yes or no, or does not ask."""
    if main is None:
        return None
    words = [t for t in tree if t.upos != "PUNCT"]
    marked = any(t.form.startswith("?") for t in tree.tokens[-2:])
    wh = fronted(main)
    if wh is not None and (marked or wh in words[:NEAR_START]):
        return WH
    subject = main.subject()
    inverted = (
        subject is not None
        and words[0].upos in ("AUX", "VERB")
        and words[0].relation in ("aux", "cop", "root")
        and words[0].id < subject.id
        and not (words[0] is main.head and main.verb.upos == "VERB")
    )
    return YES_NO if marked or inverted else None


def fronted(main: Clause) -> Token | None:
    """Return the question word of the main clause, also one raised out of a clause below it."""
    tree, head = main.tree, main.head
    for token in tree:
        if token.form.lower() not in WH_WORDS:
            continue
        if token is head:
            return token
        between = []
        for ancestor in tree.ancestors(token):
            if ancestor is head:
                break
            between.append(ancestor)
        else:
            continue
        steps = {t.relation for t in (token, *between)}
        if "acl" in steps or "advcl" in steps or "parataxis" in steps:
            continue  # a relative pronoun or a conjunction
        if "ccomp" in steps and token.id > head.id:
            continue  # an indirect question: "Tell me where he is."
        return token
    return None


def question_words(tree: Tree, token: Token) -> tuple[str, str, tuple[int, ...]] | None:
    """Return the wh-words in a phrase, what they determine, and their ids; None if there are none.

    ("what", "", (1,)) for "what"; ("what", "color", …) for "what color"; ("how many", "book", …).
    """
    word = token.form.lower()
    if word in WH_WORDS:
        return word, "", (token.id,)
    for child in tree.children(token, "det", "nmod:poss", "amod", "advmod", "nummod"):
        ids: tuple[int, ...] = ()
        if child.form.lower() in WH_WORDS:
            ids = (child.id,)
        else:
            how = next((t for t in tree.children(child, "advmod") if t.form.lower() == "how"), None)
            if how is not None:
                ids = (how.id, child.id)
        if ids:
            asked = " ".join(tree[i].form.lower() for i in ids)
            rest = " ".join(lemma_of(t) for t in phrase_tokens(tree, token, frozenset(ids)))
            if ids == (child.id,) and child.form.lower() == "how":
                return f"how {rest}", "", (child.id, token.id)  # how old, how many (alone)
            return asked, rest, ids
    return None
