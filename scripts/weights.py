#!/usr/bin/env python3
"""The largest weights of a model, by stage and feature group, in words.

babi-cascade train out/stories --tasks 2 -m out/qa2.model
scripts/weights.py out/qa2.model --top 5
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.cascade import Cascade
from babi_cascade.svm.model_file import ModelFileError


def main() -> int:
    """Print the weights of a model file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--top", type=int, default=5, help="weights of each group (5)")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    options = parser.parse_args()
    if options.top < 1:
        parser.error("--top must be at least 1")
    try:
        cascade = Cascade.load(options.model)
    except (ModelFileError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    record = {
        name: by_group(stage, options.top)
        for name, stage in (
            ("support", cascade.support_stage_), ("answer", cascade.answer_stage_),
        )
    }  # fmt: skip
    if options.json:
        print(json.dumps(record, indent=1, ensure_ascii=False))
        return 0
    for name, groups in record.items():
        print(f"{name} stage")
        for group in groups:
            print(
                f"  {group['group']}: {group['weights']} weights that are not zero, "
                f"norm {group['norm']:.3f}"
            )
            for each in group["largest"]:
                print(f"    {each['weight']:+.4f} {each['words']}")
    return 0


def by_group(stage: Any, top: int) -> list[dict[str, Any]]:
    """Return the groups of a stage by the norm of their weights, the largest weights of each in words.

    Features that are said in the same words act together: their weights are added up, as in `explain`.
    """
    weights = stage.fitted_.weights
    groups: dict[str, list[tuple[float, str]]] = {}
    for feature in np.flatnonzero(weights).tolist():
        group, words = stage.encoder.explain(feature)
        groups.setdefault(group, []).append((float(weights[feature]), words))
    found = [
        {
            "group": group,
            "weights": len(own),
            "norm": float(np.sqrt(sum(weight**2 for weight, _ in own))),
            "largest": [{"weight": weight, "words": words} for words, weight in largest(own)[:top]],
        }
        for group, own in groups.items()
    ]
    return sorted(found, key=lambda group: -float(str(group["norm"])))


def largest(weights: list[tuple[float, str]]) -> list[tuple[str, float]]:
    """Return what is said in words and its summed weight, the weightiest first."""
    sums: dict[str, float] = {}
    for weight, words in weights:
        sums[words] = sums.get(words, 0.0) + weight
    return sorted(sums.items(), key=lambda each: (-abs(each[1]), each[0]))


if __name__ == "__main__":
    sys.exit(main())
