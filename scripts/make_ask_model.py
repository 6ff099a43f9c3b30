#!/usr/bin/env python3
"""Make the model that `ask` uses where the user brings none, and pack it into data/models/ask.

    scripts/make_ask_model.py

Its file is named after all that decides it. Run this again when the parser, the role labeller, the
coreference, the features or the lessons (data/ask, data/wordings/people.toml) change; until then, `ask`
makes a model at first use. The same sources give the same bytes.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.app.ask.default_model import COST, QUESTIONS, SEED, make, model_path
from babi_cascade.app.experiments.backends import BackEnds
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.cascade.settings import Settings
from babi_cascade.pipeline.annotator import default_cache_path

FOLDER = Path(__file__).resolve().parents[1] / "data" / "models" / "ask"


def main() -> None:
    """Make the model, pack it, remove the one that was there."""
    settings, back_ends = Settings(cost=COST, seed=SEED), BackEnds(jobs=1)
    name = model_path(settings, back_ends, QUESTIONS).name
    with TemporaryDirectory(prefix="babi-cascade-") as folder:
        path = Path(folder) / name
        telling = Telling(notice=lambda text: print(text, file=sys.stderr))
        make(path, settings, back_ends, QUESTIONS, default_cache_path(), telling)
        packed = lzma.compress(path.read_bytes(), preset=6)
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.model.xz"):
        old.unlink()
    (FOLDER / f"{name}.xz").write_bytes(packed)
    print(f"{FOLDER / name}.xz: {len(packed):,} bytes")


if __name__ == "__main__":
    main()
