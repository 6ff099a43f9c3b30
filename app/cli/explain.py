"""The command that shows why a question was answered as it was."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.ask import writer
from babi_cascade.app.cli.group import ExampleCommand
from babi_cascade.app.cli.options import (
    CACHE,
    PLACES,
    all_of,
    cache_of,
    longest_story_option,
    model_option,
    places_of,
)
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import counted, notice, print_json

if TYPE_CHECKING:
    from babi_cascade.pipeline.stories import Question


@click.command(
    cls=ExampleCommand,
    example="babi-cascade explain -m qa1.model stories/qa1_single-supporting-fact_test.txt --question 3",
)
@click.argument("path", metavar="FILE|-")
@model_option
@click.option("--question", "wanted", default="1", show_default=True, metavar="N|ID",
              help="Which question of the file: its number, or the id of its prediction.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=5, show_default=True,
              help="How many features of each group are named; the others are summed up.")  # fmt: skip
@json_option
@longest_story_option
@all_of(*PLACES, *CACHE)
def explain(
    path: str, model: Path, wanted: str, top: int, as_json: bool, longest_story: int | None,
    **chosen: Any,
) -> None:  # fmt: skip
    """Show the facts, the answer, and the features that decided, group by group.

    The weights of a list add up to its score. FILE is a story file (bAbI text or JSONL). Back ends
    are those of the training; where SENNA, a server or annotations are is said again.
    """
    from babi_cascade.app.batch.model import ModelChoice
    from babi_cascade.app.batch.questions import questions_of
    from babi_cascade.app.explanation_text import explanation_lines

    choice = ModelChoice(model, places_of(chosen), cache_of(chosen), longest_story)
    cascade = choice.load(notice)
    stream = sys.stdin.buffer if path == "-" else None
    asked_there = questions_of(path, stream=stream, unanswered=True)
    question = the_question([each.question for each in asked_there], wanted, path)
    explanation = cascade.explain(question)
    if as_json:
        print_json(explanation.to_json())
    else:
        write = writer()
        for line in explanation_lines(explanation, top):
            write(line)


def the_question(questions: Sequence[Question], wanted: str, path: str) -> Question:
    """Return the question of a number or an id; where a number is both, it counts."""
    from babi_cascade.pipeline.stories.errors import shown

    is_number = wanted.isdecimal() and len(wanted) < 10
    if is_number and 1 <= int(wanted) <= len(questions):
        return questions[int(wanted) - 1]
    named = [question for question in questions if question.id == wanted]
    if len(named) == 1:
        return named[0]
    found = counted(len(named) or len(questions), "question")
    if named:
        raise click.UsageError(f"{path}: found {found} with the id {shown(wanted)}, expected one")
    if is_number and int(wanted):
        raise click.UsageError(f"{path}: found {found}, expected at least {int(wanted)}")
    first = f" (the first is {shown(questions[0].id or '')})" if questions else ""
    raise click.UsageError(
        f"{path}: found {found}{first}, expected one with the number or id {shown(wanted)}"
    )
