#!/usr/bin/env python3
"""Parse the sentences of up_english_ewt with Stanza models, for scripts/train_srl.py --trees.

    scripts/parse_srl_trees.py CORPORA_DIR --models data/models --out trees
    scripts/train_srl.py CORPORA_DIR --trees trees

The words are kept as in the corpus, everything else (tags, lemmas, heads) is the parser's own. A parser
that learned from the same train file sees it with fewer mistakes than new text: --train-parser FILE parses
it with another one, such as parser.early.pt, which scripts/train_nlp.sh keeps before the parser knows the
train file by heart. Tags and lemmas, and the dev file, are still those of --models.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.trees import ConlluSentence, Token, Tree, read_conllu, write_conllu

CHUNK = 2000  # sentences between two signs of life


def main() -> None:
    """Read the options, parse train and dev, write both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument(
        "--models", type=Path, required=True, help="folder of Stanza models (with resources.json)"
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="folder to write train.conllu, dev.conllu to"
    )
    parser.add_argument("--only", choices=("train", "dev"), help="parse one of the two files")
    parser.add_argument(
        "--train-parser", type=Path, metavar="FILE", help="parser of the train file"
    )
    parser.add_argument("--jobs", type=int, help="processes that parse (default: all cores)")
    options = parser.parse_args()
    if options.train_parser is not None and not options.train_parser.is_file():
        parser.error(f"{options.train_parser}: no such file")
    options.out.mkdir(parents=True, exist_ok=True)
    for split in (options.only,) if options.only else ("dev", "train"):
        path = options.corpora / "up_english_ewt" / f"{split}.conllu.gz"
        sentences = list(read_conllu(path))
        depparse = options.train_parser if split == "train" else None
        trees = parsed_corpus(sentences, options.models, depparse, options.jobs)
        partial = options.out / f"{split}.conllu.part"
        with partial.open("w", encoding="utf-8") as stream:
            write_conllu(map(ConlluSentence, trees), stream)
        partial.replace(options.out / f"{split}.conllu")


def parsed_corpus(
    sentences: Sequence[ConlluSentence], models: Path, depparse: Path | None, jobs: int | None
) -> list[Tree]:
    """Return the sentences with predicted trees: by the models, or by another parser with their tags."""
    parser = StanzaParser(models=str(models), jobs=jobs, depparse=depparse)
    trees: list[Tree] = []
    try:
        for start in range(0, len(sentences), CHUNK):
            some = [sentence.tree for sentence in sentences[start : start + CHUNK]]
            parsed = parser.parse_words([[token.form for token in tree] for tree in some])
            trees += [with_words(gold, tree) for gold, tree in zip(some, parsed, strict=True)]
            print(f"{len(trees)} of {len(sentences)}", file=sys.stderr)
    finally:
        parser.close()
    return trees


def with_words(gold: Tree, tree: Tree) -> Tree:
    """Return the words and the text of the corpus with the parser's tags and heads."""
    tokens = (
        Token(t.id, t.form, p.lemma, p.upos, p.xpos, p.head, p.deprel, p.feats)
        for t, p in zip(gold, tree, strict=True)
    )
    return Tree(tuple(tokens), gold.text)


if __name__ == "__main__":
    main()
