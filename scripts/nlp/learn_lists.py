"""Learn which nouns and subjects are animate from GUM's entity types, and write the lists that ship.

Run ``python -m scripts.nlp.learn_lists CORPORA_DIR``. Only the training file is read, so that the
development file still measures something. What is kept is a word and the class it almost always has: facts
about single words, no text.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from babi_cascade.pipeline.coref.entities import read_entities
from babi_cascade.pipeline.trees import ConlluSentence, Token, Tree, read_conllu

OFTEN_ENOUGH = 2
VERB_OFTEN_ENOUGH = 6
ALMOST_ALWAYS, ALMOST_NEVER = 0.8, 0.1
ANIMATE_TYPES = ("person", "animal")

HEADER = """\
# Learned from gum_coref/train.conllu.gz (GUM, github.com/amir-zeldes/gum, 72ce5ac1; annotations
# CC BY 4.0, Zeldes 2017) by: python -m scripts.nlp.learn_lists CORPORA_DIR. Do not edit.
"""


def main() -> None:
    """Write ``animacy.txt`` and ``human_verbs.txt``."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--out", type=Path, default=Path("data/coref"))
    options = parser.parse_args()
    sentences = list(read_conllu(options.corpora / "gum_coref" / "train.conllu.gz"))
    animacy, verbs = learn(sentences)
    (options.out / "animacy.txt").write_text(HEADER + _listed(animacy), encoding="utf-8")
    (options.out / "human_verbs.txt").write_text(HEADER + _listed(verbs), encoding="utf-8")


def learn(
    sentences: Iterable[ConlluSentence],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the words of each class: nouns and names by animacy, verbs whose subjects are people."""
    nouns: Counter[str] = Counter()
    animate: Counter[str] = Counter()
    verbs: Counter[str] = Counter()
    human: Counter[str] = Counter()
    for tree, head, kind in _typed_heads(sentences):
        if head.upos in ("NOUN", "PROPN") and head.lemma.isalpha():
            nouns[head.lemma] += 1
            animate[head.lemma] += kind in ANIMATE_TYPES
        governor = tree.head(head)
        if head.deprel == "nsubj" and governor is not None and governor.upos == "VERB":
            verbs[governor.lemma] += 1
            human[governor.lemma] += kind == "person"
    common = [word for word in sorted(nouns) if nouns[word] >= OFTEN_ENOUGH]
    return (
        {
            "animate": [w for w in common if animate[w] >= ALMOST_ALWAYS * nouns[w]],
            "inanimate": [w for w in common if animate[w] <= ALMOST_NEVER * nouns[w]],
        },
        {
            "human": [
                verb
                for verb in sorted(verbs)
                if verbs[verb] >= VERB_OFTEN_ENOUGH and human[verb] >= ALMOST_ALWAYS * verbs[verb]
            ]
        },
    )


def _typed_heads(sentences: Iterable[ConlluSentence]) -> Iterator[tuple[Tree, Token, str]]:
    """Yield the head of every marked mention with the entity type that GUM gives it."""
    for sentence in sentences:
        for span in read_entities([sentence]):
            kind = span.fields[0] if span.fields else ""
            yield sentence.tree, span.head(sentence.tree), kind


def _listed(classes: dict[str, list[str]]) -> str:
    lines = [
        f"{name}: {line}\n"
        for name, words in classes.items()
        for line in textwrap.wrap(" ".join(words), 100, break_long_words=False)
    ]
    return "".join(lines)


if __name__ == "__main__":
    main()
