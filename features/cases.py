"""What the support groups see of one fact beside the question, and of two facts.

Most facts of most stories stand in one of few *cases*: who is mentioned where, and how many like it came
later. A group turns a case into features once; after that a story is an array of case numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from babi_cascade.features.outline import Match

LATEST, SECOND, OLDER = "latest", "second latest", "older"
RANKS = (LATEST, SECOND, OLDER)
BEFORE, AFTER = "before", "after"


UNMET = "\0unmet"
"""Stands for whatever predicate, shape or time no feature of a trained model has."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is said of whomever: the sentence without its fillers; `UNMET` for what training never had."""

    predicate: str
    shape: str
    time: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Something of the question that a fact mentions.

    ``rank`` is among the facts of one shape that mention it in the same role, ``any_rank`` among all that
    mention it at all.
    """

    asked_role: str
    role: str
    rank: str
    any_rank: str


@dataclass(frozen=True, slots=True)
class ItemCase:
    """A fact beside the question.

    ``rank`` is among the facts with the same match and shape, ``loose_rank`` among those of the same
    shape that mention the same parts of the question, whatever their role. ``from_end``: 1 for the last
    fact before the question, 2, or 3 for all others. ``made`` is what it did to what the state of the world
    says about the question, empty if nothing.
    """

    question_kind: str
    kind: Kind
    match: Match
    rank: str
    loose_rank: str
    mentions: tuple[Mention, ...]
    from_end: int
    made: str = ""
    same_time: bool | None = None  # whether both name the same time, if both name one


@dataclass(frozen=True, slots=True)
class Flags:
    """Where the second of two facts stands among those that match the first in the same way."""

    nearest: bool  # in its direction
    last: bool  # of all before the question

    @property
    def words(self) -> str:
        """The flags as a short name."""
        return (
            f"{'nearest' if self.nearest else 'not nearest'}, {'last' if self.last else 'not last'}"
        )


@dataclass(frozen=True, slots=True)
class PairCase:
    """Two facts in the order of their slots, for a question of the kind ``question_kind``.

    ``flags`` compare the second with facts of the same match and shape; ``question_flags`` with those that
    match the question in the same way too; ``back_flags`` are those of the first seen from the second.
    """

    question_kind: str
    first: Kind
    second: Kind
    match: Match
    question_match: Match  # of the question and the second fact
    later: bool  # the second comes after the first
    adjacent: bool
    flags: Flags
    question_flags: Flags
    back_flags: Flags

    @property
    def direction(self) -> str:
        """Where the second stands, seen from the first."""
        return AFTER if self.later else BEFORE
