"""The feature groups by name. A new group is one file and one line here.

Other packages can join with entry points in the group ``babi_cascade.features``; they are imported only when
the user names them (see :func:`join`), never because a file does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from typing import Any, TypeVar

from babi_cascade.errors import UserError
from babi_cascade.features.answer.bias import AnswerBias
from babi_cascade.features.answer.copy import AnswerCopy
from babi_cascade.features.answer.fact_pairs import AnswerFactPairs
from babi_cascade.features.answer.fillers import AnswerFillers
from babi_cascade.features.answer.identity import AnswerIdentity
from babi_cascade.features.answer.kinds import AnswerKinds
from babi_cascade.features.answer.last_mentions import AnswerLastMentions
from babi_cascade.features.answer.parts import AnswerParts
from babi_cascade.features.answer.predicate_argument_pairs import AnswerPredicateArgumentPairs
from babi_cascade.features.answer.predicate_pairs import AnswerPredicatePairs
from babi_cascade.features.answer.question_words import AnswerQuestionWords
from babi_cascade.features.answer.state import AnswerState
from babi_cascade.features.answer.verb_argument_pairs import AnswerVerbArgumentPairs
from babi_cascade.features.answer.verb_pairs import AnswerVerbPairs
from babi_cascade.features.answer.word_pairs import AnswerWordPairs
from babi_cascade.features.group import AnswerGroup, Group, SupportGroup
from babi_cascade.features.presets import DEFAULT_PRESET, PRESETS, RELATIONS
from babi_cascade.features.support.adjacency import Adjacency
from babi_cascade.features.support.chain import Chain
from babi_cascade.features.support.empty_fact import EmptyFact
from babi_cascade.features.support.length import Length
from babi_cascade.features.support.nearest import Nearest
from babi_cascade.features.support.pair_distance import PairDistance
from babi_cascade.features.support.pair_order import PairOrder
from babi_cascade.features.support.predicate_argument_pairs import PredicateArgumentPairs
from babi_cascade.features.support.predicate_pairs import PredicatePairs
from babi_cascade.features.support.recency import Recency
from babi_cascade.features.support.role_agnostic import RoleAgnostic
from babi_cascade.features.support.role_match import RoleMatch
from babi_cascade.features.support.shared_word import SharedWord
from babi_cascade.features.support.state import State
from babi_cascade.features.support.times import Times
from babi_cascade.features.support.verb_argument_pairs import VerbArgumentPairs
from babi_cascade.features.support.verb_pairs import VerbPairs
from babi_cascade.features.support.word_pairs import WordPairs

SUPPORT: dict[str, Callable[[], SupportGroup]] = {
    group.name: group
    for group in (
        WordPairs, PairDistance, PairOrder, VerbPairs, VerbArgumentPairs, EmptyFact, SharedWord,
        PredicatePairs, PredicateArgumentPairs,
        RoleMatch, Recency, Nearest, RoleAgnostic, Times, Adjacency, Length, Chain, State,
    )
}  # fmt: skip
"""How a supporting fact is recognised."""

ANSWER: dict[str, Callable[[], AnswerGroup]] = {
    group.name: group
    for group in (
        AnswerBias, AnswerQuestionWords, AnswerWordPairs, AnswerVerbPairs, AnswerVerbArgumentPairs,
        AnswerPredicatePairs, AnswerPredicateArgumentPairs,
        AnswerCopy, AnswerIdentity, AnswerFactPairs, AnswerFillers, AnswerLastMentions,
        AnswerState, AnswerKinds, AnswerParts,
    )
}  # fmt: skip
"""How an answer is recognised."""


SHIPPED = frozenset((*SUPPORT, *ANSWER))


class FeatureError(UserError):
    """A feature group or preset that is not there; the text lists those that are."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The groups of a run, by stage, in the order of the registry."""

    support: tuple[str, ...]
    answer: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names, support stage first."""
        return self.support + self.answer


def choose(
    preset: str = DEFAULT_PRESET,
    features: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> Chosen:
    """Return the groups of a preset, or ``features`` instead, less those of ``without``.

    A name in ``features`` that begins with "+" is added to the preset; a list without such names replaces
    it. At least one group with features must be left in each stage.
    """
    if preset not in PRESETS:
        raise FeatureError(f"preset: found {preset!r}, expected one of {', '.join(PRESETS)}")
    added = [name[1:] for name in features or () if name.startswith("+")]
    only = [name for name in features or () if not name.startswith("+")]
    if added and only:
        raise FeatureError(
            f"features: found {'+' + added[0]!r} beside {only[0]!r}; expected + before every name, which "
            "adds to the preset, or before none, which replaces it"
        )
    for name in (*added, *only, *without):
        if name not in SUPPORT and name not in ANSWER:
            known = ", ".join((*SUPPORT, *ANSWER))
            raise FeatureError(f"feature group: found {name!r}, expected one of {known}")
    wanted = {*(only or PRESETS[preset]), *added}
    for name in without:
        if name not in wanted:
            raise FeatureError(
                f"without: {name!r} is not among the groups that are chosen: {', '.join(sorted(wanted))}"
            )
    named = wanted.difference(without)
    chosen = Chosen(
        tuple(name for name in SUPPORT if name in named),
        tuple(name for name in ANSWER if name in named),
    )
    for stage, names, every in (
        ("support", chosen.support, SUPPORT), ("answer", chosen.answer, ANSWER),
    ):  # fmt: skip
        if not any(fires(every[name]()) for name in names):
            firing = ", ".join(name for name, group in every.items() if fires(group()))
            raise FeatureError(
                f"no feature group is left for the {stage} stage; keep one of {firing}"
            )
    return chosen


def register(group: Any) -> str:
    """Put a group of one's own, a class or an object, beside those that ship; return its name."""
    name = getattr(group, "name", None)
    kind = group if isinstance(group, type) else type(group)
    stages = ((SUPPORT, SupportGroup), (ANSWER, AnswerGroup))
    own = [registry for registry, base in stages if issubclass(kind, base)]
    if len(own) != 1 or not isinstance(name, str) or not name or set(name) & set("+, "):
        raise FeatureError(
            f"features: found {group!r:.60}, expected a name, or a SupportGroup or AnswerGroup with a `name`"
        )
    if name in SHIPPED:
        raise FeatureError(
            f"features: there is a feature group {name!r} already; give it another name"
        )
    registry: dict[str, Any] = own[0]
    registry[name] = group if isinstance(group, type) else partial(copy, group)
    return name


