#!/usr/bin/env python3
"""Parse the sentences of up_english_ewt with Stanza models, for scripts/train_srl.py --trees.

    scripts/parse_srl_trees.py CORPORA_DIR --models data/models --out trees
    scripts/train_srl.py CORPORA_DIR --trees trees

The words are kept as in the corpus, everything else (tags, lemmas, heads) is the parser's own. A parser
that learned from the same train file sees it with fewer mistakes than new text: there it works with a part
of its dropout left on (--forget), so that it errs about as often as on the dev file; twice, with other
errors.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import MethodType
from typing import Any

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
        "--forget", type=float, default=0.25, metavar="SHARE",
        help="of the dropout of its training that the parser works with on the train file",
    )  # fmt: skip
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    names = {"dev": ["dev"], "train": ["train", "train2"], None: ["dev", "train", "train2"]}
    for name in names[options.only]:
        split = name.removesuffix("2")
        path = options.corpora / "up_english_ewt" / f"{split}.conllu.gz"
        sentences = list(read_conllu(path))
        share = options.forget if split == "train" else 0.0
        trees = parsed_corpus(sentences, options.models, share, seed=len(name))
        print(f"{name}: LAS {100 * attachment(sentences, trees):.1f}", file=sys.stderr)
        partial = options.out / f"{name}.conllu.part"
        with partial.open("w", encoding="utf-8") as stream:
            write_conllu(map(ConlluSentence, trees), stream)
        partial.replace(options.out / f"{name}.conllu")


def parsed_corpus(
    sentences: Sequence[ConlluSentence], models: Path, forgotten: float = 0.0, seed: int = 0
) -> list[Tree]:
    """Return the sentences with predicted trees, the parser working with a share of its dropout."""
    parser = StanzaParser(models=str(models), jobs=1, numpy=not forgotten)
    if forgotten:
        import torch

        parser.parse_words([["."]])  # loads the models
        network = parser._by_word.processors["depparse"]._trainer.model
        network.eval = MethodType(partial(_forgetful, share=forgotten), network)
        torch.manual_seed(seed)
    trees: list[Tree] = []
    for start in range(0, len(sentences), CHUNK):
        some = [sentence.tree for sentence in sentences[start : start + CHUNK]]
        parsed = parser.parse_words([[token.form for token in tree] for tree in some])
        trees += [with_words(gold, tree) for gold, tree in zip(some, parsed, strict=True)]
        print(f"{len(trees)} of {len(sentences)}", file=sys.stderr)
    return trees


def attachment(sentences: Sequence[ConlluSentence], trees: Sequence[Tree]) -> float:
    """Return the share of words with the right head and relation, subtypes ignored."""
    pairs = [
        (g.head, g.relation) == (t.head, t.relation)
        for sentence, tree in zip(sentences, trees, strict=True)
        for g, t in zip(sentence.tree, tree, strict=True)
    ]
    return sum(pairs) / max(1, len(pairs))


def _forgetful(network: Any, *, share: float) -> Any:
    """Stand in for a network's `eval`: its parts keep a share of the dropout of their training."""
    type(network).eval(network)
    for part in network.modules():
        for name in ("p", "dropprob", "dropout"):
            trained = getattr(part, name, None)
            if isinstance(trained, float) and part is not network:
                part.train()
                first = part.__dict__.setdefault(f"trained_{name}", trained)
                setattr(part, name, share * first)
    return network


def with_words(gold: Tree, tree: Tree) -> Tree:
    """Return the words and the text of the corpus with the parser's tags and heads."""
    tokens = (
        Token(t.id, t.form, p.lemma, p.upos, p.xpos, p.head, p.deprel, p.feats)
        for t, p in zip(gold, tree, strict=True)
    )
    return Tree(tuple(tokens), gold.text)


if __name__ == "__main__":
    main()
