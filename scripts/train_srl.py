#!/usr/bin/env python3
"""Train the semantic role labeller that ships in data/models/en/srl, and measure it.

    scripts/train_srl.py CORPORA_DIR [--trees DIR] [--out FILE]

CORPORA_DIR holds up_english_ewt/{train,dev}.conllu.gz. Without --trees the gold trees of the corpus are
used. --trees DIR names trees of the same sentences as a parser sees them (DIR/train.conllu and
DIR/dev.conllu, also .gz): the labeller then learns to live with the parser's mistakes, which is worth
several points on predicted syntax. Learning takes scikit-learn; the result needs only numpy.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.frames.verbs import FILE
from babi_cascade.pipeline.srl.features import (
    PredicateView,
    argument_candidates,
    argument_features,
    checksum,
    predicate_candidates,
    predicate_features,
)
from babi_cascade.pipeline.srl.labeller import Labeller, shipped_model
from babi_cascade.pipeline.srl.model_file import LinearModel, linear_model, save_models
from babi_cascade.pipeline.trees import ConlluSentence, Tree, read_conllu
from scripts.nlp.count_verbs import (
    count_dative_verbs,
    count_phrasal_verbs,
    count_transitive_verbs,
)
from scripts.nlp.role_scores import RoleScores, score_roles

RARE_ROLE = 10  # roles seen less often are not learned
Sentence = tuple[Tree, dict[int, dict[int, str]]]


def main() -> None:
    """Read the options, train, measure on the dev file, write the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--trees", type=Path, help="folder with the trees a parser gives")
    parser.add_argument(
        "--no-gold",
        action="store_true",
        help="learn from the trees of --trees only, not also from gold ones",
    )
    parser.add_argument("--out", type=Path, default=shipped_model())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cost", type=float, default=0.15, help="C of the linear models")
    parser.add_argument("--min-count", type=int, default=2, help="rarer features are left out")
    parser.add_argument(
        "--weights", type=int, default=800_000, help="weights kept of the role model"
    )
    parser.add_argument(
        "--limit", type=int, help="learn from the first N sentences (to try things)"
    )
    options = parser.parse_args()
    if not (options.corpora / "up_english_ewt").is_dir():
        parser.error(f"{options.corpora}: found no folder up_english_ewt, expected one there")
    corpora = options.corpora / "up_english_ewt"
    clock = Clock()
    train = training_sentences(corpora, options)[: options.limit]
    clock.say(f"{len(train)} sentences to learn from")
    models = train_models(train, options, clock)
    gold = list(read_conllu(corpora / "dev.conllu.gz"))
    header: dict[str, Any] = {
        "corpus": "up_english_ewt (PropBank over UD English EWT), train",
        "licence": "CC BY-SA 4.0",
        "trees": "parsed and gold" if options.trees and not options.no_gold else
                 "parsed" if options.trees else "gold",
        "settings": {k: getattr(options, k) for k in ("seed", "cost", "min_count", "weights")},
        "trained": datetime.now(timezone.utc).date().isoformat(),
    }  # fmt: skip
    save_models(options.out, models, header)
    labeller = Labeller.load(options.out)  # measured as it will be used: quantised and pruned
    results = {"gold trees": measured(labeller, [s.tree for s in gold], gold)}
    if options.trees:
        results["predicted trees"] = measured(labeller, predicted(options.trees, "dev", gold), gold)
    for name, scores in results.items():
        print(f"\ndev file, {name}", *scores.lines(), sep="\n")
    header["dev"] = {
        name: {
            "predicates_f1": round(100 * scores.predicates.f1, 2),
            "unlabelled_f1": round(100 * scores.unlabelled.f1, 2),
            "labelled_f1": round(100 * scores.labelled.f1, 2),
            "classification": round(100 * scores.classification, 2),
        }
        for name, scores in results.items()
    }
    save_models(options.out, models, header)
    write_verbs(options.corpora, options.out.with_name(FILE))
    clock.say(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB")


def write_verbs(corpora: Path, path: Path) -> None:
    """Write the verbs with particles and with receivers, counted in the training files of all corpora."""
    sources = sorted(corpora.glob("*/train.conllu.gz"))
    names = [s.parent.name for s in sources if not s.parent.name.startswith("up_")]
    trees = [s.tree for name in names for s in read_conllu(corpora / name / "train.conllu.gz")]
    lines = [
        "# Verbs with a particle, a receiver, mostly an object; counted by scripts/train_srl.py in: "
        + ", ".join(names),
        "# Licence: CC BY-SA 4.0 (see the corpora)",
        *(f"particle {verb} {word}" for verb, word in count_phrasal_verbs(trees)),
        *(f"receiver {verb}" for verb in count_dative_verbs(trees)),
        *(f"object {verb}" for verb in count_transitive_verbs(trees)),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Clock:
    """Says on stderr what was done, with the time since the start."""

    def __init__(self) -> None:
        self.start = time.monotonic()

    def say(self, what: str) -> None:
        """Print one line of progress."""
        print(f"[{time.monotonic() - self.start:6.1f} s] {what}", file=sys.stderr, flush=True)


def training_sentences(corpora: Path, options: argparse.Namespace) -> list[Sentence]:
    """Return trees with their roles: parsed trees, gold trees or both."""
    gold = list(read_conllu(corpora / "train.conllu.gz"))
    sentences: list[Sentence] = []
    if options.trees:
        trees = predicted(options.trees, "train", gold)
        sentences += [(tree, s.roles) for tree, s in zip(trees, gold, strict=True)]
    if not options.trees or not options.no_gold:
        sentences += [(s.tree, s.roles) for s in gold]
    return sentences


def predicted(folder: Path, name: str, gold: list[ConlluSentence]) -> list[Tree]:
    """Read a parser's trees of known sentences; they must have the same words."""
    path = next(
        (p for p in (folder / f"{name}.conllu", folder / f"{name}.conllu.gz") if p.exists()), None
    )
    if path is None:
        sys.exit(f"{folder}: found no {name}.conllu, expected a parser's trees of the {name} file")
    trees = [s.tree for s in read_conllu(path)]
    for number, (tree, sentence) in enumerate(zip(trees, gold, strict=False), start=1):
        if [t.form for t in tree] != [t.form for t in sentence.tree]:
            sys.exit(
                f"{path}: sentence {number}: other words than in the corpus: {tree.text[:60]!r}"
            )
    if len(trees) != len(gold):
        sys.exit(f"{path}: found {len(trees)} sentences, expected {len(gold)}")
    return trees


def measured(labeller: Labeller, trees: list[Tree], gold: list[ConlluSentence]) -> RoleScores:
    """Return the scores of the labeller on trees of the gold sentences."""
    return score_roles(zip([s.roles for s in gold], labeller.label_all(trees), strict=True))


def train_models(
    train: list[Sentence], options: argparse.Namespace, clock: Clock
) -> dict[str, LinearModel]:
    """Learn the three linear models."""
    from sklearn.svm import LinearSVC

    def fit(name: str, features: Any, labels: list[str], keep: int) -> LinearModel:
        clock.say(f"{name}: {len(labels)} examples, {features.shape[1]} features")
        learner = LinearSVC(C=options.cost, random_state=options.seed, max_iter=300)
        learner.fit(features.values, labels)
        classes = tuple(str(c) for c in learner.classes_)
        # A binary learner has one column of weights, for its second class.
        weights = np.asarray(learner.coef_, dtype=np.float32).T
        bias = np.asarray(learner.intercept_, dtype=np.float32)
        weights[features.bias] += bias
        if len(classes) == 2:
            classes = classes[1:]
        return pruned(linear_model(classes, features.checksums, weights), keep)

    words = Features(options.min_count)
    labels: list[str] = []
    for tree, roles in train:
        for token in predicate_candidates(tree):
            words.add(predicate_features(tree, token))
            labels.append("predicate" if token.id in roles else "-")
    models = {"predicates": fit("predicates", words.matrix(), labels, 120_000)}

    pairs = Features(options.min_count)
    labels = list(argument_examples(train, pairs))
    frequent = {role for role, n in Counter(labels).items() if n >= RARE_ROLE}
    binary = ["-" if label == "-" else "argument" for label in labels]
    matrix = pairs.matrix()
    models["arguments"] = fit("arguments", matrix, binary, 260_000)
    chosen = np.array([i for i, label in enumerate(labels) if label != "-" and label in frequent])
    models["roles"] = fit(
        "roles", matrix.only(chosen), [labels[i] for i in chosen], options.weights
    )
    clock.say("learned")
    return models


def argument_examples(train: list[Sentence], pairs: Features) -> Iterator[str]:
    """Yield the role ("-" for none) of every candidate of every gold predicate, adding its features."""
    for tree, roles in train:
        for predicate, arguments in roles.items():
            view = PredicateView(tree, tree[predicate])
            for token in argument_candidates(tree, tree[predicate]):
                pairs.add(argument_features(view, token))
                yield arguments.get(token.id, "-")


def pruned(model: LinearModel, keep: int) -> LinearModel:
    """Keep the largest weights only: the others hardly move a score and make the file big."""
    size = np.abs(model.weights)
    if size.size > keep:
        threshold = np.partition(size, size.size - keep, axis=None)[size.size - keep]
        model.weights[size < threshold] = 0
    return model


class Features:
    """Collects examples as checksums of features; gives a sparse matrix of the frequent ones."""

    def __init__(self, min_count: int) -> None:
        self.min_count = min_count
        self.rows: list[np.ndarray[Any, Any]] = []
        self.lengths: list[int] = []

    def add(self, features: list[str]) -> None:
        """Add one example."""
        known = {checksum(f) for f in features}
        self.rows.append(np.fromiter(known, dtype=np.uint32, count=len(known)))

    def matrix(self) -> FeatureMatrix:
        """Return the examples as a matrix of 0 and 1."""
        from scipy.sparse import csr_matrix

        lengths = np.array([len(row) for row in self.rows])
        names, column, counts = np.unique(
            np.concatenate(self.rows), return_inverse=True, return_counts=True
        )
        full = csr_matrix(
            (np.ones(len(column)), column, np.concatenate([[0], np.cumsum(lengths)])),
            shape=(len(self.rows), len(names)),
        )
        kept = np.flatnonzero(counts >= self.min_count)
        return FeatureMatrix(full[:, kept], names[kept])


class FeatureMatrix:
    """A sparse matrix that knows the checksum of each column; what scikit-learn is given."""

    def __init__(self, values: Any, checksums: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.checksums = checksums
        self.shape = values.shape
        self.bias = int(np.searchsorted(checksums, checksum("bias")))

    def only(self, rows: np.ndarray[Any, Any]) -> FeatureMatrix:
        """Return some examples, with the columns that still occur in them."""
        values = self.values[rows]
        used = np.flatnonzero(values.getnnz(axis=0))
        return FeatureMatrix(values[:, used], self.checksums[used])


if __name__ == "__main__":
    main()
