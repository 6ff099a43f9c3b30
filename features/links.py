"""By which fillers supporting facts hang together that do not all name something of the question.

"Where is the lantern?" rests on who took it and where she went: the second fact shares the subject of the
first. What is learned is the pair of roles, by kinds of questions, from the facts of the training questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from babi_cascade.features.outline import Outline

Pairs = frozenset[tuple[str, str]]


class Links:
    """The pairs of roles that lead from one supporting fact to the next.

    A kind of question that training did not have takes those of its question word, then all.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, Pairs] = {}
        self.words: dict[str, Pairs] = {}

    def __bool__(self) -> bool:
        return bool(self.kinds)

    def learn(self, questions: Iterable[tuple[Outline, Sequence[Outline]]]) -> Links:
        """Learn from questions and their supporting facts."""
        for question, facts in questions:
            pairs = frozenset(_pairs(question, facts))
            self.kinds[question.kind] = self.kinds.get(question.kind, frozenset()) | pairs
            self.words[question.asked] = self.words.get(question.asked, frozenset()) | pairs
        return self

    def of(self, question: Outline) -> Pairs:
        """Return the pairs for a question."""
        known = self.kinds.get(question.kind, self.words.get(question.asked))
        return known if known is not None else frozenset().union(*self.kinds.values())

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {
            name: {kind: sorted(map(list, pairs)) for kind, pairs in sorted(table.items())}
            for name, table in (("kinds", self.kinds), ("words", self.words))
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Links:
        """Take over what ``to_json`` returned."""
        links = cls()
        links.kinds, links.words = (
            {kind: frozenset((a, b) for a, b in pairs) for kind, pairs in record[name].items()}
            for name in ("kinds", "words")
        )
        return links


def linked(role: str, plain: str) -> bool:
    """Say whether a role is this one, whatever its preposition."""
    return role.partition(":")[0] == plain


def _pairs(question: Outline, facts: Sequence[Outline]) -> Iterable[tuple[str, str]]:
    """Yield the roles by which facts that name nothing of the question are reached from others."""
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
        for one, other in next_to:
            for filler in one.fillers.keys() & other.fillers.keys():
                for here in one.fillers[filler]:
                    for there in other.fillers[filler]:
                        yield here.partition(":")[0], there.partition(":")[0]
        now = {id(other): other for _, other in next_to}
        reached += now.values()
        left = [fact for fact in left if id(fact) not in now]
