#!/usr/bin/env python3
"""Measure what the reading resources cost: seconds of a processor a sentence, and memory.

    scripts/benchmark_resources.py TEXT… [--clearnlp FOLDER] [--corenlp FOLDER]

Of each text (plain, paragraphs parted by empty lines) the first sentences are one story. Time is that of
the processor, not of the clock, so that a busy machine hardly changes it; what is needed to start stands by
itself.
Everything runs one after the other, with one thread where that can be chosen; CoreNLP's server has several.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.coref.corenlp import CoreNLP
from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.coref.sieve import Sieve
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.srl.stanza import TrainedRoles
from babi_cascade.pipeline.trees import Tree

TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    """Measure one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", type=Path, nargs="+", metavar="TEXT")
    parser.add_argument("--sentences", type=int, default=200, help="of each text")
    parser.add_argument("--clearnlp", type=Path, help="folder of ClearNLP")
    parser.add_argument("--corenlp", type=Path, help="folder of CoreNLP")
    options = parser.parse_args()
    stanza = StanzaParser(jobs=1)
    texts = [list(_first(stanza, path, options.sentences)) for path in options.texts]
    rows = [text for story in texts for text in story]
    if not rows:
        parser.error("found no sentences in the texts")
    table = Table(title=f"{len(rows)} sentences of {len(texts)} texts")
    for column in ("resource", "to start, s", "a sentence, ms", "memory, MB"):
        table.add_column(column, justify="left" if column == "resource" else "right")

    def add(name: str, start: float, seconds: float, memory: float) -> None:
        each = 1000 * seconds / len(rows)
        table.add_row(name, f"{start:.1f}", f"{each:.2f}", f"{memory:.0f}")

    start, _ = _spent(lambda: stanza.parse(rows[:1]))
    seconds, trees = _spent(lambda: stanza.parse(rows))
    add("parser, shipped", start, seconds, _memory(os.getpid()))
    places = iter(trees)
    stories = [[next(places) for _ in story] for story in texts]
    read = [Replaced(tree, tree) for tree in trees]
    roles = TrainedRoles()
    start, _ = _spent(lambda: roles.label(read[:1]))
    seconds, _ = _spent(lambda: roles.label(read))
    add("roles, shipped (trees given)", start, seconds, _memory(os.getpid()))
    sieve = Sieve()
    seconds, _ = _spent(lambda: [sieve.resolve(story) for story in stories])
    add("sieve (trees given)", 0.0, seconds, _memory(os.getpid()))
    if options.clearnlp is not None:
        clearnlp = ClearNLP(options.clearnlp, timeout=900)
        _add_java(add, "ClearNLP, its parser and roles", lambda some: clearnlp.rows(some), trees)
        clearnlp.close()
    if options.corenlp is not None:
        corenlp = CoreNLP(folder=options.corenlp, timeout=900)
        _add_java(
            add, "CoreNLP, its parser and dcoref",
            lambda some: corenlp.resolve_all([some] if len(some) == 1 else stories), trees,
        )  # fmt: skip
        corenlp.close()
    Console().print(table)
    return 0


def _add_java(
    add: Callable[[str, float, float, float], None],
    name: str,
    work: Callable[[list[Tree]], Any],
    trees: list[Tree],
) -> None:
    work(trees[:1])
    child = _java()
    start = _seconds(child)
    work(trees)
    add(name, start, _seconds(child) - start, _memory(child))


def _first(parser: StanzaParser, path: Path, amount: int) -> Iterator[str]:
    """Yield the first sentences of a text."""
    for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
        for sentence in parser.sentences(" ".join(paragraph.split())):
            yield sentence
            amount -= 1
            if amount == 0:
                return


def _spent(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that this process needs for some work, and its result."""
    before = sum(os.times()[:2])
    result = work()
    return sum(os.times()[:2]) - before, result


def _java() -> int:
    """Return the process of the Java program that this one has started."""
    said = subprocess.run(["ps", "-eo", "pid=,ppid=,comm="], capture_output=True, text=True).stdout
    above, java = {}, []
    for line in said.splitlines():
        process, parent, name = line.split(None, 2)
        above[int(process)] = int(parent)
        java += [int(process)] if "java" in name else []
    for process in java:
        parent = process
        while parent in above:
            if parent == os.getpid():
                return process
            parent = above[parent]
    raise SystemExit("found no Java program, expected the one that was started")


def _seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _memory(process: int) -> float:
    """Return the most memory that a process has had, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


if __name__ == "__main__":
    sys.exit(main())
