"""What a feature group is: what fires, what it is called, and how it is said to a person.

A group of either stage overrides the methods for what it looks at; the others return nothing, and what no
chosen group looks at is never computed. Two kinds of names are used:

* an *attribute* is a tuple of texts, the first of which says which template it comes from. It has a weight of
  its own in every slot that it can stand in;
* a group that looks at single sentences names texts (words, verbs, …); its features are pairs of them, one of
  each of two sentences.

Some groups have no features but a *rule*: what may be chosen at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from babi_cascade.features.presets import RELATIONS

if TYPE_CHECKING:
    from babi_cascade.features.answer_case import AnswerCase, Place
    from babi_cascade.features.cases import ItemCase, PairCase
    from babi_cascade.pipeline.read import ReadSentence

Attribute = tuple[str, ...]


class Rule(Enum):
    """What may be chosen."""

    LINKED_FACTS = "every fact shares something with the question or another chosen fact"
    ANY_NUMBER = "one to three facts, none only where there is nothing to choose"
    NUMBERS_OF_KIND = "as many facts as questions of the same kind had in training"
    CHAINS = "any number of facts, where training had more than three"
    ANSWERS_OF_KIND = "of the known answers, those to questions of the same kind"
    PARTS = "lists and sequences item by item"


class Group:
    """What both stages' groups have."""

    name: str
    description: str
    rule: Rule | None = None
    roles: str = RELATIONS
    """What an argument is told with, for the groups that look at them: one of `ROLES`."""

    def of_sentence(self, sentence: ReadSentence) -> Iterable[str]:
        """Return distinct texts of one sentence; pairs of them, one of each of two sentences, fire."""
        return ()

    def say(self, attribute: Attribute, first: str, second: str) -> str:
        """Return an attribute in words; ``first`` and ``second`` name the two sentences, if there are two.

        An attribute of two sentences by `of_sentence` is the pair of their texts.
        """
        return ", ".join(attribute)


class SupportGroup(Group):
    """Features of a fact beside the question, of two facts, and of how many facts there are."""

    def of_item(self, case: ItemCase) -> Iterable[Attribute]:
        """Return the attributes of a fact beside the question."""
        return ()

    def of_pair(self, case: PairCase) -> Iterable[Attribute]:
        """Return the attributes of two facts."""
        return ()

    def of_difference(self, difference: int) -> str | None:
        """Return what is said of a difference of positions (of the first sentence minus the second)."""
        return None

    def of_size(self, kind: str | None, size: int) -> Iterable[Attribute]:
        """Return the attributes of choosing so many facts for a kind of question, None if it is unknown."""
        return ()

    def links(self, sentence: ReadSentence) -> Iterable[str]:
        """Return what a sentence shares with those it is linked with."""
        return ()


class AnswerGroup(Group):
    """Features of an answer beside the question and the chosen facts.

    One that ``speaks_alone`` looks at the state of the world; where that suffices, no other group fires.
    """

    speaks_alone: bool = False

    def of_context(self, case: AnswerCase) -> Iterable[Attribute]:
        """Return attributes of a question with its facts: each has a weight for every known answer.

        One listed twice counts twice.
        """
        return ()

    def named(self, attribute: Attribute) -> tuple[Attribute, str] | None:
        """Return where a context attribute names something, and what it names; None if it names nothing.

        Names can only be learned by heart, so they are looked at only where they tell the answer.
        """
        return None

    def of_places(
        self, case: AnswerCase, candidate: str, places: tuple[Place, ...]
    ) -> Iterable[Attribute]:
        """Return attributes of a candidate that stands in these places (none: in no fact)."""
        return ()


AnyGroup = TypeVar("AnyGroup", bound=Group)


def using(groups: Mapping[str, AnyGroup], method: str) -> dict[str, AnyGroup]:
    """Return the groups that have a method of their own, by name."""
    bases = (Group, SupportGroup, AnswerGroup)
    nothing = [getattr(base, method) for base in bases if hasattr(base, method)]
    return {n: g for n, g in groups.items() if getattr(type(g), method) not in nothing}


def rules_of(groups: Mapping[str, Group]) -> frozenset[Rule]:
    """Return the rules that the groups have."""
    return frozenset(group.rule for group in groups.values() if group.rule is not None)


def said_safely(say: Callable[[], str], attribute: Attribute) -> str:
    """Return what a group says of an attribute; one that no group made is shown as it is."""
    try:
        return say()
    except (IndexError, KeyError, ValueError):
        return ", ".join(attribute)
