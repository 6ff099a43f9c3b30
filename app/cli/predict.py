"""Commands for a model of one's own: make it, answer questions in bulk, show why one was answered so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from babi_cascade.app.cli.ask import writer
from babi_cascade.app.cli.group import SOME_FAILED, example_command
from babi_cascade.app.cli.options import (
    CACHE,
    KINDS,
    PLACES,
    SETTINGS,
    all_of,
    back_ends_of,
    cache_of,
    longest_story_option,
    model_option,
    places_of,
    seed_option,
    settings_of,
    signature_option,
    telling_progress,
)
from babi_cascade.app.cli.outlet import data_stream, say
from babi_cascade.app.cli.stories import files_of, json_option, tasks_option
from babi_cascade.app.cli.terminal import (
    counted,
    imputation_line,
    notice,
    percent,
    print_json,
    print_signature,
)
from babi_cascade.pipeline.stories.errors import shown
from babi_cascade.pipeline.stories.strict_json import JsonError, json_text
from babi_cascade.pipeline.stories.tasks import SPLITS

if TYPE_CHECKING:
    from babi_cascade.app.batch.model import ModelChoice
    from babi_cascade.app.batch.stream import Answerer, Record
    from babi_cascade.app.results.records import Imputed
    from babi_cascade.cascade.stages import Stage
    from babi_cascade.pipeline.stories import Question

FEW = 10
"""Training questions of which there is a word if there are fewer."""

TOLD = 3
"""Errors that are told on stderr as well."""

split_option = click.option("--split", type=click.Choice(SPLITS), default="test", show_default=True,
                            help="Which files of a directory.")  # fmt: skip


@example_command("babi-cascade train stories/qa1_single-supporting-fact_train.txt -m qa1.model")
@click.argument("paths", nargs=-1, required=True)
@model_option
@tasks_option
@all_of(*SETTINGS.values(), seed_option, *KINDS, *PLACES, *CACHE, signature_option)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Processes that parse; the model is the same.")  # fmt: skip
@click.option("--background", type=click.Path(path_type=Path), metavar="PATH",
              help="Put sentences of this text (a file, a folder, or 'sample') between the facts of every "
              "second question: for long stories.")  # fmt: skip
def train(
    paths: tuple[str, ...],
    model: Path,
    task_list: str | None,
    jobs: int,
    signature: bool,
    background: Path | None,
    **chosen: Any,
) -> None:
    """Learn from training files and write one model file.

    PATHS are story files (bAbI text or JSONL), directories (their train files), or - for standard input. The
    model keeps by which back ends stories were read, and not where these are.
    """
    from babi_cascade.app.batch.train import train as learn
    from babi_cascade.app.experiments.systems import imputed
    from babi_cascade.pipeline.stories.background import named_background

    files = [path for _, path in files_of(paths, task_list, "train")]
    back_ends = back_ends_of(chosen, jobs)
    with telling_progress(lines=True) as telling:
        reader = back_ends.reader(cache_of(chosen), telling.notice)
        text = None if background is None else named_background(background)
        cascade, origin = learn(files, model, settings_of(chosen), back_ends, reader, telling, text)
    answers = len(cascade.answer_stage_.encoder.answers_)
    learned = imputed(cascade.imputation_)
    say(
        f"{model}: {counted(origin.questions, 'question')}, {counted(answers, 'answer')}; "
        f"{stage_line('support', cascade.support_stage_, learned)}; "
        f"{stage_line('answer', cascade.answer_stage_, learned)}"
    )
    if origin.questions < FEW:
        notice(
            f"learned from {counted(origin.questions, 'question')} only: hardly enough to answer others; "
            "`curve` measures how many are"
        )
    if learned is not None:
        say(imputation_line(learned))
    if signature:
        print_signature(origin.signature)


@example_command("babi-cascade predict -m qa1.model stories/qa1_single-supporting-fact_test.txt")
@click.argument("paths", nargs=-1)
@model_option
@tasks_option
@split_option
@longest_story_option
@all_of(*PLACES, *CACHE)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True,
              help="Processes that answer; the answers and their order are the same.")  # fmt: skip
def predict(
    paths: tuple[str, ...], model: Path, task_list: str | None, split: str,
    longest_story: int | None, jobs: int, **chosen: Any,
) -> int:  # fmt: skip
    """Answer questions as a stream: bAbI text or JSONL in, JSONL out.

    PATHS are story files, directories (their test files), or - for standard input, which is also read when
    there are none. Questions need no answer: a line of bAbI text that ends in "?" asks. A line that cannot be
    answered gives a record with `error` and the number of the line, and exit code 1 at the end. Back ends are
    those of the training; where SENNA, a server or annotations are is said again, the model does not tell.
    """
    from babi_cascade.app.batch.questions import read_into
    from babi_cascade.app.batch.stream import AnswerStream

    files = [path for _, path in files_of(paths or ("-",), task_list, split)]
    told = RecordWriter()
    engine = engine_of(chosen_model(model, longest_story, chosen), jobs)
    try:
        answering = AnswerStream(engine, told.write)
        for path in files:
            read_into(answering.take, path, before_waiting=answering.catch_up, unanswered=True)
        answering.catch_up()
    finally:
        engine.close()
    return told.ending()


@example_command(
    "babi-cascade explain -m qa1.model stories/qa1_single-supporting-fact_test.txt --question 3"
)
@click.argument("path", metavar="FILE|-")
@model_option
@click.option("--question", "wanted", default="1", show_default=True, metavar="N|ID",
              help="Which question of the file: its number, or the id of its prediction.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=5, show_default=True,
              help="How many reasons are named; the others are summed up.")  # fmt: skip
@click.option("--all", "every", is_flag=True,
              help="The whole story, every feature of every group, and the runner-up's.")  # fmt: skip
@json_option
@longest_story_option
@all_of(*PLACES, *CACHE)
def explain(
    path: str, model: Path, wanted: str, top: int, every: bool, as_json: bool,
    longest_story: int | None, **chosen: Any,
) -> None:  # fmt: skip
    """Show the facts, the answer, and the reasons that decided.

    Features that say nearly the same are one reason; the weights of a list add up to its score. FILE is a
    story file (bAbI text or JSONL). Back ends are those of the training; where SENNA, a server or annotations
    are is said again.
    """
    from babi_cascade.app.batch.questions import questions_of
    from babi_cascade.app.explanation_text import explanation_lines

    cascade = chosen_model(model, longest_story, chosen).load(notice)
    question = the_question(list(questions_of(path, unanswered=True)), wanted, path)
    explanation = cascade.explain(question)
    if as_json:
        print_json(explanation.to_json())
    else:
        write = writer()
        for line in explanation_lines(explanation, top, every=every):
            write(line)


def chosen_model(model: Path, longest_story: int | None, chosen: dict[str, Any]) -> ModelChoice:
    """Return the model file, and where what it needs is."""
    from babi_cascade.app.batch.model import ModelChoice

    return ModelChoice(model, places_of(chosen), cache_of(chosen), longest_story, chosen["plugins"])


def engine_of(choice: ModelChoice, jobs: int) -> Answerer:
    """Return who answers; a model that cannot be used is told before any input is read."""
    from babi_cascade.app.batch.stream import Processes, ThisProcess

    cascade = choice.load(notice)
    return ThisProcess(cascade) if jobs == 1 else Processes(choice, jobs)


class RecordWriter:
    """Writes records, one a line, each chunk at once, and counts the errors among them."""

    def __init__(self) -> None:
        self.errors = 0
        self.stream: TextIO | None = None
        """Where they go, None for standard output."""

    def write(self, records: list[Record]) -> None:
        """Write and flush."""
        for record in records:
            line, record = writable(record)
            if "error" in record:
                self.errors += 1
                if self.errors <= TOLD:
                    notice(f"not answered: {placed(record)}")
            (self.stream or data_stream()).write(line + "\n")
        (self.stream or sys.stdout).flush()

    def ending(self) -> int:
        """Say how many lines could not be answered, and return the exit code."""
        if self.errors:
            notice(
                f"{counted(self.errors, 'line')} could not be answered; see the records with `error`"
            )
        return SOME_FAILED if self.errors else 0


def placed(record: Record) -> str:
    """Return the error of a record with its place in the input."""
    error, source = str(record["error"]), str(record.get("source"))
    return error if error.startswith(source) else f"{source}:{record.get('line')}: {error}"


def writable(record: Record) -> tuple[str, Record]:
    """Return the line of a record and the record; figures that are no numbers make it one of an error."""
    try:
        return json_text(record), record
    except JsonError as error:
        failed = {
            **({"id": record["id"]} if "id" in record else {}),
            "error": f"no answer: {error}",
        }
        return json_text(failed), failed


def stage_line(name: str, stage: Stage, learned: Imputed | None) -> str:
    """Return how the training of a stage ended; facts that were learned are no truth to be right by."""
    gap = f"gap {max(0.0, 100 * stage.gap_):.2g} %" + ("" if stage.converged_ else " (not reached)")
    chosen = f"C {stage.cost_:g}"
    fitted, by = stage.fitted_, "" if learned is None else " by the learned facts"
    if fitted.n_held_out:
        chosen += f" ({percent(fitted.right)} % of {fitted.n_held_out} held out right{by})"
    return f"{name}: {chosen}, {gap}, {stage.n_features_} features, {stage.seconds_:.1f} s"


def the_question(questions: Sequence[Question], wanted: str, path: str) -> Question:
    """Return the question of a number or an id; where a number is both, it counts."""
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
