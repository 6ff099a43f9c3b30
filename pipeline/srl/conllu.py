"""Roles that the user brings: CoNLL-U files with one column a predicate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.errors import MissingRequirement, ReadingError
from babi_cascade.pipeline.trees import Roles, Tree, read_conllu


class ConlluRoles:
    """Finds sentences in annotated files by their letters, as they were written.

    The roles of the file are carried over to the sentence as it reads after coreference.

    Parameters
    ----------
    files : CoNLL-U files (also .gz) with role columns
    """

    name = "conllu"
    requires = "annotated files (CoNLL-U with role columns)"
    version = "2"

    def __init__(self, files: Sequence[Path | str] = ()) -> None:
        self.paths = [Path(path) for path in files]

    @cached_property
    def fingerprint(self) -> str:
        """The contents of the files."""
        digest = hashlib.sha256(self.version.encode())
        for path in self.paths:
            digest.update(path.read_bytes())
        return f"conllu-{digest.hexdigest()[:12]}"

    def check(self) -> None:
        """Say which file is missing."""
        for path in self.paths or [Path("annotations.conllu")]:
            if not path.is_file():
                command = f"babi-cascade annotate STORIES > {path}, or bring your own annotations"
                raise MissingRequirement("srl", self.name, f"the file {path}", command)

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return the roles of the files; a sentence that they do not have is an error that names it."""
        found: list[Roles | None] = []
        for sentence in sentences:
            roles = self._roles.get(_letters(sentence.written))
            if roles is None:
                files = ", ".join(str(path) for path in self.paths)
                text = " ".join(token.form for token in sentence.written)
                raise ReadingError(f"{files}: found no annotation of the sentence {text[:80]!r}")
            found.append(sentence.carried(roles))
        return found

    @cached_property
    def _roles(self) -> dict[str, Roles]:
        found: dict[str, Roles] = {"": {}}  # an empty sentence has no roles
        for path in self.paths:
            found |= {_letters(s.tree): s.roles for s in read_conllu(path)}
        return found


def _letters(tree: Tree) -> str:
    return "".join(token.form for token in tree)
