"""Programs of other people's that back ends run: their jars, by Maven coordinates, checked by their sums."""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

from babi_cascade.app.fetch.download import Transfer, check_url, fetch_file
from babi_cascade.app.fetch.errors import FetchError, disk_errors
from babi_cascade.app.fetch.sums import parse_sums

REPOSITORY = "https://repo1.maven.org/maven2"
LARGEST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar by its Maven coordinates.

    Parameters
    ----------
    sha256 : its sum; None where only the repository states one (SHA-1, in a file beside the jar)
    """

    group: str
    artifact: str
    version: str
    sha256: str | None
    classifier: str = ""

    @property
    def name(self) -> str:
        """The name of its file."""
        tail = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{tail}.jar"

    def url(self, repository: str) -> str:
        """Return where a repository keeps it."""
        group = self.group.replace(".", "/")
        return f"{repository.rstrip('/')}/{group}/{self.artifact}/{self.version}/{self.name}"


@dataclass(frozen=True, slots=True)
class Program:
    """What a back end runs: its name, and in words what it is, its size and its licence."""

    name: str
    title: str
    size: str
    licence: str
    jars: tuple[Jar, ...]


def _clir(artifact: str, version: str, sha256: str) -> Jar:
    return Jar("edu.emory.clir", artifact, version, sha256)


PROGRAMS = {
    "corenlp": Program(
        "corenlp", "Stanford CoreNLP 4.5.10 with its English models", "500 MB",
        "GNU General Public License 3 or later",
        (
            Jar("edu.stanford.nlp", "stanford-corenlp", "4.5.10",
                "f813ce4ed7319d79225f2a520d40733075c6b3500dd0b81ee069229e461aab43"),
            Jar("edu.stanford.nlp", "stanford-corenlp", "4.5.10", None, "models"),
            Jar("com.google.protobuf", "protobuf-java", "3.25.5",
                "8540247fad9e06baefa8fb45eb313802d019f485f14300e0f9d6b556ed88e753"),
            Jar("jakarta.servlet", "jakarta.servlet-api", "4.0.4",
                "586e27706c21258f5882f43be06904f49b02db9ac54e345d393fe4a32494d127"),
            Jar("org.slf4j", "slf4j-api", "1.7.12",
                "0aee9a77a4940d72932b0d0d9557793f872e66a03f598e473f45e7efecdccf99"),
        ),
    ),
    "clearnlp": Program(
        "clearnlp", "ClearNLP 3.2.0 with its English models", "65 MB",
        "Apache License 2.0 (args4j: MIT, xz: public domain)",
        (
            _clir("clearnlp", "3.2.0",
                  "fdddb172552fad2c16a58a5a138edcbcc97993f10b1288ee07437532ad82ddc2"),
            _clir("clearnlp-dictionary", "3.2",
                  "f721b2e6f06da3eafdeec715c2df7a8da0f95340ca72153c432b63237004d5b2"),
            _clir("clearnlp-global-lexica", "3.1",
                  "11b63630ca685d697919ad167e73dd08ffaf14b7e7d8504b04e8f5c87eebc6c0"),
            _clir("clearnlp-general-en-pos", "3.2",
                  "380bd984c2173a4a5c2f380b584c005c42d1d787ed993ced1bfb52a4fd82cd52"),
            _clir("clearnlp-general-en-dep", "3.2",
                  "7a105d071d3836431a383632ca36745cbd93ef2cdf4018a437db56ed8ddf25f5"),
            _clir("clearnlp-general-en-srl", "3.0",
                  "33b163f4b106cef6cbf6438a89cbc73a40eed0097758baf7c473cac2d7ce79a8"),
            Jar("args4j", "args4j", "2.0.29",
                "2779bf29fa98a2550782edadfc67275eaecc04e1e774d49751b0c9e6d532d89c"),
            Jar("com.carrotsearch", "hppc", "0.6.1",
                "17564a4560b61e6345361cbd8617cc5aac01158c16601f1a37d2e19f5fa1e26b"),
            Jar("ch.qos.reload4j", "reload4j", "1.2.25",
                "e71115175c4b080cf51dd72097165ea001ff9fafdc4f79d88049d0b1ecca979c"),
            Jar("org.tukaani", "xz", "1.5",
                "86f30fa8775fa3a62cdb39d1ed78a6019164c1058864048d42cbee244e26e840"),
        ),
    ),
}  # fmt: skip
"""The programs that back ends run and that may be had by everybody."""


def fetch_program(
    program: Program, target: Path, transfer: Transfer, *,
    repository: str = REPOSITORY, folder: Path | None = None,
) -> list[Path]:  # fmt: skip
    """Put the jars of a program into a folder; those that are there with the right sum stay.

    Parameters
    ----------
    repository : a Maven repository (http, https or file)
    folder : take them from this folder instead, e.g. where there is no network
    """
    advice = "get the jars by other means and give their folder as --from FOLDER"
    transfer = replace(transfer, max_bytes=LARGEST, advice=advice)
    with disk_errors("create", target):
        target.mkdir(parents=True, exist_ok=True)
    if folder is not None:
        return [_from_folder(jar, folder, target, transfer) for jar in program.jars]
    check_url(repository)
    return [_from_repository(jar, repository, target, transfer) for jar in program.jars]


def _from_repository(jar: Jar, repository: str, target: Path, transfer: Transfer) -> Path:
    """Download a jar; one whose sum is not known here is held against that of the repository."""
    url = jar.url(repository)
    if jar.sha256 is not None:
        return fetch_file(jar.name, [url], target, jar.sha256, transfer)
    place = fetch_file(f"{jar.name}.sha1", [f"{url}.sha1"], target, None, transfer)
    with disk_errors("read", place):
        told = re.match(r"[0-9a-f]{40}\b", place.read_text(encoding="ascii", errors="replace"))
        place.unlink()
    if told is None:
        raise FetchError(f"{url}.sha1 is no SHA-1 sum; expected 40 hex digits; try again later")
    return fetch_file(jar.name, [url], target, f"sha1:{told[0]}", transfer)


def _from_folder(jar: Jar, folder: Path, target: Path, transfer: Transfer) -> Path:
    """Copy a jar; a sum that is not known here is taken from the folder's file SHA256SUMS.

    Models may come in part ("…-models-dcoref.jar" for "…-models.jar").
    """
    wanted = f"{jar.name.removesuffix('.jar')}*.jar" if jar.classifier else jar.name
    found = [
        path for at in (folder, folder / "lib", folder / "jars") for path in sorted(at.glob(wanted))
    ]
    if not found:
        raise FetchError(
            f"{folder} has no {wanted}; expected the jars of the program; get it there"
        )
    known = jar.sha256 or _stated(folder).get(found[0].name)
    if known is None:
        _check_zip(found[0])
    return fetch_file(found[0].name, [found[0].resolve().as_uri()], target, known, transfer)


def _stated(folder: Path) -> dict[str, str]:
    """Return the sums that a folder states, by the names of its files."""
    place = folder / "SHA256SUMS"
    if not place.is_file():
        return {}
    with disk_errors("read", place):
        sums = parse_sums(place.read_text(encoding="utf-8", errors="replace"), str(place))
    return {Path(name).name: value for name, value in sums.items()}


def _check_zip(path: Path) -> None:
    """Hold every file in a jar against its own sum."""
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise FetchError(f"{path} is no whole jar ({error}); get it again") from error
    if damaged is not None:
        raise FetchError(f"{path} is damaged at {damaged}; get it again")
