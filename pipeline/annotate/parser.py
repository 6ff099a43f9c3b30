"""The parser: Stanza, with the small models that ship, or with any other model directory.

Stanza and torch are imported when the first sentence is really parsed, not before: a run whose sentences
are all in the cache never pays for them. The fingerprint, which decides whether the cache may be used,
comes from the model files and the installed version alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from pipeline.trees import Token, Tree

PROCESSORS = "tokenize,pos,lemma,depparse"
LONGEST = 250
"""Words of a sentence that are parsed; the parser's tables grow with the square of the length."""

BATCH = 400
"""Sentences handed to Stanza at once."""


class ParserError(Exception):
    """The parser cannot be used; the message says what is missing and the command that gets it."""


class StanzaParser:
    """Parses sentences with Stanza.

    Parameters
    ----------
    models : "shipped" (the small English models of this project), "default" (Stanza's official English
        models, where Stanza keeps them) or the path of a Stanza model directory
    threads : how many threads torch may use; 0 leaves it to torch
    """

    name = "stanza"

    def __init__(self, *, models: str = "shipped", threads: int = 0) -> None:
        self.models = models
        self.threads = threads

    @cached_property
    def directory(self) -> Path:
        """The folder with ``resources.json`` and the models in ``en/``, as Stanza wants it."""
        if self.models == "shipped":
            return Path(str(resources.files("data") / "models"))
        if self.models == "default":
            return _official_directory()
        return Path(self.models)

    @cached_property
    def fingerprint(self) -> str:
        """What decides the result: Stanza's version and the content of the model files."""
        digest = hashlib.sha256()
        for path in self._model_files():
            digest.update(str(path.relative_to(self.directory)).encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        return f"stanza {_stanza_version()} {digest.hexdigest()[:16]}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return one tree a sentence; one that cannot be parsed gives its words without structure."""
        trees: dict[int, Tree] = {}
        todo: list[int] = []
        for position, text in enumerate(sentences):
            words = len(text.split())
            if words == 0 or words > LONGEST:
                trees[position] = flat_tree(text)
            else:
                todo.append(position)
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            # A blank line ends a sentence; white space inside one would end it too early.
            texts = [" ".join(sentences[position].split()) for position in batch]
            parsed = self._run(self._by_line, "\n\n".join(texts))
            if len(parsed) != len(batch):
                parsed = [self._joined(text) for text in texts]
            trees.update(zip(batch, parsed, strict=True))
        return [trees[position] for position in range(len(sentences))]

    def split(self, text: str) -> list[Tree]:
        """Split running text into sentences and parse them."""
        return [tree for part in _paragraphs(text) for tree in self._run(self._by_text, part)]

    def _joined(self, text: str) -> Tree:
        """Parse one line by itself, for the rare line that Stanza takes for several sentences."""
        parsed = self._run(self._by_line, text)
        return parsed[0] if len(parsed) == 1 else flat_tree(text)

    def _run(self, pipeline: Any, text: str) -> list[Tree]:
        return [tree_of(sentence) for sentence in pipeline(text).sentences]

    @cached_property
    def _by_line(self) -> Any:
        return self._pipeline(tokenize_no_ssplit=True)

    @cached_property
    def _by_text(self) -> Any:
        return self._pipeline()

    def _pipeline(self, **settings: Any) -> Any:
        self._model_files()  # a missing model is told before the heavy imports
        import stanza
        import torch

        if self.threads:
            torch.set_num_threads(self.threads)
        return stanza.Pipeline(
            "en", dir=str(self.directory), processors=PROCESSORS, download_method=None,
            use_gpu=False, verbose=False, logging_level="ERROR", **settings,
        )  # fmt: skip

    def _model_files(self) -> list[Path]:
        files = sorted(
            path
            for processor in PROCESSORS.split(",")
            for path in (self.directory / "en" / processor).rglob("*.pt")
            if path.is_file()
        )
        if not files:
            how = "python -c \"import stanza; stanza.download('en')\""
            hint = f"; get them with {how}" if self.models == "default" else ""
            raise ParserError(f"{self.directory}: found no Stanza models there{hint}")
        return files


def tree_of(sentence: Any) -> Tree:
    """Turn a sentence of Stanza into a tree; offsets count from its first character."""
    words = sentence.words
    text = sentence.text
    base = min((w.start_char for w in words if w.start_char is not None), default=0)
    tokens = []
    for word in words:
        start = (word.start_char or base) - base
        end = (word.end_char or base) - base
        tokens.append(
            Token(
                word.id,
                word.text,
                lemma_of(word),
                word.upos or "X",
                word.xpos or "_",
                word.head or 0,
                word.deprel or "dep",
                word.feats or "_",
                start,
                end,
            )
        )
    return Tree(tuple(tokens), text)


def lemma_of(word: Any) -> str:
    """Return the lemma; a name is its own, whatever a lemmatizer makes of one it has never seen."""
    if word.upos == "PROPN" or not word.lemma:
        return str(word.text)
    return str(word.lemma)


def flat_tree(text: str) -> Tree:
    """Return the words of a text without structure: the first is the root of all others."""
    tokens: list[Token] = []
    position = 0
    for number, word in enumerate(text.split(), start=1):
        start = text.index(word, position)
        position = start + len(word)
        head, relation = (0, "root") if number == 1 else (1, "dep")
        tokens.append(
            Token(number, word, word.lower(), "X", "_", head, relation, "_", start, position)
        )
    return Tree(tuple(tokens), text)


def tree_to_json(tree: Tree) -> str:
    """Return the compact form in which trees are cached."""
    rows = [
        [t.form, t.lemma, t.upos, t.xpos, t.head, t.deprel, t.feats, t.start, t.end] for t in tree
    ]
    return json.dumps([tree.text, rows], ensure_ascii=False, separators=(",", ":"))


def tree_from_json(text: str) -> Tree:
    """Read what ``tree_to_json`` wrote."""
    whole, rows = json.loads(text)
    tokens = tuple(
        Token(number, form, lemma, upos, xpos, head, deprel, feats, start, end)
        for number, (form, lemma, upos, xpos, head, deprel, feats, start, end) in enumerate(rows, 1)
    )
    return Tree(tokens, whole)


def _stanza_version() -> str:
    try:
        return metadata.version("stanza")
    except metadata.PackageNotFoundError:
        raise ParserError(
            "Stanza is not installed; get it with: pip install -c constraints.txt 'babi-cascade[nlp]'"
        ) from None


def _official_directory() -> Path:
    """Return where Stanza keeps the models it downloads, without importing it."""
    import os

    return Path(os.environ.get("STANZA_RESOURCES_DIR", Path.home() / "stanza_resources"))


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the parts of a text between blank lines, cut where one is too long to be parsed at once."""
    for part in text.split("\n\n"):
        words = part.split()
        for start in range(0, len(words), 5000):
            yield " ".join(words[start : start + 5000])
