"""What single words say about number, gender and animacy: the lists under ``data/coref``.

Each list is a text file of lines ``class: word word …`` (or of words alone); lines that start with "#" say
where it comes from. A user may point to a folder with lists of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path

from babi_cascade.pipeline.coref.errors import CorefError
from babi_cascade.pipeline.coref.model import Animacy, Gender

_GENDERS: dict[str, Gender] = {"f": "fem", "m": "masc", "e": "unknown"}
FILES = ("given_names", "person_nouns", "group_nouns", "animacy", "human_verbs", "demonyms")


@dataclass(frozen=True)
class Lexicon:
    """Word lists in memory.

    ``names`` and ``persons`` map a given name or a lower-cased noun to its gender; ``animacy`` maps a
    word to what was learned of it; ``groups`` go with "it" and "they"; subjects of ``human_verbs`` are
    people; ``demonyms`` maps "french" to "france". ``fingerprint`` changes with any word.
    """

    names: dict[str, Gender] = field(default_factory=dict)
    persons: dict[str, Gender] = field(default_factory=dict)
    animacy: dict[str, Animacy] = field(default_factory=dict)
    groups: frozenset[str] = frozenset()
    human_verbs: frozenset[str] = frozenset()
    demonyms: dict[str, frozenset[str]] = field(default_factory=dict)
    fingerprint: str = ""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text: how short closed lists are written in the code."""
    return frozenset(text.split())


@cache
def shipped() -> Lexicon:
    """Return the lists that ship, read once."""
    folder = resources.files("babi_cascade.data") / "coref"
    return _load(lambda name: (folder / name).read_text(encoding="utf-8"), "data/coref")


def load(folder: Path) -> Lexicon:
    """Read the lists of a folder with the same file names as ``data/coref``."""
    return _load(lambda name: (folder / name).read_text(encoding="utf-8"), str(folder))


def _load(read: Callable[[str], str], folder: str) -> Lexicon:
    digest = hashlib.sha256()
    rows: dict[str, list[tuple[str, list[str]]]] = {}
    for name in FILES:
        try:
            text = read(f"{name}.txt")
        except (OSError, UnicodeDecodeError) as error:
            raise CorefError(f"word list {folder}/{name}.txt cannot be read: {error}") from error
        digest.update(text.encode())
        rows[name] = [_row(line) for line in text.splitlines() if line and line[0] != "#"]
    demonyms: dict[str, set[str]] = {}
    for country, words in rows["demonyms"]:
        for word in words:
            demonyms.setdefault(word.lower(), set()).add(country.lower())
    animacy: dict[str, Animacy] = {}
    for label, words in rows["animacy"]:
        animacy.update(dict.fromkeys(words, "animate" if label == "animate" else "inanimate"))
    return Lexicon(
        names=_gendered(rows["given_names"], folder, lower=False),
        persons=_gendered(rows["person_nouns"], folder, lower=True),
        animacy=animacy,
        groups=frozenset(word for _, words in rows["group_nouns"] for word in words),
        human_verbs=frozenset(word for _, words in rows["human_verbs"] for word in words),
        demonyms={word: frozenset(countries) for word, countries in demonyms.items()},
        fingerprint=digest.hexdigest()[:16],
    )


def _row(line: str) -> tuple[str, list[str]]:
    label, colon, rest = line.partition(":")
    return (label.strip(), rest.split()) if colon else ("", line.split())


def _gendered(rows: list[tuple[str, list[str]]], folder: str, *, lower: bool) -> dict[str, Gender]:
    found: dict[str, Gender] = {}
    for label, words in rows:
        if label not in _GENDERS:
            raise CorefError(f"word list in {folder}: found class {label!r}, expected f, m or e")
        for word in words:
            key = word.lower() if lower else word
            # A name that two lists hold ("Sidney") is open: a wrong gender costs more than none.
            known = found.get(key, _GENDERS[label])
            found[key] = known if known == _GENDERS[label] else "unknown"
    return found
