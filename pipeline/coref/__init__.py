"""Coreference: which words of a story mean the same person or thing.

One back end a file, all behind one protocol, :class:`Coreference`. ``backend("sieve")`` gives the default,
which needs nothing but trees; the others say what they need before any work is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol, cast

from babi_cascade.pipeline.coref.errors import CorefError, MissingRequirement
from babi_cascade.pipeline.coref.model import Clusters, Mention
from babi_cascade.pipeline.trees import Tree

__all__ = [
    "BACKENDS",
    "DEFAULT",
    "Clusters",
    "CorefError",
    "Coreference",
    "Mention",
    "MissingRequirement",
    "backend",
]

DEFAULT = "sieve"

# Name → class. The classes are looked up when asked for: a back end that nobody uses costs no import.
BACKENDS: dict[str, str] = {
    "sieve": "babi_cascade.pipeline.coref.sieve:Sieve",
    "stanza": "babi_cascade.pipeline.coref.stanza:StanzaCoreference",
    "corenlp": "babi_cascade.pipeline.coref.corenlp:CoreNLP",
    "conllu": "babi_cascade.pipeline.coref.conllu:ConlluCoreference",
    "none": "babi_cascade.pipeline.coref.none:NoCoreference",
}


class Coreference(Protocol):
    """What every back end can do."""

    @property
    def name(self) -> str:
        """The name under which it is chosen."""
        ...

    @property
    def version(self) -> str:
        """The version of its code or of the system behind it."""
        ...

    @property
    def requirement(self) -> str:
        """What must be there before it can run, in words."""
        ...

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever its answers may: the key of cached annotations."""
        ...

    def check(self) -> None:
        """Raise :class:`MissingRequirement` now rather than after an hour of other work."""
        ...

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return the entities of a story."""
        ...


def backend(name: str = DEFAULT, **options: Any) -> Coreference:
    """Make a back end by its name, with the options of its class."""
    if name not in BACKENDS:
        raise CorefError(f"coreference back end: found {name!r}, expected one of {list(BACKENDS)}")
    module, _, attribute = BACKENDS[name].partition(":")
    made = cast(Callable[..., Coreference], getattr(import_module(module), attribute))
    try:
        return made(**options)
    except TypeError as error:
        raise CorefError(f"coreference back end {name!r}: {error}") from error
