#!/usr/bin/env python3
"""Compare our reading of sentences with Stanza's own pipeline: the same models, one core, one run.

Both parse the same sentences, of novels and of simulated stories, each after a first batch that loads the
models; times are CPU seconds of one thread, so that a busy machine matters little. Trees are compared. Then
the growth of the time with the length of a sentence, and the first answer of ``ask`` in a new process with an
empty cache. Exits with 1 where a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.parse.stanza import BATCH, StanzaParser, one_thread
from babi_cascade.pipeline.parse.stanza_trees import tree_of
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.trees import Tree

AT_LEAST = {"novels": 4.0, "tasks": 3.0}
GROWTH_AT_MOST = 2.0
FIRST_ANSWER_AT_MOST = 3.0
LENGTHS = (15, 30, 60, 120, 240)


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("books", type=Path, help="a folder of novels, plain text files")
    parser.add_argument("--sentences", type=int, default=300, help="of each kind (300)")
    parser.add_argument("--clearnlp", type=Path, help="folder of ClearNLP, to time it too")
    parser.add_argument("--model", type=Path, help="model file for ask (default: ask's own)")
    parser.add_argument("--json", action="store_true", help="print a JSON object, no table")
    options = parser.parse_args()
    if not any(options.books.glob("*.txt")):
        parser.error(f"{options.books}: holds no text files")
    ours, stanza = StanzaParser(jobs=1), StanzaPipeline()
    texts = {
        "novels": sentences_of_novels(options.books, options.sentences, ours),
        "tasks": sentences_of_tasks(options.sentences),
    }
    record: dict[str, Any] = {"stanza_pipeline": stanza.name}
    for kind, lines in texts.items():
        record[kind] = compare(lines, ours, stanza) | {"at_least": AT_LEAST[kind]}
        if options.clearnlp:
            record[kind]["clearnlp_ms"] = clearnlp_ms(options.clearnlp, ours.parse(lines))
    record["growth"] = growth(ours, texts["novels"])
    record["first_answer_seconds"] = first_answer(options.model)
    missed = [kind for kind in AT_LEAST if record[kind]["ratio"] < AT_LEAST[kind]]
    missed += ["growth"] * (record["growth"] > GROWTH_AT_MOST)
    missed += ["first answer"] * (record["first_answer_seconds"] > FIRST_ANSWER_AT_MOST)
    print(json.dumps(record)) if options.json else show(record)
    if missed:
        print(f"missed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


class StanzaPipeline:
    """Stanza's own pipeline with our models, nothing changed in it."""

    name = "stanza.Pipeline(processors='tokenize,pos,lemma,depparse', tokenize_no_ssplit=True)"

    def __init__(self) -> None:
        import stanza

        self.pipeline = stanza.Pipeline(
            "en", dir=str(StanzaParser().directory), processors="tokenize,pos,lemma,depparse",
            download_method=None, use_gpu=False, logging_level="CRITICAL", tokenize_no_ssplit=True,
        )  # fmt: skip

    def parse(self, lines: Sequence[str]) -> list[Tree]:
        """All lines at once: the pipeline makes its own batches."""
        with one_thread():
            return [tree_of(sentence) for sentence in self.pipeline("\n\n".join(lines)).sentences]


def compare(lines: Sequence[str], ours: StanzaParser, stanza: StanzaPipeline) -> dict[str, Any]:
    """Time both on the same lines, in turn, and count trees that differ."""
    ours.parse(lines[:BATCH]), stanza.parse(lines[:BATCH])
    times = {"ours": math.inf, "stanza": math.inf}
    trees: dict[str, list[Tree]] = {}
    for _ in range(3):
        for name, system in (("ours", ours), ("stanza", stanza)):
            begin = time.process_time()
            trees[name] = system.parse(lines)
            times[name] = min(times[name], time.process_time() - begin)
    pairs = list(zip(trees["ours"], trees["stanza"], strict=True))
    return {
        "sentences": len(lines),
        "words": sum(map(len, trees["ours"])),
        "ours_ms": 1000 * times["ours"] / len(lines),
        "stanza_ms": 1000 * times["stanza"] / len(lines),
        "ratio": times["stanza"] / times["ours"],
        "differ": sum(a != b for a, b in pairs),
        "arcs_differ": sum(
            (x.head, x.deprel) != (y.head, y.deprel)
            for a, b in pairs
            for x, y in zip(a.tokens, b.tokens, strict=False)
        ),
    }


