"""The command ``babi-cascade``: one group, its commands in sections, one place where errors are told."""

from __future__ import annotations

from pipeline.cli.annotate import annotate
from pipeline.cli.ask import ask
from pipeline.cli.compare import compare
from pipeline.cli.curve import curve
from pipeline.cli.explain import explain
from pipeline.cli.group import cli, main
from pipeline.cli.predict import predict, train
from pipeline.cli.report import report
from pipeline.cli.score import score
from pipeline.cli.serve import serve
from pipeline.cli.simulate import check, fidelity, generate, play
from pipeline.cli.stories import convert, fetch_data, stats
from pipeline.cli.terminal import completion
from pipeline.cli.track import ablate, run

SECTIONS = {
    "Make stories": (generate, play, check, fidelity),
    "Story files": (fetch_data, stats, convert),
    "Read stories": (annotate,),
    "Answer questions": (run, ablate, compare, curve, train, predict, score, explain),
    "Look": (ask, report, serve),
    "Your shell": (completion,),
}
for section, commands in SECTIONS.items():
    for command in commands:
        cli.add_to(section, command)

__all__ = ["cli", "main"]
