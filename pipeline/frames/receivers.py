"""Who receives what, where neither has a preposition: "lent Lee a book", "Lee was lent a book"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from babi_cascade.pipeline.frames.clauses import Clause
from babi_cascade.pipeline.frames.model import Argument, Asked
from babi_cascade.pipeline.frames.phrases import conjuncts
from babi_cascade.pipeline.frames.verbs import dative_verbs
from babi_cascade.pipeline.frames.words import lemma_of

TO = "obl:to"


def with_receiver(
    clause: Clause, arguments: Sequence[Argument], asks: Asked | None
) -> tuple[list[Argument], Asked | None]:
    """Return arguments and what is asked with the receiver under the relation that "to" gives it."""
    change = _of_passive if clause.passive else _of_active
    return change(clause, list(arguments), asks)


def _of_active(
    clause: Clause, arguments: list[Argument], asks: Asked | None
) -> tuple[list[Argument], Asked | None]:
    """Of two bare objects the first receives the second, also if that is asked: "What did Kim lend Lee?"."""
    bare = [a for a in arguments if a.relation == "obj" and not (a.conjoined or a.alternative)]
    asked = asks is not None and asks.relation == "obj"
    if len(bare) + asked == 2:
        first = min(bare, key=lambda a: a.head_id)
        arguments[arguments.index(first)] = replace(first, relation=TO)
    return arguments, asks


def _of_passive(
    clause: Clause, arguments: list[Argument], asks: Asked | None
) -> tuple[list[Argument], Asked | None]:
    """A verb that still has an object has the receiver for its subject: "Lee and Kim were lent a book"."""
    subject = clause.subject()
    if subject is None or lemma_of(clause.head) not in dative_verbs():
        return arguments, asks
    heads = {t.id for t in conjuncts(clause.tree, subject)[0]}
    asked = asks.token if asks is not None and asks.relation == "obj" else 0
    objects = {a.head_id for a in arguments if a.relation == "obj"} | ({asked} if asked else set())
    if not objects & heads or objects <= heads:
        return arguments, asks
    changed = [
        replace(a, relation=TO) if a.relation == "obj" and a.head_id in heads else a
        for a in arguments
    ]
    if asks is not None and asked in heads:
        asks = replace(asks, relation=TO)
    return changed, asks
