#!/usr/bin/env python3
"""Compare the story reader with the least that could be done: splitting each line into words.

Reading a file must not take more than 8 times as long as ``for line in open(path): line.split()``.
The figure is a ratio so that it means the same on a slow machine. Exits with 1 when it is over.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.stories import read_stories

LIMIT = 8.0
OWN_STORIES = 5000

# Two statements, a question, and so on, as most released files have it.
_STATEMENTS = (
    "The tall woman walked back to the old mill.",
    "Her brother picked up the lantern there.",
    "The dog followed them along the river.",
    "Nobody was left in the village.",
)
_QUESTION = "Where is the lantern now? \tmill\t"


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, help="a bAbI file (default: one made up)")
    parser.add_argument("--runs", type=int, default=7, help="the best of so many counts (7)")
    parser.add_argument("--json", action="store_true", help="print a JSON object, no table")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    if options.file is not None and not options.file.is_file():
        parser.error(f"{options.file}: no such file")
    with tempfile.TemporaryDirectory() as directory:
        path = options.file or _made_up(Path(directory))
        record = measure(path, options.runs)
    if options.json:
        print(json.dumps(record))
    else:
        _print_table(record)
    return 1 if record["ratio"] > LIMIT else 0


def measure(path: Path, runs: int) -> dict[str, float]:
    """Time both readers in turn, so that a busy moment of the machine meets both."""
    split_seconds = read_seconds = float("inf")
    for _ in range(runs):
        split_seconds = min(split_seconds, _seconds(_split_lines, path))
        read_seconds = min(read_seconds, _seconds(_read_stories, path))
    return {
        "bytes": path.stat().st_size,
        "split_seconds": split_seconds,
        "read_seconds": read_seconds,
        "ratio": read_seconds / split_seconds,
        "limit": LIMIT,
    }


def _split_lines(path: Path) -> None:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            line.split()


def _read_stories(path: Path) -> None:
    for _ in read_stories(path):
        pass


def _seconds(reader: Callable[[Path], None], path: Path) -> float:
    """Time one reading."""
    begin = time.perf_counter()
    reader(path)
    return time.perf_counter() - begin


def _made_up(directory: Path) -> Path:
    """Write a file of many stories of fifteen lines."""
    lines = []
    for number in range(1, 16):
        if number % 3:
            lines.append(f"{number} {_STATEMENTS[number % 4]}\n")
        else:
            lines.append(f"{number} {_QUESTION}{number - 1} {number - 2}\n")
    path = directory / "made-up.txt"
    path.write_text("".join(lines) * OWN_STORIES, encoding="utf-8")
    return path


def _print_table(record: dict[str, float]) -> None:
    """Show a measurement to a person."""
    table = Table(title=f"Reading {record['bytes'] / 1e6:.1f} MB of stories")
    table.add_column("what")
    table.add_column("seconds", justify="right")
    table.add_column("ratio", justify="right")
    table.add_row("split each line", f"{record['split_seconds']:.3f}", "1.0")
    table.add_row("read the stories", f"{record['read_seconds']:.3f}", f"{record['ratio']:.1f}")
    table.add_row("allowed", "", f"{record['limit']:.1f}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
