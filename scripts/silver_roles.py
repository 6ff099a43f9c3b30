#!/usr/bin/env python3
"""Let ClearNLP label running text that our parser has parsed: silver roles for scripts/train_srl.py.

    scripts/silver_roles.py CORPORA_DIR TEXTS_DIR --clearnlp FOLDER --out SILVER
    scripts/train_srl.py CORPORA_DIR --trees TREES --silver SILVER

TEXTS_DIR holds plain texts (*.txt), paragraphs parted by empty lines. Of each text some sentences are taken,
by chance but the same ones each time, in several rounds; a round of a text is two files in SILVER, the trees
(.conllu) and ClearNLP's rows (.tsv), and is skipped where it is done. Of CORPORA_DIR come the train files of
gum_coref, parsed as the parser parses new text, and of up_english_ewt, without trees: its rows tell how the
corpus names roles.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.srl.clearnlp import ClearNLP
from babi_cascade.pipeline.trees import Tree, read_conllu, write_conllu
from babi_cascade.pipeline.trees.conllu import conllu_sentence
from scripts.nlp.role_spelling import Rows
from scripts.parse_srl_trees import parsed_corpus

FORGOTTEN = 0.25  # of the parser's dropout, on the sentences that it was trained on
SHORTEST, LONGEST = 4, 60  # words of a sentence that is worth it


def main() -> None:
    """Read the options; parse and label what is not done yet."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("texts", type=Path, metavar="TEXTS_DIR")
    parser.add_argument(
        "--clearnlp", type=Path, help="folder of ClearNLP (default: as --srl clearnlp)"
    )
    parser.add_argument("--models", default="shipped", help="Stanza models that parse")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=300, help="of each text, in each round")
    options = parser.parse_args()
    texts = sorted(options.texts.glob("*.txt"))
    if not texts:
        parser.error(f"{options.texts}: found no texts (*.txt) there")
    options.out.mkdir(parents=True, exist_ok=True)
    stanza, clearnlp = StanzaParser(models=options.models, jobs=1), ClearNLP(options.clearnlp)
    clearnlp.check()
    try:
        for corpus in ("up_english_ewt", "gum_coref"):
            name = options.out / corpus
            if not name.with_suffix(".tsv").exists():
                every = list(read_conllu(options.corpora / corpus / "train.conllu.gz"))
                trees = [sentence.tree for sentence in every]
                rows = clearnlp.rows(trees)
                if corpus != "up_english_ewt":
                    trees = parsed_corpus(every, stanza.directory, FORGOTTEN)
                write(name, rows, None if corpus == "up_english_ewt" else trees)
        for number in range(options.rounds):
            for path in texts:
                name = options.out / f"{number}-{path.stem}"
                if not name.with_suffix(".tsv").exists():
                    label_round(stanza, clearnlp, path, name, number, options.sentences)
                    print(f"{name.name}", file=sys.stderr, flush=True)
    finally:
        clearnlp.close()


def label_round(
    stanza: StanzaParser, clearnlp: ClearNLP, path: Path, name: Path, number: int, amount: int
) -> None:
    """Parse and label some sentences of a text."""
    paragraphs = [p for p in path.read_text(encoding="utf-8").split("\n\n") if p.strip()]
    random.Random(path.name).shuffle(paragraphs)
    start = len(paragraphs) * number // 16
    sentences: list[str] = []
    for paragraph in paragraphs[start:]:
        found = stanza.sentences(" ".join(paragraph.split()))
        sentences += [s for s in found if SHORTEST <= len(s.split()) <= LONGEST]
        if len(sentences) >= amount:
            break
    trees = [tree for tree in stanza.parse(sentences[:amount]) if len(tree)]
    write(name, clearnlp.rows(trees), trees)


def write(name: Path, answers: Sequence[Rows], trees: Sequence[Tree] | None) -> None:
    """Write rows and trees; what is there is whole."""
    partial = name.with_suffix(".part")
    if trees is not None:
        with partial.open("w", encoding="utf-8") as stream:
            write_conllu(map(conllu_sentence, trees), stream)
        partial.replace(name.with_suffix(".conllu"))
    with partial.open("w", encoding="utf-8") as stream:
        for rows in answers:
            stream.writelines("\t".join(row) + "\n" for row in rows)
            stream.write("\n")
    partial.replace(name.with_suffix(".tsv"))


if __name__ == "__main__":
    main()
