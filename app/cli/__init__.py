"""The command ``babi-cascade``: one group, its commands in sections, one place where errors are told."""

from __future__ import annotations

from babi_cascade.app.cli.annotate import annotate
from babi_cascade.app.cli.ask import ask
from babi_cascade.app.cli.experiments import ablate, compare, curve, long, resources, run
from babi_cascade.app.cli.group import cli, main
from babi_cascade.app.cli.predict import explain, predict, train
from babi_cascade.app.cli.report import report
from babi_cascade.app.cli.score import batch_score, score
from babi_cascade.app.cli.serve import hold_model, serve
from babi_cascade.app.cli.simulate import check, fidelity, generate, play
from babi_cascade.app.cli.stories import convert, fetch_data, fetch_resources, stats
from babi_cascade.app.cli.terminal import completion
from babi_cascade.app.cli.weights import weights
from babi_cascade.app.cli.world import world

SECTIONS = {
    "Make stories": (generate, play, check, fidelity),
    "Story files": (fetch_data, stats, convert),
    "Read stories": (annotate, fetch_resources),
    "Answer questions": (
        run, ablate, compare, curve, resources, long, train, predict, score, batch_score, explain, weights,
        world,
    ),
    "Look": (ask, report, serve),
    "Your shell": (completion,),
}  # fmt: skip
for section, commands in SECTIONS.items():
    for command in commands:
        cli.add_to(section, command)
cli.add_command(hold_model)  # in no section: `serve` starts it

__all__ = ["cli", "main"]
