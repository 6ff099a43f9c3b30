"""The stages of reading with a cache behind them: trees of sentences, entities of stories, frames.

What was annotated before comes from the cache, without importing the parser. `read.py` has the order in which
the stages work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from babi_cascade.pipeline.backends import Coreference, RoleLabeller, resolve_all
from babi_cascade.pipeline.cached import (
    clusters_of,
    frames_of,
    kept_clusters,
    kept_frames,
    kept_texts,
    kept_tree,
    texts_of,
    tree_of,
)
from babi_cascade.pipeline.coref import Clusters, Replaced
from babi_cascade.pipeline.frames import Frame, extract_frames
from babi_cascade.pipeline.frames.extract import RULES
from babi_cascade.pipeline.parse import Parser
from babi_cascade.pipeline.parse.cache import AnnotationCache
from babi_cascade.pipeline.trees import Tree
from babi_cascade.pipeline.trees.rows import DamagedEntryError, compact_json, tree_rows

Given = TypeVar("Given")
Value = TypeVar("Value")

CHUNK = 2000
"""Sentences parsed, or stories resolved, between two visits to the cache: what a killed run loses."""

FORM = "4"
"""The form in which annotations are kept, and how trees are decoded; another one finds nothing in an old
cache. It is no part of fingerprints: models that were trained before stay good."""


@dataclass
class Annotator:
    """Parses sentences, resolves stories and makes frames, each thing once.

    Parameters
    ----------
    parser, coref, srl : the back ends
    cache : where annotations are kept, or None to keep them in memory only
    progress : gets (sentences parsed, sentences to parse) now and then
    """

    parser: Parser
    coref: Coreference
    srl: RoleLabeller
    cache: AnnotationCache | None = None
    progress: Callable[[int, int], None] | None = None
    _trees: dict[str, Tree] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process without the trees, and without whoever hears of progress here."""
        return Annotator, (self.parser, self.coref, self.srl, self.cache)

    @property
    def fingerprints(self) -> dict[str, str]:
        """What decides the result, by stage; the rules that make frames belong to the roles."""
        return {
            "parser": self.parser.fingerprint,
            "coref": self.coref.fingerprint,
            "srl": f"{self.srl.fingerprint}-rules{RULES}",
        }

    @property
    def fingerprint(self) -> str:
        """What decides the result."""
        return " | ".join(self.fingerprints.values())

    def sentences(self, text: str) -> list[str]:
        """Split running text into sentences; a text that was split before needs no parser."""
        maker = f"sentences {FORM} | {self.parser.fingerprint}"
        return self._annotated(
            maker,
            {text: text},
            texts_of,
            lambda new: [self.parser.sentences(each) for each in new],
            kept_texts,
        )[text]

    def parse(self, sentences: Iterable[str]) -> None:
        """Parse the sentences that are not known yet."""
        new = [s for s in dict.fromkeys(sentences) if s not in self._trees]
        maker = f"trees {FORM} | {self.parser.fingerprint}"
        try:
            for start in range(0, len(new), CHUNK):
                chunk = {sentence: sentence for sentence in new[start : start + CHUNK]}
                self._trees |= self._annotated(maker, chunk, tree_of, self.parser.parse, kept_tree)
                if self.progress is not None:
                    self.progress(min(start + CHUNK, len(new)), len(new))
        finally:
            self.parser.close()

    def tree(self, sentence: str) -> Tree:
        """Return the tree of a sentence that was parsed."""
        return self._trees[sentence]

    def resolve(self, stories: Sequence[tuple[str, ...]]) -> list[Clusters]:
        """Return the entities of stories whose sentences were parsed."""
        maker = f"entities {FORM} | {self.parser.fingerprint} | {self.coref.fingerprint}"
        found: list[Clusters] = []
        for start in range(0, len(stories), CHUNK):
            names = [compact_json(story) for story in stories[start : start + CHUNK]]
            trees = {
                name: [self._trees[sentence] for sentence in story]
                for name, story in zip(names, stories[start : start + CHUNK], strict=True)
            }
            clusters = self._annotated(
                maker,
                trees,
                clusters_of,
                lambda new: resolve_all(self.coref, new),
                kept_clusters,
            )
            found += [clusters[name] for name in names]
        return found

    def frames(self, sentences: Sequence[Replaced]) -> list[tuple[Frame, ...]]:
        """Return the frames of sentences as they read after coreference."""
        maker = f"frames {FORM} | {self.fingerprints['srl']}"
        found: list[tuple[Frame, ...]] = []
        for start in range(0, len(sentences), CHUNK):
            chunk = sentences[start : start + CHUNK]
            # The tree decides; only roles from a file hang on the sentence as it was written.
            names = [compact_json([s.written.text, tree_rows(s.tree)]) for s in chunk]
            frames = self._annotated(
                maker,
                dict(zip(names, chunk, strict=True)),
                lambda value, sentence: frames_of(value, sentence.tree),
                self._labelled,
                kept_frames,
            )
            found += [frames[name] for name in names]
        return found

    def forget(self, above: int = 0) -> None:
        """Let go of the trees when there are more; the cache on disk keeps them."""
        if len(self._trees) > above:
            self._trees.clear()

    def _labelled(self, sentences: Sequence[Replaced]) -> list[tuple[Frame, ...]]:
        return [
            () if roles is None else tuple(extract_frames(sentence.tree, roles))
            for sentence, roles in zip(sentences, self.srl.label(sentences), strict=True)
        ]

    def _annotated(
        self,
        maker: str,
        wanted: dict[str, Given],
        read: Callable[[str, Given], Value],
        make: Callable[[list[Given]], list[Value]],
        kept: Callable[[Value], str],
    ) -> dict[str, Value]:
        """Return annotations by name: from the cache what is there and good, made and kept what is not.

        Parameters
        ----------
        maker : what decides the annotations, for the cache
        wanted : what is to be annotated, by the names under which annotations are kept
        read : reads what was kept of a thing, or raises `DamagedEntryError`
        make : annotates things
        kept : returns an annotation as the cache keeps it
        """
        found: dict[str, Value] = {}
        damaged: list[str] = []
        known = {} if self.cache is None else self.cache.get(maker, list(wanted))
        for name, value in known.items():
            try:
                found[name] = read(value, wanted[name])
            except DamagedEntryError:
                damaged.append(name)
        new = {name: thing for name, thing in wanted.items() if name not in found}
        if self.cache is not None and damaged:
            self.cache.discard(maker, damaged)
        if not new:
            return found
        made = dict(zip(new, make(list(new.values())), strict=True))
        if self.cache is not None:
            good: dict[str, str] = {}
            for name, annotation in made.items():
                value = kept(annotation)
                with suppress(DamagedEntryError):  # only what will be good when it is read again
                    read(value, new[name])
                    good[name] = value
            self.cache.put(maker, good)
        return found | made


def default_cache_path() -> Path:
    """Return where annotations are kept unless the user says otherwise."""
    from platformdirs import user_cache_path

    return user_cache_path("babi-cascade") / "annotations.sqlite"
