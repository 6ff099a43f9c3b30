#!/usr/bin/env python3
"""Parse the sentences of stories with CoreNLP: a CoNLL-U file for `--conllu`.

    python scripts/corenlp_trees.py babi/en/*_train.txt --corenlp FOLDER --out corenlp.conllu
    babi-cascade run --data babi/en --split 0.8 --conllu corenlp.conllu --coref none

Every different sentence is parsed once, questions too; a file that is broken off leaves nothing behind.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.errors import UserError
from babi_cascade.pipeline.coref.corenlp import CoreNLP
from babi_cascade.pipeline.stories import read_stories
from babi_cascade.pipeline.stories.saving import replacing

ASKED = {
    "annotators": "tokenize,ssplit,pos,lemma,parse",
    "ssplit.eolonly": "true",
    "outputFormat": "conllu",
}
AT_ONCE = 100


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stories", type=Path, nargs="+", help="stories as bAbI text")
    parser.add_argument("--corenlp", type=Path, help="folder of CoreNLP [default: $CORENLP]")
    parser.add_argument("--out", type=Path, required=True, help="CoNLL-U file to write")
    options = parser.parse_args()
    try:
        texts = sentences(options.stories)
        write_trees(texts, options.corenlp, options.out)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {len(texts)} sentences")
    return 0


def sentences(paths: list[Path]) -> list[str]:
    """Return the different sentences of files."""
    every = (line.text for path in paths for story in read_stories(path) for line in story.lines)
    return list(dict.fromkeys(every))


def write_trees(texts: list[str], folder: Path | None, out: Path) -> None:
    """Let CoreNLP parse sentences and write what it says."""
    corenlp = CoreNLP(folder=folder)
    try:
        server = corenlp.start()
        with replacing(out) as stream:
            for start in range(0, len(texts), AT_ONCE):
                content = "\n".join(texts[start : start + AT_ONCE]).encode()
                said = server.annotate(content, ASKED, "text/plain; charset=utf-8").decode()
                stream.write(said.rstrip("\n") + "\n\n")
                print(f"{min(start + AT_ONCE, len(texts))} of {len(texts)}", file=sys.stderr)
    finally:
        corenlp.close()


if __name__ == "__main__":
    sys.exit(main())
