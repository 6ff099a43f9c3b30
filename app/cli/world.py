"""The command that tells what a model has learned of the state of the world."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import FILE, example_command
from babi_cascade.app.cli.options import plugin_option
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import print_json

if TYPE_CHECKING:
    from babi_cascade.features.world.world import World


@example_command("babi-cascade world qa1.model")
@click.argument("model", type=FILE)
@plugin_option
@json_option
def world(model: Path, plugins: tuple[str, ...], as_json: bool) -> None:
    """Show what a model has learned of the world: what sentences do, and what questions ask of it.

    Every entity has a pointer to what it is with or at. A sentence may change it; which does what was learned
    from the answers to training questions.
    """
    from babi_cascade.cascade import Cascade

    learned = Cascade.load(model).support_stage_.encoder.world
    record = None if learned is None else table_of(learned)
    if as_json:
        print_json(record)
        return
    for line in ["no state of the world was learned"] if record is None else lines_of(record):
        say(line)


def table_of(learned: World) -> dict[str, Any]:
    """Return the learned table and the read-outs as plain values, the spots that matter most first."""
    spots = sorted(learned.table, key=lambda each: (-each[1].answers, -each[1].met, each[0].words))
    return {
        "operations": [
            {
                "spot": spot.words,
                "does": found.operation.words,
                "operation": found.operation.kind,
                "met": found.met,
                "answers": found.answers,
            }
            for spot, found in spots
        ],
        "readouts": [
            {"kind": kind, "readout": learned.readout_words(kind), "right": right, "questions": n}
            for kind, (right, n) in learned.shares.items()
        ],
    }


def lines_of(record: dict[str, Any]) -> Iterator[str]:
    """Yield the table as lines; what leaves pointers as they are is counted."""
    doing = [row for row in record["operations"] if row["operation"] != "keep"]
    yield "what sentences do"
    for row in doing:
        needed = f"{row['answers']} answers need it" if row["answers"] else "no answer needs it"
        yield f"  {row['spot']} {row['does']}  ({row['met']} times in training, {needed})"
    yield f"  {len(record['operations']) - len(doing)} others leave everything as it is"
    yield "what questions ask"
    for row in record["readouts"]:
        yield f"  {row['kind']}: {row['readout']}  (right for {row['right']} of {row['questions']})"