def sentences_of_novels(books: Path, amount: int, parser: StanzaParser) -> list[str]:
    """Sentences of 12 to 40 words, as many of each of some books, the same at every call."""
    rng = random.Random(1)
    paths = sorted(books.glob("*.txt"))
    found = list[str]()
    for path in rng.sample(paths, min(10, len(paths))):
        paragraphs = path.read_text(encoding="utf-8", errors="replace").split("\n\n")
        start = rng.randrange(max(1, len(paragraphs) - 400))
        some = [" ".join(part.split()) for part in paragraphs[start : start + 60]]
        lines = [
            line for part in some if part for line in parser.sentences(part)
            if 12 <= len(line.split()) <= 40
        ]  # fmt: skip
        found += lines[: math.ceil(amount / 10)]
    return found[:amount]


def sentences_of_tasks(amount: int) -> list[str]:
    """Different sentences of simulated stories, drawn at random."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "babi_cascade", "generate", "--questions", "100",
                   "--test-questions", "0", "--seed", "1", "--out", folder]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        lines = {
            line.split("\t")[0].split(" ", 1)[1].strip()
            for path in sorted(Path(folder).rglob("*.txt"))
            for line in path.read_text(encoding="utf-8").splitlines()
        }
    return random.Random(1).sample(sorted(lines), min(amount, len(lines)))


def growth(parser: StanzaParser, lines: Sequence[str]) -> float:
    """The exponent of the length in the time of a sentence, between the two longest kinds."""
    words = " ".join(lines).split()
    times = []
    for length in LENGTHS:
        texts = [" ".join(words[start : start + length]) for start in range(0, 8 * length, length)]
        cut = [text.split() for text in texts]
        begin = time.process_time()
        parser.parse_words(cut)
        times.append(time.process_time() - begin)
    return math.log(times[-1] / times[-2]) / math.log(LENGTHS[-1] / LENGTHS[-2])


def first_answer(model: Path | None) -> float:
    """CPU seconds of a new process without a cache that answers one question, its model made before."""
    command = [sys.executable, "-m", "babi_cascade", "ask", "--no-cache"]
    command += ["-m", str(model)] if model else []
    story = "Orsino went to the lighthouse. Where is Orsino?\n"

    def ask() -> None:
        subprocess.run(command, input=story, text=True, check=True, stdout=subprocess.DEVNULL)

    ask()
    return cpu_seconds(ask)


def clearnlp_ms(folder: Path, trees: Sequence[Tree]) -> float:
    """Milliseconds a sentence of ClearNLP, its start left out: twice the lines less once the lines."""
    seconds = [
        cpu_seconds(lambda amount=amount: ClearNLP(folder).label([*trees] * amount))
        for amount in (1, 3)
    ]
    return 1000 * (seconds[1] - seconds[0]) / (2 * len(trees))


def cpu_seconds(work: Callable[[], Any]) -> float:
    """CPU time of the child processes that a piece of work starts."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    begin = spent()
    work()
    return spent() - begin


def show(record: dict[str, Any]) -> None:
    """Show a measurement to a person."""
    table = Table(title="CPU milliseconds a sentence")
    for column in (
        "sentences of",
        "number",
        "words",
        "Stanza",
        "ours",
        "ratio",
        "aim",
        "trees differ",
    ):
        table.add_column(column, justify="left" if column == "sentences of" else "right")
    for kind in AT_LEAST:
        row = record[kind]
        table.add_row(
            kind, str(row["sentences"]), str(row["words"]), f"{row['stanza_ms']:.2f}",
            f"{row['ours_ms']:.2f}", f"{row['ratio']:.2f}", f"{row['at_least']:.0f}",
            f"{row['differ']} ({row['arcs_differ']} arcs)",
        )  # fmt: skip
    console = Console()
    console.print(table)
    for kind in AT_LEAST:
        if "clearnlp_ms" in record[kind]:
            print(f"ClearNLP, parser and roles, {kind}: {record[kind]['clearnlp_ms']:.2f} ms")
    print(f"time grows with length to the power {record['growth']:.2f} (at most {GROWTH_AT_MOST})")
    print(
        f"first answer of ask in a new process: {record['first_answer_seconds']:.2f} s "
        f"(at most {FIRST_ANSWER_AT_MOST})"
    )


if __name__ == "__main__":
    sys.exit(main())
