"""Sentences with what the reading stages made of them: entities, what pronouns stand for, words, frames.

JSON form of a reading; what there is nothing of is left out::

    {"mentions": [[0, 3, 1], …], "read_as": "Then Ada left.", "words": ["Then", "Ada", "left", "."],
     "frames": [FRAME, …], "used": "go: subject ada"}

A mention is where it begins and ends in the sentence, in characters, and the number of its entity.
``words`` are those of the sentence as it was read, to which the token ids of the frames point, from 1.
``used`` is what the features look at: of a question what it asks for, of a fact what it says, and who or
what stands in which role.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from babi_cascade.features.outline import outline_words
from babi_cascade.pipeline.stories import Story

if TYPE_CHECKING:
    from babi_cascade.cascade.estimator import Cascade
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence, ReadStory
    from babi_cascade.pipeline.trees import Tree

MentionSpan = tuple[int, int, int]
"""Where a mention begins and ends, in characters, and the number of its entity."""


@dataclass(frozen=True, slots=True)
class AnnotatedSentence:
    """A sentence of a story: as it was given, and as it was read."""

    line: int
    text: str
    read: ReadSentence
    mentions: tuple[MentionSpan, ...] = ()
    words: tuple[str, ...] = ()
    used: str = ""

    @property
    def read_as(self) -> str | None:
        """The sentence with its pronouns replaced, None where that changes nothing."""
        return self.read.text if self.read.text != self.text else None

    def reading(self) -> dict[str, Any]:
        """Return the JSON form of the reading."""
        record = {
            "mentions": [list(span) for span in self.mentions],
            "read_as": self.read_as,
            "words": list(self.words),
            "frames": [frame.to_json() for frame in self.read.frames],
            "used": self.used,
        }
        return {name: value for name, value in record.items() if value}

    def to_json(self) -> dict[str, Any]:
        """Return line, text and reading."""
        return {"line": self.line, "text": self.text, **self.reading()}


def annotate(cascade: Cascade, asked: ReadQuestion) -> list[AnnotatedSentence]:
    """Return the sentences of the story of a question, and the question last."""
    source = asked.source
    given = [*((fact.line, fact.text) for fact in source.facts), (source.line, source.text)]
    read = [*asked.facts, asked.question]
    reader = cascade.story_reader
    outline = cascade.support_stage_.encoder.stories.outline
    used = [outline_words(outline(one)) for one in read]
    if reader.annotator is None:
        return [
            AnnotatedSentence(line, text, one, used=said)
            for (line, text), one, said in zip(given, read, used, strict=True)
        ]
    (story,) = reader.stories([Story((*source.facts, source))])
    return [
        AnnotatedSentence(line, text, one, tuple(spans), _words(one), said)
        for (line, text), one, spans, said in zip(
            given, read, entity_spans(story), used, strict=True
        )
    ]


def entity_spans(story: ReadStory) -> list[list[MentionSpan]]:
    """Return the mentions of every sentence, from left to right.

    Only entities that are mentioned twice have a number: there is nothing to see in the others.
    """
    spans: list[list[MentionSpan]] = [[] for _ in story.texts]
    for number, entity in enumerate(story.clusters.without_singletons()):
        for mention in entity:
            written = story.replaced[mention.sentence].written
            found = _characters(written, mention.start, mention.end)
            if found is not None:
                spans[mention.sentence].append((*found, number))
    return [sorted(each, key=lambda span: (span[0], -span[1])) for each in spans]


def _words(sentence: ReadSentence) -> tuple[str, ...]:
    """Return the words that frames point to; none where there are no frames."""
    return tuple(token.form for token in sentence.tree or ()) if sentence.frames else ()


def _characters(tree: Tree, first: int, last: int) -> tuple[int, int] | None:
    """Return where words begin and end in the text; None where the tree does not know."""
    start, end = tree[first].start, tree[last].end
    return (start, end) if tree.text and start < end <= len(tree.text) else None
