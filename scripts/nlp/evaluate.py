"""Scores of a finished model directory on dev files: tags, lemmas and attachment, all predicted.

``python -m scripts.nlp.evaluate MODELS CORPORA_DIR`` prints one line a corpus: words and sentence
boundaries are the gold ones, everything else is predicted by the pipeline; relation subtypes are
ignored. A last line gives the tokenizer on raw text.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import stanza

from scripts.nlp.corpora import CORPORA, Token, Tree, read_corpus
from scripts.nlp.parser import attachment


def pipeline(models: Path, **settings: Any) -> Any:
    """Stanza's pipeline over a model directory; nothing is fetched."""
    options: dict[str, Any] = {
        "dir": str(models),
        "download_method": None,
        "processors": "tokenize,pos,lemma,depparse",
        "use_gpu": False,
        "verbose": False,
        "tokenize_no_ssplit": True,
    }
    return stanza.Pipeline("en", **(options | settings))


def annotate(nlp: Any, sentences: Sequence[str], chunk: int = 500) -> list[Tree]:
    """Trees of sentences given as text, one tree a sentence."""
    trees = []
    for start in range(0, len(sentences), chunk):
        doc = nlp("\n\n".join(sentences[start : start + chunk]))
        trees += [_tree(sentence.words) for sentence in doc.sentences]
    return trees


def parse_words(nlp: Any, trees: Sequence[Tree], chunk: int = 200) -> list[Tree]:
    """The same words, annotated by a pipeline made with ``tokenize_pretokenized=True``."""
    parsed = []
    for start in range(0, len(trees), chunk):
        words = [[token.form for token in tree.tokens] for tree in trees[start : start + chunk]]
        parsed += [_tree(sentence.words) for sentence in nlp(words).sentences]
    return parsed


def scores(predicted: Sequence[Tree], gold: Sequence[Tree]) -> dict[str, float]:
    """UPOS, lemma, UAS and LAS in percent."""
    pairs = [
        (p, g)
        for guess, truth in zip(predicted, gold, strict=True)
        for p, g in zip(guess.tokens, truth.tokens, strict=True)
    ]
    uas, las = attachment(predicted, gold)
    return {
        "upos": 100 * sum(p.upos == g.upos for p, g in pairs) / len(pairs),
        "lemma": 100 * sum(p.lemma.lower() == g.lemma.lower() for p, g in pairs) / len(pairs),
        "uas": uas,
        "las": las,
    }


def word_f1(nlp: Any, gold: Sequence[Tree]) -> float:
    """F1 of the words the tokenizer finds in raw sentences, by character offsets."""
    found = annotate(nlp, [tree.text for tree in gold])
    same = guessed = true = 0
    for guess, truth in zip(found, gold, strict=True):
        spans = [_spans(tree) for tree in (guess, truth)]
        same, guessed, true = (
            same + len(spans[0] & spans[1]),
            guessed + len(spans[0]),
            true + len(spans[1]),
        )
    return 200 * same / (guessed + true)


def evaluate(models: Path, corpora: Path, split: str = "dev") -> dict[str, dict[str, float]]:
    """All scores by corpus."""
    nlp = pipeline(models, tokenize_pretokenized=True)
    raw = pipeline(models, processors="tokenize")
    result = {}
    for name in CORPORA:
        gold = read_corpus(corpora, name, split)
        result[name] = scores(parse_words(nlp, gold), gold)
        result[name]["words"] = word_f1(raw, gold[:600])
    return result


def _tree(words: Sequence[Any]) -> Tree:
    return Tree(
        "parsed",
        tuple(
            Token(
                w.text,
                w.lemma or w.text,
                w.upos or "_",
                w.xpos or "_",
                w.head or 0,
                w.deprel or "_",
            )
            for w in words
        ),
    )


def _spans(tree: Tree) -> set[tuple[int, int]]:
    """Word spans in characters, spaces not counted."""
    spans, place = set(), 0
    for token in tree.tokens:
        size = len(token.form.replace(" ", ""))
        spans.add((place, place + size))
        place += size
    return spans


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--split", default="dev", help="train, dev or test (default: dev)")
    parser.add_argument("--json", type=Path, help="also write the scores to this file")
    args = parser.parse_args()
    result = evaluate(args.models, args.corpora, args.split)
    for name, row in result.items():
        print(name.ljust(8), "  ".join(f"{key} {value:.2f}" for key, value in row.items()))
    if args.json:
        args.json.write_text(json.dumps(result, indent=2, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
