"""Frames from a dependency tree and the roles of a labeller, by the grammar of English.

What happens to a sentence: its tree is repaired, its clauses are found, and each clause becomes a frame
whose arguments are the dependents of the clause under their logical relations. The roles that a labeller
gave stand beside the relations; an argument that it did not name has none, and what it names that is no
argument in the tree (a negation, a whole predicate such as "aware of it all") is kept as it is. A predicate
that only the labeller knows (a noun such as "gift") gets a frame of what the labeller says of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from babi_cascade.pipeline.frames.builder import Builder
from babi_cascade.pipeline.frames.clauses import Clause, clauses, negated_clauses
from babi_cascade.pipeline.frames.model import Argument, Frame
from babi_cascade.pipeline.frames.phrases import arguments, case_of
from babi_cascade.pipeline.frames.questions import question_kind
from babi_cascade.pipeline.frames.repairs import repaired
from babi_cascade.pipeline.frames.words import lemma_of
from babi_cascade.pipeline.trees import Roles, Tree

RULES = "7"  # goes into fingerprints: raise it when a change of the rules changes frames
RELATIVE = frozenset({"who", "whom", "which", "that"})
FUNCTIONS = frozenset({"aux", "case", "cc", "cop", "det", "fixed", "mark"})
"""Relations of words that are no predicate in the tree, whatever a labeller takes them for ("following")."""

CORE = {"nsubj": "nsubj", "nsubj:pass": "obj", "obj": "obj", "iobj": "obl:to"}


def extract_frames(tree: Tree, roles: Roles | None = None) -> list[Frame]:
    """Return the frames of a sentence in the order of their verbs.

    `roles` maps ids of predicates to (id of argument head → PropBank role), as a labeller gives them.
    """
    tree = repaired(tree)
    found = clauses(tree)
    heads = frozenset(c.head.id for c in found)
    main = next((c for c in found if c.head.head == 0), found[0] if found else None)
    kind = question_kind(tree, main)
    negated = negated_clauses(tree, heads)
    builders = {c.head.id: Builder(c, roles or {}, kind, main, heads, negated) for c in found}
    for builder in builders.values():
        builder.collect()
    for builder in builders.values():
        _share_subject(builder, builders)
        _fill_relative(builder)
    frames = [builder.frame() for builder in builders.values()]
    frames += _frames_of_labeller(tree, roles or {}, found)
    return sorted(frames, key=lambda frame: frame.token)


def _frames_of_labeller(tree: Tree, roles: Roles, found: list[Clause]) -> Iterator[Frame]:
    """Yield frames of the predicates that no clause has, with the arguments that the labeller names."""
    seen = {token.id for clause in found for token in (clause.head, clause.verb)}
    for predicate, labelled in roles.items():
        members: list[Argument] = []
        for head, role in labelled.items():
            if (
                tree[predicate].relation in FUNCTIONS
                or predicate in seen
                or not role.startswith("ARG")
            ):
                continue
            token = tree[head]
            case = case_of(tree, token)
            relation = (
                f"{token.relation}:{case}" if case else CORE.get(token.deprel, token.relation)
            )
            members += arguments(tree, token, relation, role, frozenset({predicate}))
        if members:
            yield Frame(lemma_of(tree[predicate]), predicate, tuple(members))


def _share_subject(builder: Builder, builders: dict[int, Builder]) -> None:
    """Give a clause without subject the one it shares: "Kim sat down and *ate*", "Kim wants to *leave*"."""
    head = builder.clause.head
    if (
        any(a.relation == "nsubj" for a in builder.arguments)
        or builder.clause.subject() is not None
    ):
        return
    if builder.asks is not None and builder.asks.relation == "nsubj":
        return
    above = builders.get(head.head)
    if above is None or head.relation not in ("conj", "xcomp"):
        return
    shared = [a for a in above.arguments if a.relation == "nsubj"]
    if head.relation == "xcomp":
        # "Kim told Lee to leave": the object leaves
        given = [
            a for a in above.arguments if a.relation in ("obj", "obl:to") and a.head_id < head.id
        ]
        shared = [replace(a, relation="nsubj") for a in given] or shared
    for argument in reversed(shared):
        role = builder.labelled.get(argument.head_id, "")
        builder.arguments.insert(0, replace(argument, role=role))


def _fill_relative(builder: Builder) -> None:
    """Put the noun in the place of its relative pronoun, or of the gap that a participle leaves.

    "the man *who* left": the man left; "bread *baked* by Kim": the bread is what is baked.
    """
    tree, head = builder.tree, builder.clause.head
    if head.relation != "acl" or not head.head:
        return
    noun = tree[head.head]
    filled = []
    for argument in builder.arguments:
        if argument.head_id != noun.id and tree[argument.head_id].form.lower() in RELATIVE:
            filled += arguments(tree, noun, argument.relation, argument.role)
        else:
            filled.append(argument)
    taken = {a.relation for a in filled}
    gap = {"VBG": "nsubj", "VBN": "obj"}.get(head.xpos)
    if head.deprel == "acl" and gap and gap not in taken and not builder.clause.copular:
        role = builder.labelled.get(noun.id, "")
        filled = [*arguments(tree, noun, gap, role), *filled]
    builder.arguments = filled
