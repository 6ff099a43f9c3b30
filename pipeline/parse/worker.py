"""What runs in a worker process: batches in, trees out, until the input ends."""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue

from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.trees.rows import compact_json, tree_rows


def main(settings: dict[str, str]) -> None:
    """Answer every line of standard input with a line: the trees, or what went wrong."""
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    parser = StanzaParser(models=settings["models"], jobs=1)
    while True:
        answers.write(answer(parser, lines.get()).encode("utf-8", "surrogatepass") + b"\n")
        answers.flush()


def answer(parser: StanzaParser, line: bytes) -> str:
    """Return the answer to one line."""
    try:
        batch = json.loads(line.decode("utf-8", "surrogatepass"))
        return compact_json({"trees": [tree_rows(tree) for tree in parser.parse_batch(batch)]})
    except Exception as error:  # whatever it is, the other side tells it
        return compact_json({"error": f"{type(error).__name__}: {error}"})


def _read(lines: SimpleQueue[bytes]) -> None:
    """Hand lines on; when there are no more, nobody waits for an answer, not even for the one being made."""
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)
