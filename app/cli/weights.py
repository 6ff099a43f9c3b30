"""The command that tells what a model has learned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babi_cascade.app.cli.group import FILE, example_command
from babi_cascade.app.cli.options import plugin_option
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import print_json


@example_command("babi-cascade weights qa1.model --top 3")
@click.argument("model", type=FILE)
@click.option("--top", type=click.IntRange(1), default=5, show_default=True,
              help="Weights of each group.")  # fmt: skip
@plugin_option
@json_option
def weights(model: Path, top: int, plugins: tuple[str, ...], as_json: bool) -> None:
    """Show the largest weights of a model, by stage and feature group, in words.

    Weights that are said in the same words are added up, as in `explain`.
    """
    from babi_cascade.cascade import Cascade

    cascade = Cascade.load(model)
    stages = (("support", cascade.support_stage_), ("answer", cascade.answer_stage_))
    record = {name: by_group(stage, top) for name, stage in stages}
    if as_json:
        print_json(record)
        return
    for name, groups in record.items():
        say(f"{name} stage")
        for group in groups:
            say(
                f"  {group['group']}: {group['weights']} weights that are not zero, "
                f"norm {group['norm']:.3f}"
            )
            for each in group["largest"]:
                say(f"    {each['weight']:+.4f} {each['words']}")


def by_group(stage: Any, top: int) -> list[dict[str, Any]]:
    """Return the groups of a stage by the norm of their weights, the largest weights of each in words."""
    import numpy as np

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
