"""The four models of a directory together: sentences in, trees out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from threadpoolctl import ThreadpoolController

from babi_cascade.pipeline.parse.small.lemmatizer import Lemmatizer
from babi_cascade.pipeline.parse.small.parser import DependencyParser
from babi_cascade.pipeline.parse.small.tagger import Tagger
from babi_cascade.pipeline.parse.small.tokenizer import Tokenizer, Word
from babi_cascade.pipeline.parse.small.weights import UnreadableError, read_model
from babi_cascade.pipeline.parse.small.words import simplified
from babi_cascade.pipeline.parse.stanza_trees import named
from babi_cascade.pipeline.trees import Token, Tree

PARTS = ("tokenize", "pos", "lemma", "depparse")

TOGETHER = 1500
"""Words that are read together, so that their states take a few dozen megabytes."""


def load(directory: Path) -> SmallModels | None:
    """Return the models of a Stanza model directory, or None where they are Stanza's business.

    That is: other models than these four, files that are not as they should be, other shapes.
    """
    try:
        listed = json.loads((directory / "resources.json").read_text(encoding="utf-8"))["en"]
        chosen = listed["default_processors"]
        paths = [directory / "en" / part / f"{chosen[part]}.pt" for part in PARTS]
        if sorted(paths) != sorted((directory / "en").rglob("*.pt")):
            return None
        tokenizer, tagger, lemmatizer, parser = (read_model(path) for path in paths)
        known = (
            Tokenizer.knows(tokenizer["config"])
            and Tagger.knows(tagger["config"], tagger["vocab"])
            and Lemmatizer.knows(lemmatizer)
            and DependencyParser.knows(parser["config"])
        )
        if not known:
            return None
        return SmallModels(
            Tokenizer(tokenizer), Tagger(tagger), Lemmatizer(lemmatizer), DependencyParser(parser)
        )
    except (OSError, UnreadableError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None


class SmallModels:
    """Tokenizer, tagger, lemmatizer and parser."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        tagger: Tagger,
        lemmatizer: Lemmatizer,
        parser: DependencyParser,
    ) -> None:
        self.tokenizer, self.tagger = tokenizer, tagger
        self.lemmatizer, self.parser = lemmatizer, parser
        self._threads = ThreadpoolController()

    def takes(self, texts: Sequence[str]) -> bool:
        """Whether these texts are cut into words here."""
        return all(map(self.tokenizer.takes, texts))

    def cut(self, texts: Sequence[str], *, split: bool) -> list[list[list[Word]]]:
        """Return the sentences of each text as words, one sentence at most unless ``split``."""
        with self._one_thread():
            return self.tokenizer.cut(texts, split=split)

    def trees(self, texts: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Tree]:
        """Return the trees of sentences that are cut into words; each has the text it stands in."""
        found, begin, words = list[Tree](), 0, 0
        for end, sentence in enumerate(sentences, start=1):
            words += len(sentence)
            if words >= TOGETHER or end == len(sentences):
                found += self._trees(texts[begin:end], sentences[begin:end])
                begin, words = end, 0
        return found

    def _trees(self, texts: Sequence[str], sentences: Sequence[Sequence[Word]]) -> list[Tree]:
        forms = [[simplified(word.text) for word in words] for words in sentences]
        with self._one_thread():
            tags = self.tagger.tags(forms)
            pairs = [
                [(word.text, upos) for word, (upos, _) in zip(words, row, strict=True)]
                for words, row in zip(sentences, tags, strict=True)
            ]
            lemma_of = self.lemmatizer.lemmas(pair for row in pairs for pair in row)
            lemmas = [[lemma_of[pair] for pair in row] for row in pairs]
            arcs = self.parser.arcs(forms, lemmas)
        return [_tree(*parts) for parts in zip(texts, sentences, tags, lemmas, arcs, strict=True)]

    def _one_thread(self) -> Any:
        """One thread: the order of sums, and so every last digit, is then always the same."""
        return self._threads.limit(limits=1, user_api="blas")


def _tree(
    text: str,
    words: Sequence[Word],
    tags: Sequence[tuple[str, str]],
    lemmas: Sequence[str],
    arcs: Sequence[tuple[int, str]],
) -> Tree:
    """The tree of a sentence; its text and its offsets begin with its first word."""
    base = words[0].start
    tokens = []
    for place, (word, (upos, xpos), lemma, (head, relation)) in enumerate(
        zip(words, tags, lemmas, arcs, strict=True), start=1
    ):
        own = named(word.text, lemma, upos)
        tokens.append(
            Token(
                place, word.text, own, upos, xpos, head, relation, "_",
                word.start - base, word.end - base,
            )
        )  # fmt: skip
    return Tree(tuple(tokens), text[base : words[-1].end])
