"""Commands for files: fetch stories or programs, describe, convert."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from babi_cascade.app.cli.group import FILE, FOLDER, SOME_FAILED, example_command
from babi_cascade.app.cli.outlet import data_stream, say
from babi_cascade.app.cli.terminal import (
    counted,
    notice,
    print_json,
    print_table,
    progress,
)
from babi_cascade.app.fetch.download import Transfer
from babi_cascade.app.fetch.programs import PROGRAMS, REPOSITORY, fetch_program
from babi_cascade.app.fetch.released import SOURCES
from babi_cascade.app.fetch.released import fetch_data as fetch
from babi_cascade.errors import UserError
from babi_cascade.pipeline.java import fetched
from babi_cascade.pipeline.stories import (
    ErrorHandler,
    Question,
    Skipped,
    Statistics,
    Story,
    describe,
    find_tasks,
    parse_task_list,
    read_questions,
    read_stories,
    save_questions,
    save_stories,
    write_babi,
    write_jsonl,
)
from babi_cascade.pipeline.stories.tasks import SPLITS

tasks_option = click.option(
    "--tasks", "task_list", metavar="LIST", help="Only these tasks of a directory, e.g. 1,3,5-8."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


def skip_bad_option(command: Callable[..., int]) -> Callable[..., int]:
    """Add --skip-bad to a command that gives ``on_error`` to its readers; what was left out is named."""

    @click.option("--skip-bad", is_flag=True,
                  help="Leave out what cannot be read instead of stopping; it is named on stderr (exit "
                  "code 1).")  # fmt: skip
    @wraps(command)
    def careful(skip_bad: bool, **given: Any) -> int:
        skipped = Skipped()
        try:
            code = command(on_error=skipped if skip_bad else None, **given)
        finally:
            for error in skipped.first:
                notice(f"skipped: {error}")
            if skipped.errors > len(skipped.first):
                notice(f"skipped: and {skipped.errors - len(skipped.first)} more")
            if skipped.errors:
                bad, gone = counted(skipped.errors, "bad line"), counted(skipped.lines, "line")
                notice(f"skipped: {bad}; {gone} left out in all")
        return SOME_FAILED if skipped.errors else code

    return careful


@example_command("babi-cascade fetch-data --out babi", name="fetch-data")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("babi"), show_default=True,
    help="Where en/, hn/, shuffled/ and the rest go.",
)  # fmt: skip
@click.option(
    "--url", "urls", multiple=True,
    help="Another source of the archive (http, https or file); may be given several times.",
)  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True,
              help="Seconds without a byte before a source is given up.")  # fmt: skip
@click.option("--force", is_flag=True, help="Fetch again, and replace files that differ.")
def fetch_data(out: Path, urls: tuple[str, ...], timeout: float, force: bool) -> None:
    """Download the released bAbI tasks (v1.2) and check every 1k file against its SHA-256.

    An interrupted download is resumed by the next call.
    """
    with progress(None, "downloading") as (bar, task):
        report = fetch(
            out,
            urls or SOURCES,
            timeout=timeout,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
            notice=notice,
            force=force,
        )
    if report.already_there:
        found = counted(report.verified, "file")
        say(f"{out}: {found} there and verified, none missing; nothing to do")
        return
    say(f"{out}: {counted(len(report.extracted), 'file')} from {report.url}")
    say(f"verified by SHA-256: {report.verified}; without a known sum: {report.unverified}")


@example_command("babi-cascade fetch-resources clearnlp", name="fetch-resources")
@click.argument("name", type=click.Choice(list(PROGRAMS)))
@click.option("--from", "folder", type=FOLDER,
              help="Take the jars from this folder: where there is no network.")  # fmt: skip
@click.option("--repository", default=REPOSITORY, show_default=True,
              help="The Maven repository (http, https or file).")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0.1), default=30.0, show_default=True,
              help="Seconds without a byte before it is given up.")  # fmt: skip
def fetch_resources(name: str, folder: Path | None, repository: str, timeout: float) -> None:
    """Get CoreNLP or ClearNLP, which need Java, into the user's cache folder.

    Every jar is checked against its sum. Then --coref corenlp and --srl clearnlp find them by themselves. An
    interrupted download is resumed by the next call.
    """
    program, target = PROGRAMS[name], fetched(name)
    say(f"{program.title}: {program.size}, {program.licence}; into {target}")
    with progress(None, "downloading") as (bar, task):
        transfer = Transfer(
            timeout,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
            notice=notice,
        )
        jars = fetch_program(program, target, transfer, repository=repository, folder=folder)
    say(f"{target}: {counted(len(jars), 'jar')} there and verified")


@example_command("babi-cascade stats stories --tasks 1-3")
@click.argument("paths", nargs=-1, required=True)
@tasks_option
@click.option("--split", type=click.Choice(SPLITS), help="Only this split of a directory.")
@json_option
@skip_bad_option
def stats(
    paths: tuple[str, ...], task_list: str | None, split: str | None, as_json: bool,
    on_error: ErrorHandler | None,
) -> int:  # fmt: skip
    """Describe story files: sizes, vocabulary, answers, supporting facts.

    PATHS are directories with official file names, files (bAbI text or JSONL), or - for standard input.
    """
    sources = list(named_sources(paths, task_list, split))
    described: list[tuple[str, Statistics]] = []
    with progress(len(sources), "reading") as (bar, task):
        for name, source in sources:
            described.append((name, describe(read_stories(source, on_error=on_error))))
            bar.advance(task)
    if as_json:
        print_json([{"source": name, **figures.to_json()} for name, figures in described])
    else:
        print_statistics(described)
    return 0


@example_command("babi-cascade convert stories/qa1_single-supporting-fact_train.txt --to jsonl")
@click.argument("source")
@click.option(
    "--to", "form", type=click.Choice(["babi", "jsonl"]), required=True, help="The form to write."
)
@click.option("--out", type=FILE,
              help="The file to write (atomically); standard output when left out.")  # fmt: skip
@skip_bad_option
def convert(source: str, form: str, out: Path | None, on_error: ErrorHandler | None) -> int:
    """Turn bAbI text into JSONL questions or back.

    SOURCE is a file or - for standard input.
    """
    if form == "jsonl":
        questions = read_questions(source, on_error=on_error)
        if out is None:
            write_jsonl(questions, data_stream())
        else:
            save_questions(out, questions)
    else:
        stories = without_ids(source, on_error)
        if out is None:
            write_babi(stories, data_stream())
        else:
            save_stories(out, stories)
    return 0


def named_sources(
    paths: tuple[str, ...], task_list: str | None, split: str | None
) -> Iterator[tuple[str, str]]:
    """Yield a short name and a readable source for every file that the paths stand for."""
    tasks = None if task_list is None else parse_task_list(task_list)
    for path in paths:
        if path != "-" and Path(path).is_dir():
            for file in find_tasks(path, tasks, split):
                yield file.path.name, str(file.path)
        elif tasks is not None or split is not None:
            raise click.UsageError(
                f"--tasks and --split choose files of a directory; {path} is none"
            )
        else:
            yield ("standard input" if path == "-" else path), path


def text_of(path: str) -> str:
    """Read running text or a script from a file or standard input."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text at byte {error.start}") from error


