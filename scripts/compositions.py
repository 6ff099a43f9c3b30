"""Measure the compositions of data/samples/compositions: answers that take several facts put together.

Of every configuration questions are simulated, and answered by a model that was trained on others of the same
configuration; or, with ``--model``, by one model that was trained on something else. ``--lexicon`` tells them
in other words.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from babi_cascade.app.api import load, reader
from babi_cascade.cascade import Cascade
from babi_cascade.cascade.settings import CHOICES
from babi_cascade.pipeline.annotator import default_cache_path
from babi_cascade.pipeline.stories import Question, read_questions
from babi_cascade.simulation.config import load_config
from babi_cascade.simulation.lexicon import load_lexicon
from babi_cascade.simulation.lexicon_file import sample
from babi_cascade.simulation.telling import Storyteller, babi_lines

CONFIGURATIONS = Path(__file__).parents[1] / "data/samples/compositions"
AIM = 99.0


def main() -> int:
    """Measure and print; 1 when some configuration is under the aim."""
    parser = argparse.ArgumentParser(prog="scripts/compositions.py", description=__doc__)
    parser.add_argument("configurations", nargs="*", help="TOML files (default: all samples)")
    parser.add_argument("--model", help="a model trained on something else (default: one of each)")
    parser.add_argument("--questions", type=int, default=1000, help="of train and test each")
    parser.add_argument("--seed", type=int, default=0, help="of the stories")
    parser.add_argument("--lexicon", help="other words: a file or a sample")
    parser.add_argument("--state", choices=CHOICES["state"], default="learned")
    parser.add_argument(
        "--cache", default=None, help="kept annotations (default: those of the commands)"
    )
    parser.add_argument("--words", action="store_true", help="words only: parse nothing")
    parser.add_argument("--aim", type=float, default=AIM, help="percent (default: 99)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    cache = default_cache_path() if options.cache is None else Path(options.cache)
    paths = [Path(each) for each in options.configurations] or sorted(CONFIGURATIONS.glob("*.toml"))
    answering = None if options.model is None else load(options.model, cache=cache)
    own_reader = reader("none", "none") if options.words else reader(cache=cache)
    rows: list[dict[str, Any]] = []
    for path in paths:
        begun = time.process_time()
        train, test = (simulated(path, split, options) for split in ("train", "test"))
        model = answering or Cascade(state=options.state, reader=own_reader).fit(train)
        found = model.predict(test)
        right = sum(answer == asked.answer for answer, asked in zip(found, test, strict=True))
        row = {"name": path.stem, "accuracy": 100 * right / len(test),
               "seconds": round(time.process_time() - begun, 1)}  # fmt: skip
        rows.append(row)
        if not options.json:
            print(f"{row['name']:24} {row['accuracy']:6.1f} %  {row['seconds']} s", flush=True)
    mean = sum(row["accuracy"] for row in rows) / len(rows)
    if options.json:
        print(json.dumps({"compositions": rows, "mean": mean}, indent=1))
    else:
        print(f"{'mean':24} {mean:6.1f} %")
    return int(any(row["accuracy"] < options.aim for row in rows))


def simulated(path: Path, split: str, options: argparse.Namespace) -> Sequence[Question]:
    """Return questions of a configuration; test stories are none of training."""
    config = load_config(path)
    words = (
        None if options.lexicon is None else load_lexicon("en").with_words(sample(options.lexicon))
    )
    teller = Storyteller(
        config.task, language="en", lexicon=words, knobs=config.knobs, seed=options.seed
    )
    seen: set[int] = set()
    if split == "test":
        for _ in teller.stories("train", options.questions, seen):
            pass
    told = teller.stories(split, options.questions, seen, avoid=split == "test")
    text = "".join(map(babi_lines, told))
    return list(read_questions(io.BytesIO(text.encode())))


if __name__ == "__main__":
    sys.exit(main())
