"""All steps in order: data, models, bundle, scores, card. A finished step is skipped.

A step is finished when its stamp holds the fingerprint of what it depends on: the corpora, the
source of this package, the settings, and the stamps of the steps before it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from scripts.nlp.corpora import CORPORA, KEPT_SUBTYPES, Tree, read_corpus

log = logging.getLogger("training")

# Two processes, one core each: the parser; everything else. The number of epochs that is enough, and
# the share of the time limit that cuts it short on a slow machine.
EPOCHS = {"parser": 40.0, "tagger": 12.0}
SHARES = {"parser": 1.0, "tagger": 0.3}
# Enough with an hour or more in all; fewer in proportion to a shorter limit.
LEMMA_EPOCHS = 8
TOKENIZER_STEPS = 3000


@dataclass(frozen=True, slots=True)
class Plan:
    """Where to read and write, how long, and the random seed."""

    corpora: Path
    vectors: Path
    work: Path
    out: Path
    minutes: float
    told: int
    other: int
    seed: int


class Steps:
    """Runs steps once: a stamp file with the fingerprint of its inputs marks a finished step."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        sources = sorted(Path(__file__).parent.glob("*.py"))
        corpora = [
            plan.corpora / name / f"{split}.conllu.gz"
            for name in CORPORA.values()
            for split in ("train", "dev")
        ]
        self.sources = {path.stem: _digest(path) for path in sources}
        self.corpora = [_digest(path) for path in (*corpora, plan.vectors)]

    def run(self, name: str, needs: tuple[str, ...], action: Callable[[], None]) -> None:
        """Do ``action`` unless it was done with the same inputs; ``needs`` names modules."""
        stamp = self.plan.work / f"{name}.stamp"
        plan = self.plan
        inputs = [self.corpora, [self.sources[need] for need in needs],
                  plan.minutes, plan.told, plan.other, plan.seed]  # fmt: skip
        fingerprint = hashlib.sha256(json.dumps(inputs, allow_nan=False).encode()).hexdigest()
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint:
            log.info("%s: done before, skipped", name)
            return
        start = time.monotonic()
        log.info("%s: begin", name)
        action()
        stamp.write_text(fingerprint, encoding="utf-8")
        log.info("%s: done in %.1f minutes", name, (time.monotonic() - start) / 60)


_DATA = ("corpora", "invented", "phrases", "clauses", "copulas", "time_adjuncts", "transformations",
         "substitution", "material")  # fmt: skip
NEEDS = {
    "parser": (*_DATA, "loop", "characters", "short_lstm", "vectors", "parser"),
    "tagger": (*_DATA, "loop", "characters", "tagger"),
    "lemmatizer": (*_DATA, "lemmatizer"),
    "tokenizer": (*_DATA, "tokenizer"),
}


