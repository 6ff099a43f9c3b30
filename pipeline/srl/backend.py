"""What every role back end is, and the one error of a missing requirement."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from babi_cascade.errors import UserError
from babi_cascade.pipeline.srl.frames import Frame
from babi_cascade.pipeline.trees import Token, Tree

BACKENDS = {
    "stanza": "Stanza",
    "senna": "Senna",
    "conllu": "Conllu",
    "none": "Nothing",
}
"""name (and module) → class; a back end is imported when it is asked for, with what it needs"""


class MissingRequirement(UserError):  # noqa: N818 - it says what is the case
    """Something a back end needs is not there; the text names the command that gets it."""

    def __init__(self, backend: str, missing: str, command: str) -> None:
        super().__init__(backend, missing, command)
        self.backend, self.missing, self.command = backend, missing, command

    def __str__(self) -> str:
        return f"--srl {self.backend} needs {self.missing}; get it with: {self.command}"


@runtime_checkable
class RoleBackend(Protocol):
    """Turns sentences into frames.

    ``requires`` says what must be there besides this package, ``version`` and ``fingerprint`` what can
    change the result (they go into caches and signatures).
    """

    name: str
    requires: str

    @property
    def version(self) -> str:
        """The version of the program behind the back end."""

    @property
    def fingerprint(self) -> str:
        """A name of everything that decides the frames: models, options, rules."""

    def check(self) -> None:
        """Raise `MissingRequirement` now rather than in the middle of the work."""

    def label(self, sentences: Sequence[Tree | str]) -> list[list[Frame]]:
        """Return the frames of each sentence, in order."""


def role_backend(name: str, **options: Any) -> RoleBackend:
    """Return a back end by name, checked: it will work or has said what is missing."""
    if name not in BACKENDS:
        raise ValueError(f"found role back end {name!r}, expected one of {', '.join(BACKENDS)}")
    module = import_module(f"babi_cascade.pipeline.srl.{name}")
    backend: RoleBackend = getattr(module, BACKENDS[name])(**options)
    backend.check()
    return backend


def as_tree(sentence: Tree | str) -> Tree:
    """Return plain text as words without syntax (split at spaces and around final punctuation)."""
    if isinstance(sentence, Tree):
        return sentence
    tokens: list[Token] = []
    position = 0
    for word in sentence.split():
        start = sentence.index(word, position)
        position = start + len(word)
        stem = word.rstrip(".,;:!?")
        if stem:
            tokens.append(_plain(len(tokens) + 1, stem, start))
        if word[len(stem) :]:
            tokens.append(_plain(len(tokens) + 1, word[len(stem) :], start + len(stem)))
    return Tree(tuple(tokens), sentence)


def _plain(number: int, form: str, start: int) -> Token:
    tag = "PUNCT" if not any(c.isalnum() for c in form) else "X"
    return Token(number, form, form.lower(), tag, "_", 0, "dep", "_", start, start + len(form))
