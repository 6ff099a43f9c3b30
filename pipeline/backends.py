"""Back ends of coreference and of semantic roles: what each of them is, and how it is found by name.

A class is imported when its back end is chosen: one that nobody uses costs nothing. Other packages can join
with entry points in the groups ``babi_cascade.coref`` and ``babi_cascade.srl``; they are imported only when
the user names them (see :func:`join`), never because a file does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any, Literal, Protocol

from babi_cascade.pipeline.errors import ReadingError

if TYPE_CHECKING:
    from babi_cascade.pipeline.coref.model import Clusters
    from babi_cascade.pipeline.coref.replace import Replaced
    from babi_cascade.pipeline.trees import Roles, Tree

Kind = Literal["coref", "srl"]

BACK_ENDS: dict[Kind, dict[str, str]] = {
    "coref": {
        "sieve": "babi_cascade.pipeline.coref.sieve:Sieve",
        "stanza": "babi_cascade.pipeline.coref.stanza:StanzaCoreference",
        "corenlp": "babi_cascade.pipeline.coref.corenlp:CoreNLP",
        "conllu": "babi_cascade.pipeline.coref.conllu:ConlluCoreference",
        "none": "babi_cascade.pipeline.coref.none:NoCoreference",
    },
    "srl": {
        "stanza": "babi_cascade.pipeline.srl.stanza:TrainedRoles",
        "relations": "babi_cascade.pipeline.srl.relations:TreeRelations",
        "clearnlp": "babi_cascade.pipeline.srl.clearnlp:ClearNLP",
        "senna": "babi_cascade.pipeline.srl.senna:Senna",
        "conllu": "babi_cascade.pipeline.srl.conllu:ConlluRoles",
        "none": "babi_cascade.pipeline.srl.none:NoRoles",
    },
}
"""kind → name → class; the first of each kind is the default"""


class BackEnd(Protocol):
    """What all back ends have in common."""

    @property
    def name(self) -> str:
        """The name under which it is chosen."""
        ...

    @property
    def requires(self) -> str:
        """What must be there besides this package, in words."""
        ...

    @property
    def version(self) -> str:
        """The version of its code or of the system behind it."""
        ...

    @property
    def fingerprint(self) -> str:
        """A text that differs whenever its results may: the key of cached annotations."""
        ...

    def check(self) -> None:
        """Raise `MissingRequirement` now rather than after an hour of other work."""
        ...


class Coreference(BackEnd, Protocol):
    """Says which words of a story mean the same."""

    def resolve(self, story: Sequence[Tree]) -> Clusters:
        """Return the entities of a story."""
        ...


def resolve_all(coref: Coreference, stories: Sequence[Sequence[Tree]]) -> list[Clusters]:
    """Return the entities of stories, at once where the back end has a method ``resolve_all`` for it."""
    together: Callable[[Sequence[Sequence[Tree]]], list[Clusters]] | None
    together = getattr(coref, "resolve_all", None)
    return [coref.resolve(story) for story in stories] if together is None else together(stories)


class RoleLabeller(BackEnd, Protocol):
    """Says which words are arguments of which predicate under which role, and nothing else."""

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return the roles of each sentence as it reads after coreference.

        None leaves a sentence without frames; no roles still give those that the grammar finds.
        """
        ...


def coreference(name: str = "sieve", **options: Any) -> Coreference:
    """Make a coreference back end by its name, with the options of its class."""
    made: Coreference = _made("coref", name, options)
    return made


def role_labeller(name: str = "stanza", **options: Any) -> RoleLabeller:
    """Make a back end of semantic roles by its name, with the options of its class."""
    made: RoleLabeller = _made("srl", name, options)
    return made


def join(kind: Kind, name: str) -> bool:
    """Let a back end of another package be used that the user has named; say whether there is one."""
    if name in BACK_ENDS[kind]:
        return True
    for entry in metadata.entry_points(group=f"babi_cascade.{kind}", name=name):
        BACK_ENDS[kind][name] = entry.value
        return True
    return False


def _made(kind: Kind, name: str, options: dict[str, Any]) -> Any:
    known = BACK_ENDS[kind]
    if name not in known:
        raise ReadingError(f"--{kind}: found {name!r}, expected one of {', '.join(known)}")
    module, _, attribute = known[name].partition(":")
    make: Callable[..., Any] = getattr(import_module(module), attribute)
    try:
        return make(**options)
    except TypeError as error:
        raise ReadingError(f"--{kind} {name}: {error}") from error
