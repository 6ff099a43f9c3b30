"""From text to annotated stories: parse, find who is who, find who did what.

Every distinct sentence is parsed and labelled once; what was annotated before comes from the cache, without
importing the parser. The order of the stages is the paper's: coreference first, then semantic roles.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pipeline.annotate.cache import AnnotationCache
from pipeline.annotate.parser import tree_from_json, tree_to_json
from pipeline.coref import Clusters, Coreference
from pipeline.srl import Frame, RoleBackend
from pipeline.trees import Tree

CHUNK = 2000
"""Sentences parsed between two visits to the cache: what is lost when a run is killed."""


class Parser(Protocol):
    """What the annotator needs of a parser."""

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever its trees may."""
        ...

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return one tree a sentence."""
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
        for story in told:
            trees = tuple(self._trees[sentence] for sentence in story)
            frames = tuple(self._frames[sentence] for sentence in story)
            yield Annotated(story, trees, frames, self.coref.resolve(trees))

    def prepare(self, sentences: Iterable[str]) -> None:
        """Parse and label the sentences that are not known yet."""
        new = [s for s in dict.fromkeys(sentences) if s not in self._trees]
        maker = f"{self.parser.fingerprint} | {self.srl.fingerprint}"
        for start in range(0, len(new), CHUNK):
            chunk = new[start : start + CHUNK]
            if self.cache is not None:
                self._take(self.cache.get(maker, chunk))
                chunk = [sentence for sentence in chunk if sentence not in self._trees]
            if chunk:
                self._work(chunk)
                if self.cache is not None:
                    self.cache.put(maker, {sentence: self._packed(sentence) for sentence in chunk})
            if self.progress is not None:
                self.progress(min(start + CHUNK, len(new)), len(new))

    def _work(self, sentences: list[str]) -> None:
        trees = self.parser.parse(sentences)
        for sentence, tree, frames in zip(sentences, trees, self.srl.label(trees), strict=True):
            self._trees[sentence] = tree
            self._frames[sentence] = tuple(frames)

    def _take(self, known: dict[str, str]) -> None:
        for sentence, packed in known.items():
            tree, frames = json.loads(packed)
            self._trees[sentence] = tree_from_json(tree)
            self._frames[sentence] = tuple(Frame.from_json(frame) for frame in frames)

    def _packed(self, sentence: str) -> str:
        frames = [frame.to_json() for frame in self._frames[sentence]]
        return json.dumps([tree_to_json(self._trees[sentence]), frames], ensure_ascii=False)


def default_cache_path() -> Path:
    """Return where annotations are kept unless the user says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "babi-cascade" / "annotations.sqlite"
