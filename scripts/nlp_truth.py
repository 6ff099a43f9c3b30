#!/usr/bin/env python3
"""Measure frames against the truth files of simulated stories.

    babi-cascade generate --truth --questions 200 --out stories
    scripts/nlp_truth.py stories --models data/models          # parse with Stanza models
    scripts/nlp_truth.py stories --conllu parsed.conllu        # or trees that are there already

Prints the share of sentences and questions with every argument right, by task and by predicate, the share
of pronouns that coreference understands, and the most frequent faults. Exit code 1 when a share is under
--at-least or --pronouns-at-least.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.backends import coreference
from babi_cascade.pipeline.frames.extract import extract_frames
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.srl.labeller import Labeller
from babi_cascade.pipeline.trees import conllu_sentence, read_conllu, write_conllu
from scripts.nlp.coref_truth import PronounTally
from scripts.nlp.role_truth import FrameTally


def main() -> None:
    """Read the options, parse the unique sentences, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("stories", type=Path, help="folder with *.truth.jsonl")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--models", type=Path, help="folder of Stanza models (with resources.json)")
    source.add_argument("--conllu", type=Path, help="trees of the sentences, found by their text")
    parser.add_argument("--save", type=Path, help="write the parsed trees to this file")
    parser.add_argument(
        "--roles", type=Path, help="role model (not needed: roles are not compared)"
    )
    parser.add_argument("--confusions", type=int, default=30)
    parser.add_argument("--at-least", type=float, default=0.0, metavar="PERCENT")
    parser.add_argument("--pronouns-at-least", type=float, default=0.0, metavar="PERCENT")
    options = parser.parse_args()
    stories = read_stories(options.stories)
    records = [(task, record) for task, lines in stories for record in lines]
    if not records:
        parser.error(
            f"{options.stories}: found no *.truth.jsonl (babi-cascade generate --truth writes them)"
        )
    texts = sorted({record["text"] for _, record in records})
    print(f"{len(records)} lines, {len(texts)} different", file=sys.stderr)
    if options.conllu:
        trees = {s.tree.text: s.tree for s in read_conllu(options.conllu)}
        missing = [text for text in texts if text not in trees]
        if missing:
            sys.exit(
                f"{options.conllu}: found no tree of {len(missing)} sentences, e.g. {missing[0]!r}"
            )
    else:
        trees = dict(zip(texts, StanzaParser(models=str(options.models)).parse(texts), strict=True))
    if options.save:
        with options.save.open("w", encoding="utf-8") as stream:
            write_conllu(map(conllu_sentence, trees.values()), stream)
    labeller = Labeller.load(options.roles) if options.roles else None
    frames = {
        t: extract_frames(trees[t], labeller.label(trees[t]) if labeller else None) for t in texts
    }
    tasks: dict[int, FrameTally] = {}
    whole = FrameTally()
    for task, record in records:
        text = record["text"]
        tasks.setdefault(task, FrameTally()).add(record, trees[text], frames[text])
        whole.add(record, trees[text], frames[text])
    print(*whole.report(options.confusions), sep="\n")
    for task, tally in sorted(tasks.items()):
        print(f"task {task:2}  {100 * tally.accuracy:6.2f} %  of {tally.lines.total()} lines")
    pronouns, sieve = PronounTally(), coreference()
    for _, lines in stories:
        pronouns.add(lines, trees, sieve)
    print(*pronouns.report(), sep="\n")
    sys.exit(
        100 * whole.accuracy < options.at_least
        or 100 * pronouns.accuracy < options.pronouns_at_least
    )


def read_stories(folder: Path) -> list[tuple[int, list[dict[str, Any]]]]:
    """Return (task, lines of truth) of all stories in a folder."""
    stories: list[tuple[int, list[dict[str, Any]]]] = []
    for path in sorted(folder.glob("*.truth.jsonl")):
        number = re.match(r"qa(\d+)", path.name)
        for line in path.read_text(encoding="utf-8").splitlines():
            stories.append((int(number[1]) if number else 0, json.loads(line)["lines"]))
    return stories


if __name__ == "__main__":
    main()
