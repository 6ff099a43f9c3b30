"""From the head of a noun phrase to its words: the full phrase, as annotators mark it.

A dependency tree says which words hang below a noun, but not all of them belong to the phrase: the
preposition before it, a clause of which it is the predicate, an apposition or the other members of a
conjunction do not. The conventions are those of OntoNotes and GUM: relative clauses and prepositional
phrases belong to it, punctuation at its edges does not.
"""

from __future__ import annotations

from dataclasses import dataclass

from babi_cascade.pipeline.coref.lexicon import word_set
from babi_cascade.pipeline.trees import Token, Tree

# Dependents that end the phrase where they stand. "punct" is not among them: a comma may stand
# between an article and its noun, and a phrase only reaches over it if something follows.
OUTSIDE = word_set(
    "case cc mark nsubj csubj cop aux expl conj appos parataxis discourse vocative dislocated "
    "reparandum advcl ccomp list orphan dep obj iobj"
)
# A noun that is the predicate of a clause ("Pat is a doctor in town") has the clause's dependents.
OF_THE_CLAUSE = frozenset({"obl", "advmod", "xcomp"})
FOCUS = word_set("only even just also not especially particularly including")
_OPENERS = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«", "-RRB-": "-LRB-"}


@dataclass(frozen=True, slots=True)
class Extents:
    """How far the words below each word reach: ``left[i]`` and ``right[i]`` for word i.

    Computed once a sentence and bottom-up, so that a sentence of 10 000 words that nest as deeply
    costs no more than a flat one. Words in a cycle, which a broken file may hold, reach nowhere.
    """

    left: list[int]
    right: list[int]
    depth: list[int]

    @classmethod
    def of(cls, tree: Tree) -> Extents:
        """Measure a tree."""
        size = len(tree) + 1
        left, right, depth = list(range(size)), list(range(size)), [size] * size
        order = [token for token in tree if token.head == 0]
        for token in order:
            depth[token.id] = 0
        for token in order:  # grows while it is read: breadth first
            for child in tree.children(token):
                depth[child.id] = depth[token.id] + 1
                order.append(child)
        for token in reversed(order):
            if token.head:
                left[token.head] = min(left[token.head], left[token.id])
                right[token.head] = max(right[token.head], right[token.id])
        return cls(left, right, depth)


def noun_phrase(tree: Tree, head: Token, extents: Extents) -> tuple[int, int]:
    """Return the ids of the first and last word of the phrase around a noun."""
    outside = OUTSIDE | OF_THE_CLAUSE if tree.child(head, "cop") else OUTSIDE
    start = end = head.id
    children = tree.children(head)
    for child in reversed([c for c in children if c.id < head.id]):
        if child.relation == "punct":
            continue
        if child.relation in outside or child.lemma.lower() in FOCUS or _fronted(tree, child):
            break
        start = min(start, extents.left[child.id])
    for child in [c for c in children if c.id > head.id]:
        if child.relation == "punct" or (child.relation == "case" and child.id == end + 1):
            continue  # the possessive mark is looked at below
        if child.relation in outside or tree[extents.left[child.id]].form in ("(", "-LRB-"):
            break
        end = max(end, extents.right[child.id])
    start, end = _trimmed(tree, start, end, head.id)
    following = tree[end + 1] if end < len(tree) else None
    if following is not None and following.relation == "case" and following.head == head.id:
        end += following.form.lower() in ("'s", "’s", "'", "’")
    return start, end


def conjunction(tree: Tree, head: Token, extents: Extents) -> tuple[int, int] | None:
    """Return the span of "Pat and Robin" around its first member, None if there is no "and"."""
    members = tree.children(head, "conj")
    if not members:
        return None
    if not any(
        c.lemma.lower() in ("and", "&", "as well as", "both")
        for member in members
        for c in tree.children(member, "cc")
    ):
        return None  # "or" names alternatives: no group that "they" could mean
    start, _ = noun_phrase(tree, head, extents)
    _, end = noun_phrase(tree, members[-1], extents)
    return (start, end) if end > head.id else None


def _fronted(tree: Tree, child: Token) -> bool:
    """Say whether a dependent before the noun belongs to the clause: "born in Accra, Kofi …"."""
    if child.relation in ("acl", "obl"):
        return True
    return child.deprel == "nmod" and tree.child(child, "case") is not None


def _trimmed(tree: Tree, start: int, end: int, head: int) -> tuple[int, int]:
    """Cut punctuation from the edges, but keep a closing bracket whose opening one is inside."""
    while start < head and tree[start].upos == "PUNCT":
        start += 1
    while end > head and tree[end].upos == "PUNCT":
        opener = _OPENERS.get(tree[end].form)
        if opener and any(tree[i].form == opener for i in range(start, end)):
            break
        end -= 1
    return start, end
