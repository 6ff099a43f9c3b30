#!/usr/bin/env python3
"""Record what CoreNLP and ClearNLP say of a few stories: the fixtures in tests/recorded.

The stories are the samples that ship and two of each of the tasks 11 and 13, simulated; their trees, by the
shipped parser, are kept beside the answers, so that the tests need neither. Of CoreNLP's JSON only words and
chains are kept, everything else is as it came:

    python scripts/record_resources.py --corenlp FOLDER --clearnlp FOLDER
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade import generate
from babi_cascade.pipeline.coref.corenlp import CoreNLP
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.stories import read_stories
from babi_cascade.pipeline.trees import Tree, write_conllu
from babi_cascade.pipeline.trees.conllu import conllu_sentence

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ("kites.txt", "paper-stories.txt")
TASKS = (11, 13)
QUESTIONS = 10


def main() -> int:
    """Write the fixtures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corenlp", type=Path, required=True, help="folder of CoreNLP")
    parser.add_argument("--clearnlp", type=Path, required=True, help="folder of ClearNLP")
    parser.add_argument("--out", type=Path, default=ROOT / "tests" / "recorded")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    told = stories()
    texts = list(dict.fromkeys(text for lines in told.values() for text in lines))
    trees = dict(zip(texts, StanzaParser().parse(texts), strict=True))
    with (options.out / "trees.conllu").open("w", encoding="utf-8") as stream:
        for name, lines in told.items():
            for number, text in enumerate(lines):
                comments = {"newdoc id": name} if number == 0 else {}
                write_conllu([conllu_sentence(trees[text], comments)], stream)
    record_corenlp(
        [[trees[text] for text in lines] for lines in told.values()],
        options.corenlp,
        options.out / "corenlp.jsonl",
    )
    record_clearnlp([trees[text] for text in texts], options.clearnlp, options.out / "clearnlp.tsv")
    return 0


def stories() -> dict[str, list[str]]:
    """Return the lines of the stories, questions too, by the name of the story."""
    found: dict[str, list[str]] = {}
    for name in SAMPLES:
        path = ROOT / "data" / "samples" / name
        for number, story in enumerate(read_stories(path), start=1):
            found[f"{path.stem}-{number}"] = [line.text for line in story.lines]
    for task in TASKS:
        whole = {id(q.facts): q for q in generate(task, QUESTIONS)}.values()
        for number, question in enumerate(list(whole)[-2:], start=1):
            found[f"qa{task}-{number}"] = [*(f.text for f in question.facts), question.text]
    return found


def record_corenlp(told: list[list[Tree]], folder: Path, out: Path) -> None:
    """Resolve the stories and write every answer beside the checksum of what was asked."""
    made = CoreNLP(folder=folder)
    server = made.start()
    rows: list[dict[str, Any]] = [{"version": server.version()}]
    ask = server.annotate

    def recording(content: bytes, properties: Mapping[str, str], kind: str) -> bytes:
        answer = ask(content, properties, kind)
        row: dict[str, Any] = {"asked": checksum(content)}
        if properties["outputFormat"] == "json":
            row["answer"] = shortened(json.loads(answer))
        else:
            row["packed"] = base64.b64encode(zlib.compress(answer, 9)).decode()
        rows.append(row)
        return answer

    server.annotate = recording  # type: ignore[method-assign]
    made.resolve_all(told)
    made.close()
    first, *answers = rows
    answers.sort(key=lambda row: (("answer" in row), row["asked"]))
    lines = [json.dumps(row, sort_keys=True, ensure_ascii=False) for row in (first, *answers)]
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{out}: {len(answers)} answers of CoreNLP {rows[0]['version']}")


def shortened(answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out of an answer all but its words and chains."""
    return {
        "sentences": [
            {"tokens": [{"word": token["word"]} for token in sentence["tokens"]]}
            for sentence in answer["sentences"]
        ],
        "corefs": answer["corefs"],
    }


def record_clearnlp(trees: list[Tree], folder: Path, out: Path) -> None:
    """Label the sentences and write the program's rows, an empty line after each sentence."""
    made = ClearNLP(folder)
    answers = made.rows([tree for tree in trees if len(tree)])
    made.close()
    blocks = ["".join("\t".join(row) + "\n" for row in rows) + "\n" for rows in answers]
    out.write_text(f"# ClearNLP {made.version}\n" + "".join(blocks), encoding="utf-8")
    print(f"{out}: {len(answers)} sentences by ClearNLP {made.version}")


def checksum(content: bytes) -> str:
    """Return the name of a request."""
    return hashlib.sha256(content).hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
