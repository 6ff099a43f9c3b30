#!/usr/bin/env python3
"""Print what is still to be installed, with its checksums: a round of `install_locked` in environment.sh.

Begins with what setup.cfg and pyproject.toml ask for, goes on with what the packages that are there ask for,
and prints the entry of constraints.lock for everything that is missing or there in another version. Called
again after each installation until there is nothing to print. Needs nothing but pip.

Exit codes: 0 done, 2 something is in no lock, 3 the lock has no wheel for this Python and platform.
"""

from __future__ import annotations

import argparse
import configparser
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

try:
    from packaging.requirements import Requirement
    from packaging.tags import sys_tags
    from packaging.utils import canonicalize_name, parse_wheel_filename
    from packaging.version import Version
except ImportError:  # a new environment has pip and nothing else
    from pip._vendor.packaging.requirements import Requirement
    from pip._vendor.packaging.tags import sys_tags
    from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename
    from pip._vendor.packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "constraints.lock"
NOT_LOCKED, NO_WHEEL = 2, 3


@dataclass(frozen=True)
class Entry:
    """A version of the lock: its lines, and the wheels that they are the sums of."""

    pin: Requirement
    lines: str
    wheels: tuple[str, ...]

    @property
    def fits(self) -> bool:
        """Whether one of the wheels can be installed here."""
        return any(True for _ in self._versions())

    @property
    def local(self) -> str | None:
        """The version of a wheel that is somebody's own build of the release, if one fits."""
        return next((str(version) for version in self._versions() if version.local), None)

    def _versions(self) -> Iterator[Version]:
        here = set(sys_tags())
        for name in self.wheels:
            _, version, _, tags = parse_wheel_filename(name)
            if here & tags:
                yield version


class LockError(Exception):
    """What the lock does not have; ``code`` is that of the command."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def main() -> int:
    """Print the entries that are to be installed now."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("extras", nargs="?", default="", help="of setup.cfg, e.g. nlp,plots")
    parser.add_argument(
        "--local",
        action="store_true",
        help="only builds with a version of their own, as in 2.0+cpu",
    )
    options = parser.parse_args()
    try:
        for entry in missing(wanted([each for each in options.extras.split(",") if each])):
            if not options.local:
                print(entry.lines)
            elif entry.local:
                print(entry.lines.replace(str(entry.pin.specifier), f"=={entry.local}", 1))
    except LockError as error:
        print(f"constraints.lock: {error}", file=sys.stderr)
        return error.code
    return 0


def wanted(extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield what the project asks for: to be built, to run, and for some extras."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    build = re.search(r"^requires = \[(.*)\]$", (ROOT / "pyproject.toml").read_text("utf-8"), re.M)
    listed = re.findall(r'"([^"]+)"', build[1] if build else "")
    listed += config["options"]["install_requires"].splitlines()
    for extra in extras:
        listed += config["options.extras_require"][extra].splitlines()
    yield from (Requirement(line) for line in listed if line.strip() and line[0] != "#")


def missing(roots: Iterable[Requirement]) -> list[Entry]:
    """Return the entries of what is not there, of what is needed by what is."""
    entries = read_lock(LOCK.read_text(encoding="utf-8"))
    found: dict[str, Entry] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    queue = [each for each in roots if applies(each)]
    while queue:
        each = queue.pop()
        name = canonicalize_name(each.name)
        if (name, frozenset(each.extras)) in seen:
            continue
        seen.add((name, frozenset(each.extras)))
        entry = entries.get(name)
        if entry is None:
            raise LockError(f"has no version of {each.name} for this Python", NOT_LOCKED)
        if not entry.fits:
            raise LockError(
                f"has no wheel of {entry.pin.name}{entry.pin.specifier} for this Python and platform",
                NO_WHEEL,
            )
        try:
            there = metadata.distribution(each.name)
        except metadata.PackageNotFoundError:
            there = None
        if there is None or there.version not in entry.pin.specifier:
            found[name] = entry
            continue
        asked = map(Requirement, there.requires or ())
        queue += [more for more in asked if applies(more, each.extras)]
    return [found[name] for name in sorted(found)]


def applies(requirement: Requirement, extras: Iterable[str] = ()) -> bool:
    """Tell whether something is needed here, by somebody with some extras."""
    if requirement.marker is None:
        return True
    return any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def read_lock(text: str) -> dict[str, Entry]:
    """Return the entries that count for this Python, by the name of the project."""
    found = {}
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and line[0] != "#"]
        if not lines:
            continue
        pin = Requirement(lines[0].rstrip("\\"))
        if applies(pin):
            wheels = tuple(line.strip("# ") for line in lines if line.startswith("    # "))
            found[canonicalize_name(pin.name)] = Entry(pin, "\n".join(lines), wheels)
    return found


if __name__ == "__main__":
    sys.exit(main())
