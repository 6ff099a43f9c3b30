"""``Entity=`` in the MISC column: which words are mentions of which entity, in and out.

Three ways of writing are read. Plain: ``(3`` opens a mention of entity 3, ``3)`` closes it, ``(3)`` is a
mention of one word. GUM and CorefUD: after the id, fields joined by hyphens
(``(3-person-giv:act-nnnnn-cf1-1-coref``; what they mean is said by ``global.Entity``). Parts of a mention
with a gap carry ``[1/2]``; they are read as mentions of their own, since a span has no gaps here.
``Bridge=`` and ``SplitAnte=`` are other relations than identity and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.model import Clusters
from babi_cascade.pipeline.trees import ConlluSentence, Token, Tree

_BRACKET = re.compile(r"\([^()]*\)?|[^()]+\)")


@dataclass(frozen=True, slots=True)
class EntitySpan:
    """One marked mention: where it stands, the id of its entity, the fields behind the id."""

    sentence: int
    start: int
    end: int
    entity: str
    fields: tuple[str, ...] = ()

    def head(self, tree: Tree) -> Token:
        """Return the word whose head is outside the span: the head of the phrase."""
        inside = range(self.start, self.end + 1)
        words = tree.tokens[self.start - 1 : self.end]
        return next((t for t in words if t.head not in inside), words[0])


def read_entities(
    sentences: Sequence[ConlluSentence], name: str = "annotation"
) -> list[EntitySpan]:
    """Return the mentions that are marked in the sentences of one document, as they close."""
    found: list[EntitySpan] = []
    for index, sentence in enumerate(sentences):
        opened: list[tuple[int, str, tuple[str, ...]]] = []
        for word, misc in enumerate(sentence.misc, start=1):
            value = next((m[7:] for m in misc.split("|") if m.startswith("Entity=")), "")
            for bracket in _BRACKET.findall(value):
                entity, *fields = bracket.strip("()").split("-")
                entity = entity.partition("[")[0]
                if bracket[0] == "(":
                    opened.append((word, entity, tuple(fields)))
                if bracket[-1] == ")":
                    found.append(_closed(opened, index, word, entity, name))
        if opened:
            raise CorefError(
                f"{name}: sentence {index + 1}: entity {opened[-1][1]!r} is opened and never closed"
            )
    return found


def entity_column(story: Sequence[Tree], clusters: Clusters) -> list[list[str]]:
    """Return the value of ``Entity=`` for every word of every sentence, "" for most.

    Brackets nest: of mentions that close at one word, the one that was opened last closes first.
    """
    opening: dict[tuple[int, int], list[tuple[int, int]]] = {}
    closing: dict[tuple[int, int], list[tuple[int, int]]] = {}
    single: dict[tuple[int, int], list[int]] = {}
    for mention in clusters.mentions:
        number = clusters.entity(mention) + 1
        if mention.start == mention.end:
            single.setdefault((mention.sentence, mention.start), []).append(number)
        else:
            opening.setdefault((mention.sentence, mention.start), []).append((-mention.end, number))
            closing.setdefault((mention.sentence, mention.end), []).append((-mention.start, number))
    return [
        [
            "".join(f"({number}" for _, number in sorted(opening.get((index, token.id), [])))
            + "".join(f"({number})" for number in single.get((index, token.id), []))
            + "".join(f"{number})" for _, number in sorted(closing.get((index, token.id), [])))
            for token in tree
        ]
        for index, tree in enumerate(story)
    ]


def with_entities(
    sentences: Iterable[ConlluSentence], clusters: Clusters
) -> tuple[ConlluSentence, ...]:
    """Return sentences with ``Entity=`` in MISC, other keys kept and an old ``Entity=`` replaced."""
    known = tuple(sentences)
    column = entity_column([sentence.tree for sentence in known], clusters)
    marked = []
    for sentence, values in zip(known, column, strict=True):
        old = sentence.misc or ("_",) * len(sentence.tree)
        misc = []
        for entry, value in zip(old, values, strict=True):
            rest = [m for m in entry.split("|") if m != "_" and not m.startswith("Entity=")]
            misc.append("|".join([f"Entity={value}", *rest] if value else rest) or "_")
        marked.append(
            ConlluSentence(
                sentence.tree, sentence.comments, tuple(misc), sentence.rolesets, sentence.roles
            )
        )
    return tuple(marked)


def _closed(
    opened: list[tuple[int, str, tuple[str, ...]]], index: int, word: int, entity: str, name: str
) -> EntitySpan:
    for position in range(len(opened) - 1, -1, -1):  # spans may cross: the id decides
        if opened[position][1] == entity:
            start, _, fields = opened.pop(position)
            return EntitySpan(index, start, word, entity, fields)
    raise CorefError(
        f"{name}: sentence {index + 1}, word {word}: entity {entity!r} is closed and was not opened"
    )
