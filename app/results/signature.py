"""Signatures: every setting that can change a score, in one line, the version last.

As sacrebleu does it: who cites a figure cites its signature, and whoever gets another figure compares the two
lines. ``system:cascade|preset:paper|…|seed:0|…|version:0.1.0``. A record has its settings as JSON, in
sections; the signature is written from them and never read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

SHORT = 16
"""Digits of a checksum that are shown: enough to tell any two data sets apart."""

SettingsRecord = Mapping[str, Any]
"""Settings as JSON: values, and sections of values; no two have one name."""


_FIRST, _LAST = ("system", "parameters", "reading"), "version"


def signature_of(settings: SettingsRecord) -> str:
    """Return all settings in one line."""
    return "|".join(f"{name}:{shown(value)}" for name, value in flat(settings).items())


def flat(settings: SettingsRecord) -> dict[str, Any]:
    """Return settings without their sections, in an order that does not depend on how they were kept."""
    found: dict[str, Any] = {}
    names = dict.fromkeys((*_FIRST, *sorted({*settings} - {_LAST}), _LAST))
    for name in names:
        value = settings.get(name)
        if isinstance(value, Mapping):
            found |= dict(sorted(value.items()))
        elif name in settings:
            found[name] = value
    return found


def differences(
    now: SettingsRecord, then: SettingsRecord, *, only: Collection[str] | None = None
) -> list[str]:
    """Say in words what is different from earlier settings, one an entry; ``only`` some may be looked at."""
    mine, theirs = ({k: shown(v) for k, v in flat(each).items()} for each in (now, then))
    return [
        f"{name} {mine.get(name, 'not given')} instead of {theirs.get(name, 'not given')}"
        for name in mine | theirs
        if (only is None or name in only) and mine.get(name) != theirs.get(name)
    ]


def shown(value: Any) -> str:
    """Return a value as a signature has it: one line, without the separator."""
    if value is None or value == [] or value == ():
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ",".join(map(shown, value))
    return " ".join(str(value).replace("|", "/").split())


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
