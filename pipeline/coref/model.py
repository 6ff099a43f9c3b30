"""What coreference says of a story: mentions, and the entities that they are mentions of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal

from babi_cascade.pipeline.trees import Tree

Kind = Literal["pronoun", "name", "nominal", "list"]
Number = Literal["sing", "plur", "unknown"]
Gender = Literal["masc", "fem", "neut", "unknown"]
Animacy = Literal["animate", "inanimate", "unknown"]

KINDS = ("pronoun", "name", "nominal", "list")
ALLOWED: dict[str, tuple[str | int, ...]] = {
    "kind": KINDS,
    "number": ("sing", "plur", "unknown"),
    "gender": ("masc", "fem", "neut", "unknown"),
    "person": (1, 2, 3),
    "animacy": ("animate", "inanimate", "unknown"),
}


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A stretch of words that refers to something.

    ``sentence`` is the position of its tree in the story, from 0. ``start`` and ``end`` are the ids
    of its first and last word (both belong to it, ids count from 1), ``head`` that of its head. A
    ``list`` is a conjunction as a whole ("Pat and Robin"); its members are mentions of their
    own. The attributes are those of the words alone, before anything was learned from the story.
    """

    sentence: int
    start: int
    end: int
    head: int
    kind: Kind = "nominal"
    number: Number = "unknown"
    gender: Gender = "unknown"
    person: int = 3
    animacy: Animacy = "unknown"

    @property
    def span(self) -> tuple[int, int, int]:
        """What identifies a mention in a story: sentence, first and last word."""
        return self.sentence, self.start, self.end

    def contains(self, other: Mention) -> bool:
        """Say whether another mention lies within this one (a mention contains itself)."""
        return (
            self.sentence == other.sentence and self.start <= other.start and other.end <= self.end
        )

    def text(self, story: Sequence[Tree]) -> str:
        """Return the words of the mention as they stand in the story."""
        tree = story[self.sentence]
        first, last = tree[self.start], tree[self.end]
        if tree.text and last.end > first.start:
            return tree.text[first.start : last.end]
        return " ".join(token.form for token in tree.tokens[self.start - 1 : self.end])

    def to_json(self) -> dict[str, Any]:
        """Return the documented JSON form: one key a field."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Clusters:
    """The entities of a story: each the tuple of its mentions in the order of the text.

    The id of an entity is its position; entities are in the order of their first mentions. An
    entity mentioned once is there too: it has an id as any other.
    """

    entities: tuple[tuple[Mention, ...], ...] = ()

    @classmethod
    def of(cls, groups: Iterable[Iterable[Mention]]) -> Clusters:
        """Order groups of mentions into clusters, whatever order they come in."""
        entities = [tuple(sorted(group, key=text_order)) for group in groups]
        return cls(tuple(sorted((e for e in entities if e), key=lambda e: text_order(e[0]))))

    @cached_property
    def _entity(self) -> dict[tuple[int, int, int], int]:
        return {m.span: i for i, entity in enumerate(self.entities) for m in entity}

    def __iter__(self) -> Iterator[tuple[Mention, ...]]:
        return iter(self.entities)

    def __len__(self) -> int:
        return len(self.entities)

    def entity(self, mention: Mention) -> int:
        """Return the id of a mention's entity."""
        return self._entity[mention.span]

    def first(self, mention: Mention) -> Mention:
        """Return the first mention of the same entity."""
        return self.entities[self.entity(mention)][0]

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """All mentions in the order of the text."""
        return tuple(sorted((m for entity in self.entities for m in entity), key=text_order))

    def without_singletons(self) -> Clusters:
        """Return only the entities that are mentioned twice or more."""
        return Clusters(tuple(entity for entity in self.entities if len(entity) > 1))

    def to_json(self) -> dict[str, Any]:
        """Return the documented JSON form."""
        return {
            "entities": [
                {"id": i, "mentions": [mention.to_json() for mention in entity]}
                for i, entity in enumerate(self.entities)
            ]
        }


def text_order(mention: Mention) -> tuple[int, int, int]:
    """Sort mentions as a reader meets them; of two that start together the longer comes first."""
    return mention.sentence, mention.start, -mention.end
