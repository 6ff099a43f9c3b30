"""The presets: lists of names of feature groups, and what they look at. Asking for them costs no import."""

from __future__ import annotations

from typing import Literal

PAPER, PAPER_PLUS, EXTENDED = "paper", "paper-plus", "extended"
DEFAULT_PRESET = EXTENDED

Roles = Literal["propbank", "relations", "none"]
"""What an argument is told with: the labeller's role, its dependency relation, or nothing."""

Mentions = Literal["pronouns", "all"]
"""Which mentions give way to the first mention of their entity."""

PROPBANK: Roles = "propbank"
RELATIONS: Roles = "relations"
NO_ROLES: Roles = "none"
ROLES = (PROPBANK, RELATIONS, NO_ROLES)

PRONOUNS: Mentions = "pronouns"
ALL: Mentions = "all"
REPLACED = (PRONOUNS, ALL)

PRESETS: dict[str, tuple[str, ...]] = {
    EXTENDED: (
        "role-match",
        "recency",
        "nearest",
        "role-agnostic",
        "times",
        "adjacency",
        "length",
        "chain",
        "state",
        "answer-copy",
        "answer-identity",
        "answer-fact-pairs",
        "answer-fillers",
        "answer-last-mentions",
        "answer-state",
        "answer-kinds",
        "answer-parts",
    ),
    PAPER: (
        "word-pairs",
        "pair-distance",
        "pair-order",
        "verb-pairs",
        "verb-argument-pairs",
        "empty-fact",
        "shared-word",
        "answer-bias",
        "answer-question-words",
        "answer-word-pairs",
        "answer-verb-pairs",
        "answer-verb-argument-pairs",
    ),
}
PRESETS[PAPER_PLUS] = tuple(name.replace("verb-", "predicate-", 1) for name in PRESETS[PAPER])
"""By name; what each is made for: "extended" passes all tasks, "paper" has the groups of appendix B,
"paper-plus" lets them see predicates and times as the tree has them."""

STATE_GROUPS = ("state", "answer-state")
"""The groups that look at the learned state of the world."""

LOOKS_AT: dict[str, tuple[Roles, Mentions]] = {
    EXTENDED: (RELATIONS, PRONOUNS),
    PAPER: (PROPBANK, ALL),
    PAPER_PLUS: (RELATIONS, PRONOUNS),
}
"""By preset: what an argument is told with, and which mentions are replaced."""
