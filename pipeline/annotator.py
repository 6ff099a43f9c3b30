"""The stages of reading with a cache behind them: trees of sentences, entities of stories, frames.

What was annotated before comes from the cache, without importing the parser. `read.py` has the order in which
the stages work.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from babi_cascade.pipeline.backends import Coreference, RoleLabeller
from babi_cascade.pipeline.coref import Clusters, Replaced
from babi_cascade.pipeline.frames import Frame, extract_frames
from babi_cascade.pipeline.frames.extract import RULES
from babi_cascade.pipeline.parse import Parser
from babi_cascade.pipeline.parse.cache import AnnotationCache
from babi_cascade.pipeline.trees import Tree
from babi_cascade.pipeline.trees.rows import compact_json, tree_of_rows, tree_rows

CHUNK = 2000
"""Sentences parsed, or stories resolved, between two visits to the cache: what a killed run loses."""

FORM = "3"
"""The form in which annotations are kept; another one finds nothing in an old cache."""


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
        known = self._known(maker, [text]).get(text)
        if known is not None:
            return [str(sentence) for sentence in json.loads(known)]
        found = self.parser.sentences(text)
        self._keep(maker, {text: compact_json(found)})
        return found

    def parse(self, sentences: Iterable[str]) -> None:
        """Parse the sentences that are not known yet."""
        new = [s for s in dict.fromkeys(sentences) if s not in self._trees]
        maker = f"trees {FORM} | {self.parser.fingerprint}"
        try:
            for start in range(0, len(new), CHUNK):
                chunk = new[start : start + CHUNK]
                for sentence, text in self._known(maker, chunk).items():
                    self._trees[sentence] = tree_of_rows(json.loads(text))
                chunk = [sentence for sentence in chunk if sentence not in self._trees]
                if chunk:
                    found = dict(zip(chunk, self.parser.parse(chunk), strict=True))
                    self._trees.update(found)
                    self._keep(maker, {s: compact_json(tree_rows(t)) for s, t in found.items()})
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
            clusters = {
                name: Clusters.from_rows(json.loads(text))
                for name, text in self._known(maker, names).items()
            }
            new = {
                name: self.coref.resolve([self._trees[sentence] for sentence in story])
                for name, story in zip(names, stories[start : start + CHUNK], strict=True)
                if name not in clusters
            }
            self._keep(maker, {name: compact_json(c.to_rows()) for name, c in new.items()})
            clusters |= new
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
            frames = {
                name: tuple([Frame.from_json(frame) for frame in json.loads(text)])
                for name, text in self._known(maker, names).items()
            }
            new = {name: s for name, s in zip(names, chunk, strict=True) if name not in frames}
            made = dict(zip(new, self._made(list(new.values())), strict=True))
            texts = {name: compact_json([f.to_json() for f in own]) for name, own in made.items()}
            self._keep(maker, texts)
            frames |= made
            found += [frames[name] for name in names]
        return found

    def forget(self, above: int = 0) -> None:
        """Let go of the trees when there are more; the cache on disk keeps them."""
        if len(self._trees) > above:
            self._trees.clear()

    def _made(self, sentences: list[Replaced]) -> list[tuple[Frame, ...]]:
        labelled = self.srl.label(sentences) if sentences else []
        return [
            () if roles is None else tuple(extract_frames(sentence.tree, roles))
            for sentence, roles in zip(sentences, labelled, strict=True)
        ]

    def _known(self, maker: str, texts: Sequence[str]) -> dict[str, str]:
        return {} if self.cache is None else self.cache.get(maker, texts)

    def _keep(self, maker: str, annotations: dict[str, str]) -> None:
        if annotations and self.cache is not None:
            self.cache.put(maker, annotations)


def default_cache_path() -> Path:
    """Return where annotations are kept unless the user says otherwise."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "babi-cascade" / "annotations.sqlite"
