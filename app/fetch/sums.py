"""The published SHA-256 sums of the 1k files, and checking a directory against them."""

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from babi_cascade.app.fetch.errors import FetchError, disk_errors

SUMS_FILE = "babi-1k.sha256"
_LINE = re.compile(r"([0-9a-f]{64}) [ *](\S.*)")


class Verification(NamedTuple):
    """The listed files by outcome, each group in the order of the sums table."""

    ok: tuple[str, ...]
    missing: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """True when every listed file is there and matches."""
        return not self.missing and not self.wrong


def verify_directory(target: Path, sums: Mapping[str, str] | None = None) -> Verification:
    """Compare the files below `target` with `sums` (name to SHA-256; default: the shipped ones)."""
    from pooch import file_hash

    if sums is None:
        sums = shipped_sums()
    ok: list[str] = []
    missing: list[str] = []
    wrong: list[str] = []
    for name, expected in sums.items():
        path = target / name
        with disk_errors("read", path):
            if not path.is_file():
                (wrong if path.exists() else missing).append(name)
            elif file_hash(str(path)) == expected:
                ok.append(name)
            else:
                wrong.append(name)
    return Verification(tuple(ok), tuple(missing), tuple(wrong))


def shipped_sums() -> dict[str, str]:
    """The sums of the 120 released 1k files (en, hn, shuffled), by name relative to the target."""
    try:
        text = resources.files("babi_cascade.data").joinpath(SUMS_FILE).read_text(encoding="utf-8")
    except (OSError, ModuleNotFoundError) as error:
        raise FetchError(
            f"the sums file data/{SUMS_FILE} cannot be read ({error}); it ships with "
            "babi-cascade; install babi-cascade again"
        ) from error
    return parse_sums(text, f"data/{SUMS_FILE}")


def parse_sums(text: str, source: str = "sums") -> dict[str, str]:
    """Read ``sha256sum`` output: one ``<64 hex digits>  <name>`` a line."""
    sums: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None or match[2] in sums:
            problem = "is not '<sha256>  <name>'" if match is None else "names a file twice"
            raise FetchError(f"{source} line {number} {problem}: {line[:100]!r}; correct the line")
        sums[match[2]] = match[1]
    return sums