def join(name: str) -> bool:
    """Let a group of another package be used that the user has named; say whether there is one."""
    if name in SUPPORT or name in ANSWER:
        return True
    for entry in metadata.entry_points(group="babi_cascade.features", name=name):
        if register(entry.load()) != name:
            raise FeatureError(f"the feature group of the entry point {name!r} has another name")
        return True
    return False


def named(features: Sequence[Any]) -> tuple[str, ...]:
    """Return the names of groups, some of which may be groups themselves; these are registered.

    A group is one of those that are listed or, where none is listed by its bare name, one more of the preset.
    """
    listed = any(isinstance(each, str) and not each.startswith("+") for each in features)
    plus = "" if listed else "+"
    return tuple(each if isinstance(each, str) else plus + register(each) for each in features)


def fires(group: Group) -> bool:
    """Say whether a group has features, rather than a rule alone."""
    return any(
        getattr(type(group), name) is not getattr(base, name)
        for base in (Group, SupportGroup, AnswerGroup)
        for name in vars(base)
        if name.startswith("of_") and isinstance(group, base)
    )


Made = TypeVar("Made", bound=Group)


def made(
    names: Sequence[str], registry: Mapping[str, Callable[[], Made]], *, roles: str = RELATIONS
) -> dict[str, Made]:
    """Return groups by their names; ``roles`` says what they tell arguments with."""
    groups = {name: registry[name]() for name in names}
    for group in groups.values():
        group.roles = roles
    return groups
