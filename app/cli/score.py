"""The command that holds predictions against the true answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from babi_cascade.app.cli.group import example_command
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.predict import split_option
from babi_cascade.app.cli.stories import files_of, json_option, tasks_option
from babi_cascade.app.cli.terminal import counted, notice, percent, print_json, print_table

if TYPE_CHECKING:
    from babi_cascade.app.batch.score import FileScore, Score

WIDEST = 12
"""Answers that a confusion table has columns for; of more, the most frequent mistakes are listed."""

MISTAKES = 30
NONE = "(none)"


@example_command("babi-cascade score predictions.jsonl stories/qa1_single-supporting-fact_test.txt")
@click.argument("predictions")
@click.argument("gold", nargs=-1, required=True)
@tasks_option
@split_option
@click.option("--missing", type=click.Choice(["refuse", "wrong"]), default="refuse",
              show_default=True, help="What a question without a prediction is.")  # fmt: skip
@click.option("--confusion", is_flag=True, help="Also show which answer was given for which.")
@json_option
@click.option("--score-only", is_flag=True,
              help="Print the accuracy over all questions (0 to 1) and nothing else.")  # fmt: skip
def score(
    predictions: str, gold: tuple[str, ...], task_list: str | None, split: str, missing: str,
    confusion: bool, as_json: bool, score_only: bool,
) -> None:  # fmt: skip
    """Compare predictions with the true answers of story files.

    PREDICTIONS is what `predict` wrote, or - for standard input; GOLD are story files or directories.
    They are matched by id, or by order where they have no id in common. A question that could not be answered
    counts as wrong.
    """
    from babi_cascade.app.batch.score import (
        BY_ORDER,
        gold_questions,
        score_predictions,
    )
    from babi_cascade.app.results.predictions import read_predictions

    if as_json and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    if "-" in gold:
        raise click.UsageError("the true answers must be files; only predictions come from a pipe")
    piped = predictions == "-"
    said = read_predictions(
        sys.stdin.buffer if piped else predictions, "<stdin>" if piped else predictions
    )
    questions = gold_questions(files_of(gold, task_list, split))
    result = score_predictions(said, questions, missing_is_wrong=missing == "wrong")
    if result.matched_by == BY_ORDER:
        notice("matched by order: predictions and questions have no id in common")
    if as_json:
        record = result.to_json()
        if not confusion:
            del record["confusion"]
        print_json(record)
    elif score_only:
        say(f"{result.total.accuracy:.4f}")
    else:
        print_score(result)
        if confusion:
            print_confusion(result)


def print_score(result: Score) -> None:
    """Print one row a file and one for all."""
    rows = [row(each) for each in result.files]
    if len(rows) > 1:
        rows.append(row(result.total))
    print_table(("file", "questions", "accuracy", "support", "unanswered"), rows, left=("file",))


def row(each: FileScore) -> tuple[str, ...]:
    """Return the cells of a file."""
    return (
        each.file, str(each.questions), percent(each.accuracy), percent(each.support_accuracy),
        str(each.unanswered),
    )  # fmt: skip


def print_confusion(result: Score) -> None:
    """Print expected answers by given ones, or the most frequent mistakes if there are many."""
    names = {name for pair in result.confusion for name in pair if name is not None}
    if len(names) <= WIDEST:
        columns = [*sorted(names)]
        columns += [NONE] if any(given is None for _, given in result.confusion) else []
        rows = [
            (name, *(_cell(result, name, column) for column in columns))
            for name in sorted({expected for expected, _ in result.confusion})
        ]
        print_table(("expected \\ given", *columns), rows, left=("expected \\ given",))
        return
    wrong = [(pair, count) for pair, count in result.confusion.items() if pair[0] != pair[1]]
    print_table(
        ("expected", "given", "times"),
        [(expected, given or NONE, count) for (expected, given), count in wrong[:MISTAKES]],
        left=("expected", "given"),
    )
    if len(wrong) > MISTAKES:
        say(f"and {counted(len(wrong) - MISTAKES, 'other pair')}; --json has them all")


def _cell(result: Score, expected: str, column: str) -> str:
    given = None if column == NONE else column
    return str(result.confusion.get((expected, given), "."))