def train_one(plan: Plan, name: str) -> None:
    """Train one of the models into ``plan.work``."""
    from scripts.nlp import lemmatizer, material, parser, tagger, tokenizer

    natural = material.natural(plan.corpora)
    derived = material.derived(natural, plan.told, plan.other, plan.seed)
    trees = natural + derived
    dev: dict[str, list[Tree]] = {
        corpus: read_corpus(plan.corpora, corpus, "dev")[:300] for corpus in ("ewt", "childes")
    }
    both = [*dev["ewt"], *dev["childes"]]
    out, scratch = plan.work / f"{name}.pt", plan.work / name
    if name in SHARES:
        minutes, epochs = plan.minutes * SHARES[name], EPOCHS[name]
    if name == "parser":
        # Running English is the harder part, so its trees come twice.
        twice = [tree for tree in natural if tree.source.startswith(("ewt", "gum"))]
        parser.train_parser(
            trees + twice, dev, plan.vectors, out, epochs=epochs, minutes=minutes, seed=plan.seed
        )
    elif name == "tagger":
        tagger.train_tagger(trees, both, out, epochs=epochs, minutes=minutes, seed=plan.seed)
    elif name == "lemmatizer":
        lemmatizer.train_lemmatizer(
            trees, dev["ewt"], out, scratch, epochs=_scaled(LEMMA_EPOCHS, plan), seed=plan.seed
        )
    else:
        kept = [tree for tree in natural if not tree.source.startswith("atis")]
        mixed = [*kept, *derived[: len(kept) // 5]]
        tokenizer.train_tokenizer(
            mixed, both, out, scratch, steps=_scaled(TOKENIZER_STEPS, plan), seed=plan.seed
        )


def finish(plan: Plan) -> None:
    """Bundle the parts, measure them, write the card."""
    import stanza
    import torch

    from scripts.nlp.bundle import write_bundle
    from scripts.nlp.card import write_card
    from scripts.nlp.evaluate import evaluate
    from scripts.nlp.vectors import FREQUENT

    written = write_bundle(plan.work, plan.out)
    results = evaluate(plan.out, plan.corpora)
    (plan.work / "scores.json").write_text(
        json.dumps(results, indent=2, allow_nan=False) + "\n", encoding="utf-8"
    )
    for name, row in results.items():
        log.info("%s %s", name, "  ".join(f"{key} {value:.2f}" for key, value in row.items()))
    facts = {
        "stanza": stanza.__version__,
        "torch": torch.__version__,
        "size": sum(path.stat().st_size for path in written) / 1e6,
        "subtypes": ", ".join(sorted(KEPT_SUBTYPES)),
        "told": plan.told,
        "other": plan.other,
        "seed": plan.seed,
        "frequent": FREQUENT,
        "spent": _spent(plan.work),
    }
    write_card(plan.out / "en" / "MODEL_CARD.md", results, facts)


def _scaled(full: int, plan: Plan) -> int:
    return max(1, round(full * min(1.0, plan.minutes / 60)))


def _spent(work: Path) -> str:
    """How far tagger and parser were trained, from the notes they leave."""
    notes = [work / f"{name}.pt.json" for name in ("tagger", "parser")]
    told = [json.loads(path.read_text(encoding="utf-8")) for path in notes if path.is_file()]
    parts = [
        f"the {note['name']} saw {note['tokens'] / 1e6:.1f} million words in {note['minutes']:.0f} minutes"
        for note in told
    ]
    sentence = ", ".join(parts)
    return (sentence[0].upper() + sentence[1:] + ".") if sentence else ""


def run_all(plan: Plan) -> None:
    """Everything; a second process runs beside the parser."""
    plan.work.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "scripts.nlp.steps", *_arguments(plan), "--only"]
    beside = subprocess.Popen([*command, "tagger", "lemmatizer", "tokenizer"])
    try:
        run_some(plan, ["parser"])
    finally:
        code = beside.wait()
    if code:
        raise SystemExit("training in the second process failed; see the log above")
    every = tuple(sorted({need for needs in NEEDS.values() for need in needs}))
    Steps(plan).run("bundle", (*every, "bundle", "evaluate", "card"), lambda: finish(plan))


def run_some(plan: Plan, names: list[str]) -> None:
    """The named models, one after the other."""
    steps = Steps(plan)
    for name in names:
        steps.run(name, NEEDS[name], lambda name=name: train_one(plan, name))  # type: ignore[misc]


def _digest(path: Path) -> str:
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; CORPORA_DIR must hold the treebanks, see --help"
        )
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _arguments(plan: Plan) -> list[str]:
    return [
        str(plan.corpora), str(plan.vectors), "--work", str(plan.work), "--out", str(plan.out),
        "--minutes", str(plan.minutes), "--told", str(plan.told), "--other", str(plan.other),
        "--seed", str(plan.seed),
    ]  # fmt: skip


def main() -> None:
    """Command line; ``scripts/train_nlp.sh`` calls it."""
    parser = argparse.ArgumentParser(
        prog="train_nlp.sh",
        description="Train the small English models (tokenizer, tagger, lemmatizer, parser).",
        epilog=f"CORPORA_DIR holds {', '.join(CORPORA.values())}, each with train.conllu.gz and "
        "dev.conllu.gz. A second call goes on where the first one stopped.",
    )
    parser.add_argument("corpora", type=Path, metavar="CORPORA_DIR")
    parser.add_argument(
        "vectors", type=Path, help="the npm package with the word vectors, a .tgz file"
    )
    parser.add_argument("--work", type=Path, default=Path("out/nlp"), help="intermediate files")
    parser.add_argument("--out", type=Path, default=Path("data/models"), help="models go here")
    parser.add_argument("--minutes", type=float, default=180, help="time limit (default: 180)")
    parser.add_argument("--told", type=int, default=14000, help="transformed trees to make")
    parser.add_argument("--other", type=int, default=10000, help="substituted trees to make")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: 1)")
    parser.add_argument("--only", nargs="+", choices=sorted(NEEDS), help=argparse.SUPPRESS)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    plan = Plan(
        args.corpora,
        args.vectors,
        args.work,
        args.out,
        args.minutes,
        args.told,
        args.other,
        args.seed,
    )
    import torch

    torch.set_num_threads(1)
    if args.only:
        run_some(plan, args.only)
    else:
        run_all(plan)


if __name__ == "__main__":
    main()
