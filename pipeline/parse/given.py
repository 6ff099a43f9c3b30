"""Trees that the user brings: a CoNLL-U file in the place of the parser."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.trees import Tree, read_conllu
from babi_cascade.pipeline.trees.universal import completed

FORM = b"2"
"""Of what is made of a file; another one when trees are completed otherwise."""


class ConlluParser:
    """Looks sentences up in a file by their letters, however the file cuts them into words.

    Parameters
    ----------
    path : CoNLL-U file (also .gz) with a sentence for every sentence that will be asked for
    """

    name = "conllu"

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    @cached_property
    def fingerprint(self) -> str:
        """The content of the file: it is the model."""
        try:
            digest = hashlib.sha256(FORM + self.path.read_bytes()).hexdigest()
        except OSError as error:
            raise ParserError(f"{self.path}: cannot be read: {error.strerror}") from error
        return f"conllu {digest[:16]}"

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return the trees of the file; a sentence that it does not have is an error that names it."""
        missing = [text for text in sentences if text.strip() and _letters(text) not in self._trees]
        if missing:
            raise ParserError(
                f"{self.path}: found no tree of {len(missing)} of {len(sentences)} sentences, "
                f"e.g. {missing[0][:80]!r}"
            )
        return [
            self._trees[_letters(text)] if text.strip() else Tree((), text) for text in sentences
        ]

    def sentences(self, text: str) -> list[str]:
        """Return the sentences of the file, which must be those of the text."""
        found = [sentence.tree.text for sentence in read_conllu(self.path)]
        if _letters(text) != "".join(map(_letters, found)):
            raise ParserError(f"{self.path}: its sentences, put together, are not the text")
        return found

    def close(self) -> None:
        """Hold nothing."""

    @cached_property
    def _trees(self) -> dict[str, Tree]:
        trees = (sentence.tree for sentence in read_conllu(self.path))
        return {_letters(tree.text): completed(tree, str(self.path)) for tree in trees}


def _letters(text: str) -> str:
    return "".join(text.split())
