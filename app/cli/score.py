"""The command that holds predictions against the true answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import FOLDER, example_command
from babi_cascade.app.cli.options import (
    CACHE,
    PLACES,
    all_of,
    longest_story_option,
    model_option,
)
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.predict import RecordWriter, chosen_model, engine_of, split_option
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
@click.option("--rule", type=click.Choice(["words", "label-set"]), default="words", show_default=True,
              help="Right is the answer word for word, or an output of a language model that names "
              "exactly the true labels in its first sentence.")  # fmt: skip
@click.option("--confusion", is_flag=True, help="Also show which answer was given for which.")
@json_option
@click.option("--score-only", is_flag=True,
              help="Print the accuracy over all questions (0 to 1) and nothing else.")  # fmt: skip
def score(
    predictions: str, gold: tuple[str, ...], task_list: str | None, split: str, missing: str,
    rule: str, confusion: bool, as_json: bool, score_only: bool,
) -> None:  # fmt: skip
    """Compare predictions with the true answers of story files.

    PREDICTIONS is what `predict` wrote, or those of any other system: lines of JSON, or CSV, with an answer
    and if possible an id; - is standard input. GOLD are story files or directories. They are matched by id,
    or by order where they have no id in common. A question that could not be answered counts as wrong.
    """
    from babi_cascade.app.batch.score import gold_questions, score_predictions
    from babi_cascade.app.results.matching import BY_ORDER
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
    result = score_predictions(
        said, questions, missing_is_wrong=missing == "wrong", label_set=rule == "label-set"
    )
    if result.matched_by == BY_ORDER:
        notice("matched by order: predictions and questions have no id in common")
    show_score(result, as_json=as_json, score_only=score_only, confusion=confusion)


@example_command("babi-cascade batch-score -m qa1.model stories --out predictions")
@click.argument("paths", nargs=-1, required=True)
@model_option
@tasks_option
@split_option
@longest_story_option
@click.option("--out", type=FOLDER, default=Path("out/batch"), show_default=True,
              help="Where the predictions go, a NAME.jsonl for each file.")  # fmt: skip
@all_of(*PLACES, *CACHE)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Processes that answer; the answers are the same.")  # fmt: skip
@json_option
@click.option("--score-only", is_flag=True,
              help="Print the accuracy over all questions (0 to 1) and nothing else.")  # fmt: skip
def batch_score(
    paths: tuple[str, ...], model: Path, task_list: str | None, split: str, longest_story: int | None,
    out: Path, jobs: int, as_json: bool, score_only: bool, **chosen: Any,
) -> int:  # fmt: skip
    """Answer the questions of many files with one model, keep the predictions and score them.

    PATHS are story files or directories (their test files). Lines that could not be answered count as wrong.
    """
    from babi_cascade.app.batch.questions import read_into
    from babi_cascade.app.batch.score import gold_questions, score_predictions
    from babi_cascade.app.batch.stream import AnswerStream
    from babi_cascade.app.results.predictions import read_predictions
    from babi_cascade.pipeline.stories.saving import replacing

    if as_json and score_only:
        raise click.UsageError("--json and --score-only exclude each other")
    if "-" in paths:
        raise click.UsageError("expected files, which are read twice; `predict` takes a pipe")
    files = files_of(paths, task_list, split)
    targets = [out / f"{Path(path).stem}.jsonl" for _, path in files]
    for target in targets:
        if targets.count(target) > 1:
            raise click.UsageError(f"two of the files would write {target}")
    engine = engine_of(chosen_model(model, longest_story, chosen), jobs)
    out.mkdir(parents=True, exist_ok=True)
    told = RecordWriter()
    try:
        for (_, path), target in zip(files, targets, strict=True):
            with replacing(target) as stream:
                told.stream = stream
                answering = AnswerStream(engine, told.write)
                read_into(answering.take, path)
                answering.catch_up()
    finally:
        engine.close()
    said = [each for target in targets for each in read_predictions(target, str(target))]
    result = score_predictions(said, gold_questions(files), missing_is_wrong=True)
    show_score(result, as_json=as_json, score_only=score_only)
    return told.ending()


def show_score(result: Score, *, as_json: bool, score_only: bool, confusion: bool = False) -> None:
    """Show a score as it was asked for."""
    if result.nearly_right:
        notice(
            f"{counted(result.nearly_right, 'answer')} would be right but for case, a full stop or blanks: "
            "answers are compared word for word"
        )
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
