#!/usr/bin/env python3
"""Write constraints.lock: every version of constraints.txt with the SHA-256 of its wheels.

The sums are those that the package index of this machine's pip announces, for all wheels that fit one of the
Pythons and platforms below, so that one file serves all of them; wheels in folders that pip is told to look
in (`find-links`) are added. Nothing of where they come from is written. Run it after constraints.txt changed:

    .venv/bin/python scripts/lock_dependencies.py
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import Request, urlopen

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags, mac_platforms
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ((3, 10), (3, 11), (3, 12), (3, 13))
OLD_NAMES = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}
HEADER = """\
# Made by scripts/lock_dependencies.py from constraints.txt; do not edit.
# The wheels of every version and their SHA-256, for CPython {pythons} on
# {platforms}. The scripts install from it with
# `pip install --require-hashes`; see scripts/environment.sh.
"""


class File(NamedTuple):
    """A wheel: its SHA-256, and the Pythons that its project gives it to."""

    sum: str
    pythons: SpecifierSet


def main() -> int:
    """Ask for the wheels of every constraint and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=ROOT / "constraints.lock", help="(constraints.lock)"
    )
    options = parser.parse_args()
    pins = list(constraints(ROOT / "constraints.txt"))
    indexes, folders = places()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda pin: wheels(pin, indexes, folders), pins))
    lines = [HEADER.format(
        pythons=", ".join(f"{a}.{b}" for a, b in PYTHONS), platforms=", ".join(platforms())
    )]  # fmt: skip
    lacking = [line for pin, files in zip(pins, found, strict=True) for line in absent(pin, files)]
    if lacking:
        lines.append(
            "# Without a wheel there, so that the scripts go by constraints.txt alone, and say so:\n"
        )
        lines += [f"#   {line}\n" for line in lacking]
    for pin, files in sorted(zip(pins, found, strict=True), key=lambda each: str(each[0]).lower()):
        if not files:
            print(
                f"error: found no wheel of {pin}, expected some on the index of pip",
                file=sys.stderr,
            )
            return 1
        sums = sorted({file.sum for file in files.values()})
        lines.append(
            f"\n{pin} \\\n" + " \\\n".join(f"    --hash=sha256:{each}" for each in sums) + "\n"
        )
        lines += [f"    # {name}\n" for name in sorted(files)]
    options.out.write_text("".join(lines), encoding="utf-8")
    print(f"{options.out.name}: {len(pins)} versions, {sum(map(len, found))} wheels")
    return 0


def constraints(path: Path) -> Iterator[Requirement]:
    """Yield the pinned versions of a file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.partition("#")[0].strip():
            yield Requirement(line.partition("#")[0].strip())


def platforms() -> dict[str, list[str]]:
    """Return the names of platforms, each with the tags of wheels that run there."""
    found = {}
    for machine in ("x86_64", "aarch64"):
        tags = [f"manylinux_2_{minor}_{machine}" for minor in range(39, 4, -1)]
        tags += [f"{name}_{machine}" for name in OLD_NAMES.values()]
        found[f"Linux {machine}"] = [*tags, f"linux_{machine}"]
    found["macOS arm64"] = list(mac_platforms((15, 0), "arm64"))
    return found


def fitting(python: tuple[int, int], platform: str) -> set[Tag]:
    """Return the tags of all wheels for a Python on a platform."""
    names = platforms()[platform]
    own = f"cp{python[0]}{python[1]}"
    return {*cpython_tags(python, platforms=names), *compatible_tags(python, own, names)}


def wheels(pin: Requirement, indexes: list[str], folders: list[str]) -> dict[str, File]:
    """Return the fitting wheels of a version by name."""
    wanted = {tag for python in PYTHONS for name in platforms() for tag in fitting(python, name)}
    found: dict[str, File] = {}
    for name, file in (*indexed(pin.name, indexes), *in_folders(pin.name, folders)):
        try:
            project, version, _, tags = parse_wheel_filename(name)
        except InvalidWheelFilename:
            continue
        if (
            project != canonicalize_name(pin.name)
            or version not in pin.specifier
            or not tags & wanted
        ):
            continue
        if found.setdefault(name, file).sum != file.sum:
            raise SystemExit(f"error: {name} has two sums: {found[name].sum} and {file.sum}")
    return found


def absent(pin: Requirement, files: dict[str, File]) -> Iterator[str]:
    """Yield where a version that is needed there has no wheel."""
    for platform in platforms():
        system = "linux" if "Linux" in platform else "darwin"
        lacking = []
        for python in PYTHONS:
            version, tags = f"{python[0]}.{python[1]}", fitting(python, platform)
            here = {"sys_platform": system, "python_version": version}
            needed = pin.marker is None or pin.marker.evaluate(here)
            if needed and not any(
                f"{version}.99" in file.pythons and tags & parse_wheel_filename(name)[3]
                for name, file in files.items()
            ):
                lacking.append(version)
        if lacking:
            yield f"{pin.name} {pin.specifier}: {platform}, Python {', '.join(lacking)}"


def places() -> tuple[list[str], list[str]]:
    """Return the indexes and the folders in which this machine's pip looks for packages."""
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    values: dict[str, list[str]] = {}
    for line in told.splitlines():
        key, _, value = line.partition("=")
        values.setdefault(key.rpartition(".")[2], []).extend(value.strip("'\"").split())
    indexes = [
        *(values.get("index-url", [])[-1:] or [usual_index()]),
        *values.get("extra-index-url", []),
    ]
    return list(dict.fromkeys(indexes)), list(dict.fromkeys(values.get("find-links", [])))


def usual_index() -> str:
    """Return the index that pip asks where nobody has configured another."""
    from pip._internal.models.index import PyPI

    return PyPI.simple_url


class Links(HTMLParser):
    """Collects the addresses that a page of an index names."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of a link, and of the Pythons it is for."""
        told = {name: value or "" for name, value in attrs}
        if tag == "a" and told.get("href"):
            self.found.append((told["href"], told.get("data-requires-python", "")))


def indexed(name: str, indexes: list[str]) -> Iterator[tuple[str, File]]:
    """Yield the files that indexes have of a project, with their sums."""
    for index in indexes:
        address = f"{index.rstrip('/')}/{canonicalize_name(name)}/"
        if address.startswith("file:"):
            page = Path(unquote(urlsplit(address).path)) / "index.html"
            text = page.read_text(encoding="utf-8") if page.is_file() else ""
        else:
            try:
                with urlopen(
                    Request(address, headers={"Accept": "text/html"}), timeout=60
                ) as answer:
                    text = answer.read().decode("utf-8")
            except HTTPError as error:
                if error.code != 404:
                    raise
                continue
        links = Links()
        links.feed(text)
        for link, pythons in links.found:
            file, fragment = urldefrag(urljoin(address, link))
            told = re.fullmatch(r"sha256=([0-9a-f]{64})", fragment)
            with suppress(InvalidSpecifier):  # of files of the early years, as ">= '2.7'"
                if told:
                    yield unquote(file.rpartition("/")[2]), File(told[1], SpecifierSet(pythons))


def in_folders(name: str, folders: list[str]) -> Iterator[tuple[str, File]]:
    """Yield the wheels of a project in folders, with their sums."""
    for folder in map(Path, folders):
        for path in sorted(folder.glob("*.whl")):
            if canonicalize_name(path.name.split("-")[0]) == canonicalize_name(name):
                yield path.name, File(hashlib.sha256(path.read_bytes()).hexdigest(), SpecifierSet())


if __name__ == "__main__":
    sys.exit(main())
