"""From text to annotated stories: parse, find who is who, find who did what.

Every distinct sentence is parsed and labelled once; what was annotated before comes from the cache, without
importing the parser. The order of the stages is the paper's: coreference first, then semantic roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from babi_cascade.pipeline.annotate.cache import AnnotationCache
from babi_cascade.pipeline.annotate.packing import (
    DamagedEntryError,
    pack_clusters,
    pack_sentence,
    pack_texts,
    packed,
    unpack_clusters,
    unpack_sentence,
    unpack_texts,
)
from babi_cascade.pipeline.coref import Clusters, Coreference
from babi_cascade.pipeline.srl import Frame, RoleBackend
from babi_cascade.pipeline.trees import Tree

Value = TypeVar("Value")

CHUNK = 2000
"""Sentences parsed, or stories resolved, between two visits to the cache: what a killed run loses."""

FORM = "3"
"""The form in which annotations are packed, and how trees are decoded (3: no second subject or object is
left in a long sentence); another one finds nothing in an old cache. It is no part of fingerprints: models
that were trained before stay good."""


class Parser(Protocol):
    """What the annotator needs of a parser."""

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever its trees may."""
        ...

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return one tree a sentence."""
        ...

    def sentences(self, text: str) -> list[str]:
        """Split running text into sentences."""
        ...

    def close(self) -> None:
        """Let go of what a large amount of work needed."""
        ...


@dataclass(frozen=True)
class Annotated:
    """The sentences of a story with their trees, frames and entities."""

    sentences: tuple[str, ...]
    trees: tuple[Tree, ...]
    frames: tuple[tuple[Frame, ...], ...]
    clusters: Clusters

    def to_json(self) -> dict[str, Any]:
        """Return frames and entities as plain values."""
        return {
            "sentences": [
                {"text": text, "frames": [frame.to_json() for frame in frames]}
                for text, frames in zip(self.sentences, self.frames, strict=True)
            ],
            **self.clusters.to_json(),
        }


@dataclass
class Annotator:
    """Annotates stories with a parser, a coreference back end and a role back end.

    Parameters
    ----------
    parser, coref, srl : the back ends
    cache : where annotations are kept, or None to keep them in memory only
    progress : gets (sentences annotated, sentences to annotate) now and then
    """

    parser: Parser
    coref: Coreference
    srl: RoleBackend
    cache: AnnotationCache | None = None
    progress: Callable[[int, int], None] | None = None
    _trees: dict[str, Tree] = field(default_factory=dict, repr=False)
    _frames: dict[str, tuple[Frame, ...]] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        """What decides the result: the three back ends."""
        return " | ".join((self.parser.fingerprint, self.coref.fingerprint, self.srl.fingerprint))

    def annotate(self, stories: Iterable[Sequence[str]]) -> Iterator[Annotated]:
        """Annotate stories, each a sequence of sentences, in order."""
        told = [tuple(story) for story in stories]
        self.prepare(sentence for story in told for sentence in story)
        for start in range(0, len(told), CHUNK):
            part = told[start : start + CHUNK]
            for story, clusters in zip(part, self._resolved(part), strict=True):
                trees = tuple([self._trees[sentence] for sentence in story])
                frames = tuple([self._frames[sentence] for sentence in story])
                yield Annotated(story, trees, frames, clusters)

    def resolve(self, story: Sequence[str]) -> Clusters:
        """Return the entities of a story whose sentences were prepared."""
        return self._resolved([tuple(story)])[0]

    def resolve_all(self, stories: Sequence[Sequence[str]]) -> list[Clusters]:
        """Return the entities of many such stories, with few visits to the cache."""
        return [
            clusters
            for start in range(0, len(stories), CHUNK)
            for clusters in self._resolved([tuple(s) for s in stories[start : start + CHUNK]])
        ]

    def sentences(self, text: str) -> list[str]:
        """Split running text into sentences; a text that was split before needs no parser."""
        maker = f"sentences {FORM} | {self.parser.fingerprint}"
        known = self._known(maker, [text], _sentences_of).get(text)
        if known is not None:
            return known
        found = self.parser.sentences(text)
        self._keep(maker, {text: pack_texts(found)}, _sentences_of)
        return found

    def prepare(self, sentences: Iterable[str]) -> None:
        """Parse and label the sentences that are not known yet."""
        new = [s for s in dict.fromkeys(sentences) if s not in self._trees]
        maker = f"frames {FORM} | {self.parser.fingerprint} | {self.srl.fingerprint}"
        try:
            for start in range(0, len(new), CHUNK):
                chunk = new[start : start + CHUNK]
                for sentence, (tree, frames) in self._known(maker, chunk, _annotation_of).items():
                    self._trees[sentence], self._frames[sentence] = tree, frames
                chunk = [sentence for sentence in chunk if sentence not in self._trees]
                if chunk:
                    self._work(chunk)
                    made = {
                        sentence: pack_sentence(self._trees[sentence], self._frames[sentence])
                        for sentence in chunk
                        if self.cache is not None
                    }
                    self._keep(maker, made, _annotation_of)
                if self.progress is not None:
                    self.progress(min(start + CHUNK, len(new)), len(new))
        finally:
            self.parser.close()

    def tree(self, sentence: str) -> Tree:
        """Return the tree of a sentence that was prepared."""
        return self._trees[sentence]

    def frames(self, sentence: str) -> tuple[Frame, ...]:
        """Return the frames of a sentence that was prepared."""
        return self._frames[sentence]

    def forget(self, above: int = 0) -> None:
        """Let go of the sentences prepared so far when there are more."""
        if len(self._trees) > above:
            self._trees.clear()
            self._frames.clear()

    def _work(self, sentences: list[str]) -> None:
        trees = self.parser.parse(sentences)
        for sentence, tree, frames in zip(sentences, trees, self.srl.label(trees), strict=True):
            self._trees[sentence] = tree
            self._frames[sentence] = tuple(frames)

    def _known(
        self, maker: str, texts: Sequence[str], read: Callable[[str, str], Value]
    ) -> dict[str, Value]:
        """Return what the cache has, read; an entry that is not what it should be is taken out."""
        if self.cache is None:
            return {}
        found: dict[str, Value] = {}
        damaged: list[str] = []
        for text, value in self.cache.get(maker, texts).items():
            try:
                found[text] = read(text, value)
            except DamagedEntryError:
                damaged.append(text)
        if damaged:
            self.cache.discard(maker, damaged)
        return found

    def _keep(self, maker: str, made: dict[str, str], read: Callable[[str, str], Any]) -> None:
        """Put into the cache what will be good when it is read again."""
        if self.cache is None:
            return
        good = {}
        for text, value in made.items():
            with suppress(DamagedEntryError):
                read(text, value)
                good[text] = value
        if good:
            self.cache.put(maker, good)

    def _resolved(self, stories: Sequence[tuple[str, ...]]) -> list[Clusters]:
        """Return the entities of stories, from the cache where they are known."""
        named = {packed(story): story for story in stories}
        maker = f"entities {FORM} | {self.parser.fingerprint} | {self.coref.fingerprint}"

        def clusters_of(name: str, value: str) -> Clusters:
            return unpack_clusters(value, [len(self._trees[each]) for each in named[name]])

        found = self._known(maker, list(named), clusters_of)
        new: dict[str, str] = {}
        for name, story in named.items():
            if name not in found:
                found[name] = self.coref.resolve([self._trees[sentence] for sentence in story])
                new[name] = pack_clusters(found[name])
        self._keep(maker, new, clusters_of)
        return [found[packed(story)] for story in stories]


def _annotation_of(sentence: str, value: str) -> tuple[Tree, tuple[Frame, ...]]:
    tree, frames = unpack_sentence(value)
    if _letters(tree.text) != _letters(sentence):
        raise DamagedEntryError("found the annotation of another sentence")
    return tree, frames


def _sentences_of(text: str, value: str) -> list[str]:
    found = unpack_texts(value)
    if _letters("".join(found)) != _letters(text):
        raise DamagedEntryError("found the sentences of another text")
    return found


def _letters(text: str) -> str:
    """Return a text without white space, which a parser may change."""
    return "".join(text.split())


def default_cache_path() -> Path:
    """Return where annotations are kept unless the user says otherwise."""
    from platformdirs import user_cache_path

    return user_cache_path("babi-cascade") / "annotations.sqlite"
