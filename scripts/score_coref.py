#!/usr/bin/env python3
"""Measure coreference on gum_coref: CoNLL F1 of the sieve beside two trivial baselines, and CoreNLP.

Entities mentioned once are left out on both sides, and a mention counts only with exactly its words. GUM
marks whole noun phrases with their relative clauses, without punctuation at their edges; only identity
is scored, not bridging nor split antecedents. With --models, a second table starts from the raw text:
sentences, words and trees are then Stanza's, and mentions are compared by their characters. With --corenlp,
CoreNLP's dcoref (or --corenlp-annotator) gets the same sentences and words; its trees are its own.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.backends import Coreference
from babi_cascade.pipeline.coref.corenlp import ANNOTATORS, CoreNLP
from babi_cascade.pipeline.coref.document import Document, agree, nested
from babi_cascade.pipeline.coref.entities import read_entities
from babi_cascade.pipeline.coref.passes import PASSES, Pass
from babi_cascade.pipeline.coref.passes.heads import HeadMatch
from babi_cascade.pipeline.coref.sieve import Sieve
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.trees import ConlluSentence, Tree, read_conllu
from scripts.nlp.coref_scores import CorefScores, score

Span = tuple[int, int]


class Parsed(NamedTuple):
    """The trees of a document, and where in its text each of their words stands, counted in letters."""

    trees: list[Tree]
    places: list[list[Span]]

    def span(self, sentence: int, start: int, end: int) -> Span:
        """Return where in the text the words from one id to another stand."""
        return self.places[sentence][start - 1][0], self.places[sentence][end - 1][1]


Parse = Callable[[str], Parsed]


class NearestAntecedent:
    """The trivial pronoun baseline: the nearest mention before it that agrees."""

    name = "nearest antecedent"
    window = 3

    def run(self, document: Document) -> None:
        """Join each personal pronoun with it."""
        for node in document.nodes:
            if not node.personal:
                continue
            for candidate in reversed(document.nodes[max(0, node.index - 100) : node.index]):
                if node.mention.sentence - candidate.mention.sentence > self.window:
                    break
                same = node.mention.person == candidate.mention.person
                if same and not nested(node, candidate) and agree(node.entity, candidate.entity):
                    document.join(candidate, node)
                    break


PASSES_OF: dict[str, Sequence[Pass]] = {
    "head match only": (HeadMatch("head match", inclusion=False, modifiers=False),),
    "nearest antecedent only": (NearestAntecedent(),),
    "head match + nearest antecedent": (
        HeadMatch("head match", inclusion=False, modifiers=False),
        NearestAntecedent(),
    ),
    "sieve": PASSES,
}


def main() -> int:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpora", type=Path, help="the folder that holds gum_coref/")
    parser.add_argument("--split", default="dev", help="dev (default) or train")
    parser.add_argument("--models", type=Path, help="a Stanza model folder: also from raw text")
    parser.add_argument("--corenlp", type=Path, help="folder of CoreNLP: measure it too")
    parser.add_argument("--corenlp-annotator", choices=ANNOTATORS, default=ANNOTATORS[0])
    parser.add_argument("--steps", action="store_true", help="the sieve after each of its passes")
    parser.add_argument("--json", action="store_true", help="print a JSON object, no tables")
    parser.add_argument("--score-only", action="store_true", help="print the sieve's CoNLL F1")
    options = parser.parse_args()
    path = options.corpora / "gum_coref" / f"{options.split}.conllu.gz"
    if not path.is_file():
        parser.error(f"{path}: no such file")
    passes = PASSES_OF
    if options.steps:
        passes = {f"… {p.name}": PASSES[: n + 1] for n, p in enumerate(PASSES)} | {"sieve": PASSES}
    systems: dict[str, Coreference] = {name: Sieve(passes=some) for name, some in passes.items()}
    if options.corenlp is not None:
        annotator = options.corenlp_annotator
        corenlp = CoreNLP(folder=options.corenlp, annotator=annotator, timeout=900)
        systems[f"CoreNLP {annotator}"] = corenlp
    documents = list(_documents(path))
    trees, texts = zip(*map(gold, documents), strict=True)
    keys = [key_spans(document, parsed) for document, parsed in zip(documents, trees, strict=True)]
    results = {"gold trees": _measure(keys, trees, systems)}
    if options.models is not None:
        parse = stanza_parser(options.models)
        results["raw text"] = _measure(keys, [parse(text) for text in texts], systems)
    if options.score_only:
        print(f"{100 * list(results.values())[-1]['sieve'].conll:.2f}")
    elif options.json:
        print(json.dumps({w: {n: s.to_json() for n, s in r.items()} for w, r in results.items()}))
    else:
        for what, scores in results.items():
            Console().print(_table(f"gum_coref {options.split}, from {what}", scores))
    return 0


def stanza_parser(folder: Path) -> Parse:
    """Return a function from raw text to trees, by the Stanza models of a folder."""
    parser = StanzaParser(models=str(folder))
    return lambda text: predicted(parser.split(text), text)


def predicted(trees: Sequence[Tree], text: str) -> Parsed:
    """Find the words of parsed sentences in the text that they were cut from."""
    whole = "".join(text.split())
    places: list[list[Span]] = []
    position = 0
    for tree in trees:
        position = whole.index("".join(tree.text.split()), position)
        (row,) = _letters([[(t.start, t.end) for t in tree]], tree.text)
        places.append([(position + start, position + end) for start, end in row])
        position += sum(not character.isspace() for character in tree.text)
    return Parsed(list(trees), places)


def gold(document: Sequence[ConlluSentence]) -> tuple[Parsed, str]:
    """Return the trees of a document and its text: paragraphs are parted by empty lines."""
    text, offsets = "", []
    for sentence in document:
        paragraph = any(key.split()[0] == "newpar" for key in sentence.comments)
        text += ("\n\n" if paragraph else " ") if text else ""
        offsets.append([(len(text) + t.start, len(text) + t.end) for t in sentence.tree])
        text += sentence.tree.text
    return Parsed([sentence.tree for sentence in document], _letters(offsets, text)), text


def key_spans(document: Sequence[ConlluSentence], parsed: Parsed) -> list[frozenset[Span]]:
    """Return the entities of the key that are mentioned twice or more."""
    entities: dict[str, set[Span]] = {}
    for span in read_entities(document):
        place = parsed.span(span.sentence, span.start, span.end)
        entities.setdefault(span.entity, set()).add(place)
    return [frozenset(spans) for spans in entities.values() if len(spans) > 1]


def response_spans(parsed: Parsed, system: Coreference) -> list[frozenset[Span]]:
    """Return the entities that a system finds twice or more."""
    clusters = system.resolve(parsed.trees).without_singletons()
    return [frozenset(parsed.span(*mention.span) for mention in entity) for entity in clusters]


def _measure(
    keys: Sequence[Sequence[frozenset[Span]]],
    parsed: Sequence[Parsed],
    systems: Mapping[str, Coreference],
) -> dict[str, CorefScores]:
    found = {}
    for name, system in systems.items():
        started = time.perf_counter()
        total = CorefScores()
        for key, document in zip(keys, parsed, strict=True):
            total += score(key, response_spans(document, system))
        found[name] = total
        print(f"{name}: {time.perf_counter() - started:.1f} s", file=sys.stderr)
    return found


def _documents(path: Path) -> Iterator[list[ConlluSentence]]:
    document: list[ConlluSentence] = []
    for sentence in read_conllu(path):
        if sentence.starts_document and document:
            yield document
            document = []
        document.append(sentence)
    if document:
        yield document


def _letters(offsets: list[list[Span]], text: str) -> list[list[Span]]:
    """Count places in letters that are not white space: then both sides may cut a text as they like."""
    count = [0, *accumulate(not character.isspace() for character in text)]
    return [[(count[start], count[end]) for start, end in row] for row in offsets]


def _table(title: str, scores: dict[str, CorefScores]) -> Table:
    table = Table(title=title)
    table.add_column("system")
    for column in ("mentions F1", "MUC F1", "B³ F1", "CEAF-e F1", "CoNLL F1"):
        table.add_column(column, justify="right")
    for name, s in scores.items():
        figures = (s.mentions.f1, s.muc.f1, s.b_cubed.f1, s.ceaf_e.f1, s.conll)
        table.add_row(name, *(f"{100 * figure:.1f}" for figure in figures))
    return table


if __name__ == "__main__":
    sys.exit(main())
