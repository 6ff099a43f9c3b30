"""A sentence with its words in a dependency tree (Universal Dependencies)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

Roles = Mapping[int, Mapping[int, str]]
"""id of a predicate → (id of the head of an argument → its role), as a labeller or a file gives them"""


@dataclass(frozen=True, slots=True)
class Token:
    """One word. ``id`` counts from 1; ``head`` is the id of its head, 0 for the root.

    ``start`` and ``end`` are its character offsets in the sentence's text.
    """

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    deprel: str
    feats: str = "_"
    start: int = 0
    end: int = 0

    @property
    def relation(self) -> str:
        """The dependency relation without its subtype: ``nsubj:pass`` is a ``nsubj``."""
        return self.deprel.partition(":")[0]

    def has(self, feature: str) -> bool:
        """Say whether a morphological feature such as ``Number=Plur`` is set."""
        return feature in self.feats.split("|")


@dataclass(frozen=True)
class Tree:
    """The words of a sentence in order; ``tree[3]`` is the word with id 3."""

    tokens: tuple[Token, ...]
    text: str = ""

    def __getitem__(self, token_id: int) -> Token:
        return self.tokens[token_id - 1]

    def __iter__(self) -> Iterator[Token]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def root(self) -> Token | None:
        """The word that heads the sentence; None in an empty one."""
        return next((token for token in self.tokens if token.head == 0), None)

    @cached_property
    def _children(self) -> dict[int, tuple[Token, ...]]:
        found: dict[int, list[Token]] = {}
        for token in self.tokens:
            found.setdefault(token.head, []).append(token)
        return {head: tuple(tokens) for head, tokens in found.items()}

    def children(self, token: Token, *relations: str) -> tuple[Token, ...]:
        """Return the dependents of a word in order, only those with some relations if any are named.

        A relation without subtype stands for all its subtypes.
        """
        dependents = self._children.get(token.id, ())
        if not relations:
            return dependents
        return tuple(t for t in dependents if t.deprel in relations or t.relation in relations)

    def child(self, token: Token, *relations: str) -> Token | None:
        """Return the first dependent with one of the relations, or None."""
        return next(iter(self.children(token, *relations)), None)

    def head(self, token: Token) -> Token | None:
        """Return the head of a word, None for the root."""
        return self[token.head] if token.head else None

    def subtree(self, token: Token) -> tuple[Token, ...]:
        """Return a word and all below it, in the order of the sentence."""
        found, stack, seen = [], [token], set()
        while stack:
            current = stack.pop()
            if current.id in seen:
                continue  # a broken tree from outside may hold a cycle
            seen.add(current.id)
            found.append(current)
            stack.extend(self.children(current))
        return tuple(sorted(found, key=lambda t: t.id))

    def ancestors(self, token: Token) -> Iterator[Token]:
        """Yield the heads of a word up to the root."""
        seen = {token.id}
        while token.head and token.head not in seen:
            token = self[token.head]
            seen.add(token.id)
            yield token
