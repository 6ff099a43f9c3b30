"""What CoreNLP and ClearNLP said of a few stories, recorded by ``scripts/record_resources.py``.

``trees.conllu`` has the stories, questions as their last lines, with the trees of the shipped parser; nothing
here was written by hand.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babi_cascade.pipeline.trees import Tree, read_conllu

HERE = Path(__file__).parent


@cache
def stories() -> dict[str, list[Tree]]:
    """The stories by name."""
    found: dict[str, list[Tree]] = {}
    for sentence in read_conllu(HERE / "trees.conllu"):
        if sentence.starts_document:
            found[sentence.comments["newdoc id"]] = []
        found[list(found)[-1]].append(sentence.tree)
    return found


@cache
def corenlp() -> tuple[str, dict[str, bytes]]:
    """The version of CoreNLP, and its answers by the checksum of what was asked."""
    lines = (HERE / "corenlp.jsonl").read_text(encoding="utf-8").splitlines()
    first, *rows = map(json.loads, lines)
    return first["version"], {row["asked"]: _answer(row) for row in rows}


def _answer(row: dict[str, Any]) -> bytes:
    if "packed" in row:
        return zlib.decompress(base64.b64decode(row["packed"]))
    return json.dumps(row["answer"]).encode()


@cache
def clearnlp() -> dict[str, list[list[str]]]:
    """ClearNLP's rows by the words of a sentence."""
    return {" ".join(row[1] for row in rows): rows for rows in _blocks()}


def _blocks() -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for line in (HERE / "clearnlp.tsv").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            rows.append(line.split("\t"))
        elif rows:
            yield rows
            rows = []
