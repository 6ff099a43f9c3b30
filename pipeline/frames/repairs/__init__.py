"""Repairs of a parser's trees where English grammar leaves no other reading.

Each repair looks at one construction that small parsers often get wrong and that can be told from the words
around it, and leaves all others alone. They are written for English in general: no name, thing or content
verb is mentioned. One family of constructions a file; the order of all of them is here.
"""

from __future__ import annotations

from collections.abc import Callable

from babi_cascade.pipeline.frames.repairs.arguments import (
    active_subject,
    adjective_in_phrase,
    adverb_as_preposition,
    bare_oblique,
    clause_time,
    from_and_to,
    marked_object,
    named,
    particle,
    receiver,
)
from babi_cascade.pipeline.frames.repairs.changes import Changes, changed
from babi_cascade.pipeline.frames.repairs.copulas import (
    copula_of_noun,
    copula_of_subject,
    inverted_copula,
    missing_subject,
    question_adverb,
    relation_after_copula,
    subject_with_of,
)
from babi_cascade.pipeline.frames.repairs.inversion import (
    degree,
    fronted_object,
    stranded_preposition,
    subject_before_verb,
    subject_behind_auxiliary,
    verb_after_do,
    verb_of_sentence,
)
from babi_cascade.pipeline.frames.repairs.passives import passive_verb
from babi_cascade.pipeline.frames.repairs.times import (
    adverbial_time,
    fronted_link,
    fronted_time,
    time_before_name,
    time_behind_noun,
)
from babi_cascade.pipeline.trees import Tree


def repaired(tree: Tree) -> Tree:
    """Return the tree with all repairs made, in order."""
    tree = named(tree)
    for repair in REPAIRS:
        changes = repair(tree)
        if changes:
            tree = changed(tree, changes)
    return tree


REPAIRS: tuple[Callable[[Tree], Changes], ...] = (
    adjective_in_phrase,
    fronted_link,
    fronted_time,
    verb_after_do,
    verb_of_sentence,
    subject_behind_auxiliary,
    subject_before_verb,
    passive_verb,
    active_subject,
    marked_object,
    particle,
    bare_oblique,
    adverb_as_preposition,
    time_behind_noun,
    time_before_name,
    adverbial_time,
    clause_time,
    from_and_to,
    stranded_preposition,
    degree,
    fronted_object,
    subject_with_of,
    relation_after_copula,
    copula_of_noun,
    copula_of_subject,
    question_adverb,
    inverted_copula,
    missing_subject,
    receiver,
)
