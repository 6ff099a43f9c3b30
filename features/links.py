"""By which fillers supporting facts hang together that do not all name something of the question.

"Where is the lantern?" rests on who took it and where she went: the second fact shares the subject of the
first. What is learned are the pairs of roles of every step, by kinds of questions, from the facts of the
training questions: as many steps as these needed, and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from typing import Any

from babi_cascade.features.outline import Outline

Pairs = frozenset[tuple[str, str]]
Steps = tuple[Pairs, ...]
"""Of each step, the roles of a filler here and there."""


class Links:
    """The steps that lead from one supporting fact to the next.

    A kind of question that training did not have takes those of its question word, then all.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Steps] = {}
        self.words: dict[str, Steps] = {}

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def learn(self, questions: Iterable[tuple[Outline, Sequence[Outline]]]) -> Links:
        """Learn from questions and their supporting facts."""
        for question, facts in questions:
            steps = tuple(map(frozenset, _steps(question, facts)))
            self.kinds[question.kind] = _both(self.kinds.get(question.kind, ()), steps)
            self.words[question.asked] = _both(self.words.get(question.asked, ()), steps)
        return self

    def of(self, question: Outline) -> Steps:
        """Return the steps for a question."""
        known = self.kinds.get(question.kind, self.words.get(question.asked))
        return known if known is not None else reduce(_both, self.kinds.values(), ())

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            name: {
                kind: [sorted(map(list, pairs)) for pairs in steps]
                for kind, steps in sorted(table.items())
            }
            for name, table in (("kinds", self.kinds), ("words", self.words))
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Links:
        """Take over what ``to_json`` returned."""
        links = cls()
        links.kinds, links.words = (
            {
                kind: tuple(frozenset((a, b) for a, b in pairs) for pairs in steps)
                for kind, steps in record[name].items()
            }
            for name in ("kinds", "words")
        )
        return links


def linked(role: str, plain: str) -> bool:
    """Say whether a role is this one, whatever its preposition."""
    return role.partition(":")[0] == plain


def _both(one: Steps, other: Steps) -> Steps:
    """Return the steps of either."""
    none: Pairs = frozenset()
    return tuple(a | b for a, b in zip_longest(one, other, fillvalue=none))


def _steps(question: Outline, facts: Sequence[Outline]) -> Iterator[set[tuple[str, str]]]:
    """Yield, step by step, the roles by which facts that name nothing of the question are reached."""
    asked = question.fillers
    reached = [fact for fact in facts if not asked.keys().isdisjoint(fact.fillers)]
    left = [fact for fact in facts if asked.keys().isdisjoint(fact.fillers)]
    while left:
        next_to = [
            (one, other)
            for other in left
            for one in reached
            if not one.fillers.keys().isdisjoint(other.fillers)
        ]
        if not next_to:
            return
        yield {
            (here.partition(":")[0], there.partition(":")[0])
            for one, other in next_to
            for filler in one.fillers.keys() & other.fillers.keys()
            for here in one.fillers[filler]
            for there in other.fillers[filler]
        }
        now = {id(other): other for _, other in next_to}
        reached = list(now.values())
        left = [fact for fact in left if id(fact) not in now]
