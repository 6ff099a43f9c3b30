"""Signatures: every setting that can change a score, in one line, the version last.

As sacrebleu does it: who cites a figure cites its signature, and whoever gets another figure compares the two
lines. ``system:cascade|preset:paper|…|seed:0|version:0.1.0``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

SHORT = 16
"""Digits of a checksum that are shown: enough to tell any two data sets apart."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Settings by name, in the order in which they are written."""

    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> Signature:
        """Make a signature; the version of this program comes last."""
        parts = [(name, _plain(str(value))) for name, value in settings.items()]
        return cls((*parts, ("version", version())))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read what ``str`` wrote; what has no name is a part without a value."""
        pairs = (part.partition(":") for part in text.split("|"))
        return cls(tuple((name, value) for name, _, value in pairs))

    def __str__(self) -> str:
        return "|".join(f"{name}:{value}" for name, value in self.parts)

    def differences(self, other: Signature, *, ignore: Iterable[str] = ()) -> list[str]:
        """Say in words what is different in another signature, one setting an entry."""
        mine, theirs = dict(self.parts), dict(other.parts)
        names = [name for name in mine | theirs if name not in set(ignore)]
        return [
            f"{name} {mine.get(name, 'not given')} instead of {theirs.get(name, 'not given')}"
            for name in names
            if mine.get(name) != theirs.get(name)
        ]


def version() -> str:
    """Return the installed version."""
    try:
        return metadata.version("babi-cascade")
    except metadata.PackageNotFoundError:  # run from a checkout that was never installed
        return "0+checkout"


def files_fingerprint(paths: Iterable[Path]) -> str:
    """Return a checksum of the names and contents of files, whatever folder they are in."""
    digest = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.name):
        digest.update(path.name.encode("utf-8", "surrogateescape") + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:SHORT]


def combined_fingerprint(fingerprints: Iterable[str]) -> str:
    """Return one checksum of several."""
    return hashlib.sha256("\n".join(fingerprints).encode()).hexdigest()[:SHORT]


def _plain(value: str) -> str:
    """Keep the two separators and line breaks out of a value."""
    return " ".join(value.replace("|", "/").split())
