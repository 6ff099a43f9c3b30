#!/usr/bin/env python3
"""Parse the sentences of up_english_ewt with Stanza models, for scripts/train_srl.py --trees.

    scripts/parse_srl_trees.py CORPORA_DIR --models data/models --out trees
    scripts/train_srl.py CORPORA_DIR --trees trees

The words are kept as in the corpus, everything else (tags, lemmas, heads) is the parser's own. A parser
that learned from the same train file sees it with fewer mistakes than new text; with models of two halves
(jackknife), run this once a half with --only and join the files.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pipeline.trees import ConlluSentence, Token, Tree, read_conllu, write_conllu

BATCH = 400  # sentences parsed at once


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
    options = parser.parse_args()
    pipeline = stanza_pipeline(options.models)
    options.out.mkdir(parents=True, exist_ok=True)
    for split in (options.only,) if options.only else ("dev", "train"):
        gold = [
            s.tree for s in read_conllu(options.corpora / "up_english_ewt" / f"{split}.conllu.gz")
        ]
        partial = options.out / f"{split}.conllu.part"
        with partial.open("w", encoding="utf-8") as stream:
            for start in range(0, len(gold), BATCH):
                batch = gold[start : start + BATCH]
                document = pipeline([[t.form for t in tree] for tree in batch])
                for sentence, tree in zip(document.sentences, batch, strict=True):
                    write_conllu([ConlluSentence(parsed(tree, sentence.words))], stream)
                print(
                    f"\r{split}: {start + len(batch)} of {len(gold)}",
                    end="",
                    file=sys.stderr,
                    flush=True,
                )
        partial.replace(options.out / f"{split}.conllu")
        print(file=sys.stderr)


def stanza_pipeline(models: Path) -> Any:
    """Load Stanza for sentences that are split into words already; nothing is downloaded."""
    import stanza

    return stanza.Pipeline(
        "en",
        dir=str(models),
        processors="tokenize,pos,lemma,depparse",
        tokenize_pretokenized=True,
        download_method=None,
        use_gpu=False,
        verbose=False,
    )


def parsed(tree: Tree, words: list[Any]) -> Tree:
    """Return the words of the corpus with the parser's tags and heads."""
    tokens = (
        Token(
            t.id, t.form, w.lemma or t.form, w.upos, w.xpos or "_", w.head, w.deprel, w.feats or "_"
        )
        for t, w in zip(tree, words, strict=True)
    )
    return Tree(tuple(tokens), tree.text)


if __name__ == "__main__":
    main()