def files_of(paths: tuple[str, ...], task_list: str | None, split: str) -> list[tuple[str, str]]:
    """Return a short name and the path of every file; ``split`` chooses among those of directories."""
    found: list[tuple[str, str]] = []
    for path in paths:
        directory = path != "-" and Path(path).is_dir()
        found += named_sources((path,), task_list, split if directory else None)
    for name, path in found:
        if path != "-" and not Path(path).exists():
            raise click.UsageError(f"{name}: found no such file, expected a story file")
    return found


def without_ids(source: str, on_error: ErrorHandler | None) -> Iterator[Story]:
    """Read stories for the official format, which has no place for the ids of JSONL questions."""
    for story in read_stories(source, on_error=on_error):
        lines = tuple(
            replace(line, id=None) if isinstance(line, Question) else line for line in story.lines
        )
        yield replace(story, lines=lines)


def print_statistics(described: list[tuple[str, Statistics]]) -> None:
    """Print one row a file."""
    rows = []
    for name, s in described:
        top = s.frequent_answers[0] if s.frequent_answers else None
        rows.append((
            name, s.stories, s.statements, s.questions, s.words, s.answers,
            f"{s.statements_mean:.1f}", s.statements_max, f"{s.support_mean:.2f}", s.support_max,
            f"{top.answer} {100 * top.share:.0f}%" if top else "-",
        ))  # fmt: skip
    print_table(
        ("file", "stories", "statements", "questions", "words", "answers", "statements/story",
         "longest", "facts/question", "most", "top answer"),
        rows, left=("file", "top answer"),
    )  # fmt: skip
