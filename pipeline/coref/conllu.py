"""Back end: entities that the user brings in CoNLL-U files, ``Entity=`` in MISC."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from babi_cascade.pipeline.coref.entities import EntitySpan, read_entities
from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.given import given_mention
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.trees import ConlluError, ConlluSentence, Tree, read_conllu

_Words = tuple[str, ...]


class ConlluCoreference:
    """Answer from a file; a document there is what ``# newdoc`` begins.

    A story is found by its words. It may leave sentences of the document out, as a story without
    its questions does, or be only its beginning.
    """

    name = "conllu"
    version = "1"

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def requires(self) -> str:
        """The file."""
        return f"the CoNLL-U file {self.path} with Entity= in MISC"

    @property
    def fingerprint(self) -> str:
        """The checksum of the file: it is the model."""
        self.check()
        return f"conllu-1-{hashlib.sha256(self.path.read_bytes()).hexdigest()[:12]}"

    def check(self) -> None:
        """See that the file is there."""
        if not self.path.is_file():
            command = (
                f"babi-cascade annotate STORIES > {self.path} (or any tool that writes CoNLL-U)"
            )
            raise MissingRequirement("coref", self.name, f"the file {self.path}", command)

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return the entities marked in the sentences of the story."""
        if not story:
            return Clusters()
        for document in self._places.get(_words(story[0]), ()):
            positions = _positions(story, self._documents[document].words)
            if positions is not None:
                return self._entities(story, document, positions)
        first = " ".join(_words(story[0])[:12])
        raise CorefError(f"{self.path}: found no document with the story that starts {first!r}")

    def _entities(self, story: Sequence[Tree], document: int, positions: list[int]) -> Clusters:
        place = {position: index for index, position in enumerate(positions)}
        groups: dict[str, list[Mention]] = {}
        for span in self._documents[document].spans:
            index = place.get(span.sentence)
            if index is not None:
                groups.setdefault(span.entity, []).append(
                    given_mention(story[index], index, span.start, span.end)
                )
        return Clusters.of(groups.values())

    @cached_property
    def _documents(self) -> list[_Document]:
        self.check()
        try:
            return [_Document.of(d, str(self.path)) for d in _split(read_conllu(self.path))]
        except ConlluError as error:
            raise CorefError(str(error)) from error

    @cached_property
    def _places(self) -> dict[_Words, list[int]]:
        """The documents that hold a sentence: so that each story is compared with few."""
        places: dict[_Words, list[int]] = {}
        for number, document in enumerate(self._documents):
            for words in dict.fromkeys(document.words):
                places.setdefault(words, []).append(number)
        return places


@dataclass(frozen=True, slots=True)
class _Document:
    words: list[_Words]
    spans: list[EntitySpan]

    @classmethod
    def of(cls, sentences: list[ConlluSentence], name: str) -> _Document:
        return cls([_words(s.tree) for s in sentences], read_entities(sentences, name))


def _split(sentences: Iterator[ConlluSentence]) -> Iterator[list[ConlluSentence]]:
    document: list[ConlluSentence] = []
    for sentence in sentences:
        if sentence.starts_document and document:
            yield document
            document = []
        document.append(sentence)
    if document:
        yield document


def _words(tree: Tree) -> _Words:
    return tuple(token.form for token in tree)


def _positions(story: Sequence[Tree], document: list[_Words]) -> list[int] | None:
    """Return where the sentences of a story stand in a document, in order; None if they do not."""
    positions: list[int] = []
    start = 0
    for tree in story:
        try:
            start = document.index(_words(tree), start) + 1
        except ValueError:
            return None
        positions.append(start - 1)
    return positions
