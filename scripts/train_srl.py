#!/usr/bin/env python3
"""Train the semantic role labeller that ships in data/models/en/srl, and measure it.

    scripts/train_srl.py CORPORA_DIR --trees DIR [--silver DIR] [--out FILE]

CORPORA_DIR holds up_english_ewt/{train,dev}.conllu.gz. Without --trees the gold trees of the corpus are
used. --trees DIR names trees of the same sentences as a parser sees them (DIR/train.conllu, a second version
in DIR/train2.conllu, and DIR/dev.conllu; scripts/parse_srl_trees.py): the labeller then learns to live with
the parser's mistakes.
--silver DIR adds sentences that ClearNLP has labelled (scripts/silver_roles.py).
Learning takes torch; the result needs only numpy.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.frames.verbs import FILE
from babi_cascade.pipeline.srl.features import VERBAL, checksum
from babi_cascade.pipeline.srl.labeller import Labeller, shipped_model
from babi_cascade.pipeline.srl.model_file import save_network
from babi_cascade.pipeline.srl.network import Network
from babi_cascade.pipeline.trees import ConlluSentence, Tree, read_conllu
from scripts.nlp.count_verbs import (
    count_dative_verbs,
    count_phrasal_verbs,
    count_transitive_verbs,
)
from scripts.nlp.role_network import Example, example, learn
from scripts.nlp.role_scores import RoleScores, score_roles
from scripts.nlp.role_spelling import learned, read_rows, silver

RARE_ROLE = 10  # roles seen less often are not learned
LAST_ROUNDS = 2  # rounds at the end without silver roles
CORPUS = "up_english_ewt"  # the silver file with ClearNLP's rows of the train file


def main() -> None:
    """Read the options, train, measure on the dev file, write the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument("--trees", type=Path, help="folder with the trees a parser gives")
    parser.add_argument("--silver", type=Path, help="folder of scripts/silver_roles.py")
    parser.add_argument(
        "--silver-weight", type=float, default=0.5, help="of a silver role (gold: 1)"
    )
    parser.add_argument("--out", type=Path, default=shipped_model())
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=8, help="times that the corpus is seen")
    parser.add_argument(
        "--silver-rounds", type=float, default=1.8, help="times that silver is seen"
    )
    parser.add_argument(
        "--features", type=int, nargs=2, default=(12_000, 24_000), metavar=("WORDS", "PAIRS"),
        help="features of words and of pairs that are known",
    )  # fmt: skip
    parser.add_argument(
        "--leave-out", metavar="GENRE", help="learn without a genre of EWT: answers, email, …"
    )
    parser.add_argument(
        "--limit", type=int, help="learn from the first N sentences (to try things)"
    )
    options = parser.parse_args()
    if not (options.corpora / "up_english_ewt").is_dir():
        parser.error(f"{options.corpora}: found no folder up_english_ewt, expected one there")
    corpora = options.corpora / "up_english_ewt"
    clock = Clock()
    names, nominal, examples, versions = training_examples(corpora, options, clock)
    chance = random.Random(options.seed)
    extra = list(range(versions[-1].stop, len(examples)))
    chance.shuffle(extra)
    with_extra = max(1, options.rounds - LAST_ROUNDS)
    share = int(len(extra) * options.silver_rounds / with_extra)

    def seen(number: int) -> list[int]:
        some = [extra[(number * share + i) % len(extra)] for i in range(share)] if extra else []
        # Two versions of the trees in each round; in the last ones those of a parser, as in use.
        turns = [(0, 1), (1, 2), (0, 2)][number % 3 if number < with_extra else 0]
        own = versions if len(versions) < 3 else [versions[turn] for turn in turns]
        return [*chain(*own), *(some if number < with_extra else ())]

    gold = list(read_conllu(corpora / "dev.conllu.gz"))
    kept = ("seed", "rounds", "silver_rounds", "silver_weight", "features", "leave_out")
    header: dict[str, Any] = {
        "corpus": "up_english_ewt (PropBank over UD English EWT), train",
        "silver": f"{len(extra)} sentences labelled by ClearNLP" if extra else None,
        "licence": "CC BY-SA 4.0",
        "trees": "parsed and gold" if options.trees else "gold",
        "settings": {k: getattr(options, k) for k in kept},
        "trained": datetime.now(timezone.utc).date().isoformat(),
    }
    dev = predicted(options.trees, "dev", gold) if options.trees else [s.tree for s in gold]

    def kept(network: Network) -> None:
        save_network(options.out, network, header)
        f1 = measured(Labeller.load(options.out), dev, gold).labelled.f1
        clock.say(f"dev: {100 * f1:.2f}")

    network = learn(
        examples, names, nominal, epochs=seen, rounds=options.rounds, sizes=tuple(options.features),
        seed=options.seed, say=clock.say, kept=kept,
    )  # fmt: skip
    labeller = Labeller.load(options.out)  # measured as it will be used: in few bits
    results = {"gold trees": measured(labeller, [s.tree for s in gold], gold)}
    if options.trees:
        results["predicted trees"] = measured(labeller, dev, gold)
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
    save_network(options.out, network, header)
    if not options.leave_out:
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


def training_examples(
    corpora: Path, options: argparse.Namespace, clock: Clock
) -> tuple[list[str], frozenset[int], list[Example], list[range]]:
    """Return the roles, the lemmas of nominal predicates, all examples, and which of these are the corpus'.

    These last ones for each version of its trees.
    """
    every = list(read_conllu(corpora / "train.conllu.gz"))
    names_of = sorted(p.stem for p in options.trees.glob("train*.conllu")) if options.trees else []
    versions = [predicted(options.trees, name, every) for name in names_of]
    versions.append([s.tree for s in every])
    used = [i for i, s in enumerate(every) if genre(s) != options.leave_out][: options.limit]
    counts = Counter(r for i in used for roles in every[i].roles.values() for r in roles.values())
    nominal = frozenset(
        checksum(every[i].tree[p].lemma.lower())
        for i in used
        for p in every[i].roles
        if every[i].tree[p].upos not in VERBAL
    )
    names = ["-", *sorted(role for role, n in counts.items() if n >= RARE_ROLE)]
    examples = [
        example(trees[i], every[i].roles, names, 1.0, nominal) for trees in versions for i in used
    ]
    own = len(examples)
    clock.say(f"{own} examples of the corpus")
    if options.silver:
        rows = list(read_rows(options.silver / f"{CORPUS}.tsv"))
        spelling = learned((every[i].tree, every[i].roles, rows[i]) for i in used)
        for path in sorted(options.silver.glob("*.tsv")):
            if path.stem == CORPUS:
                continue
            parsed = read_conllu(path.with_suffix(".conllu"))
            for sentence, answer in zip(parsed, read_rows(path), strict=True):
                roles = silver(sentence.tree, answer, spelling)
                if roles:
                    examples.append(example(sentence.tree, roles, names, options.silver_weight))
        clock.say(f"{len(examples) - own} silver examples")
    size = len(used)
    return names, nominal, examples, [range(i * size, (i + 1) * size) for i in range(len(versions))]


def genre(sentence: ConlluSentence) -> str:
    """Return the genre of a sentence of EWT."""
    return sentence.comments.get("sent_id", "").partition("-")[0]


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


if __name__ == "__main__":
    main()
