"""The command that answers what is typed or piped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import FILE, SOME_FAILED, example_command
from babi_cascade.app.cli.options import (
    CACHE,
    PLACES,
    all_of,
    cache_of,
    places_of,
    telling_progress,
)
from babi_cascade.app.cli.outlet import data_stream
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import console, counted, notice
from babi_cascade.errors import EXPECTED, UserError, in_one_line
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.strict_json import json_text

if TYPE_CHECKING:
    from babi_cascade.app.ask import Conversation
    from babi_cascade.app.experiments.progress import Telling
    from babi_cascade.app.explanation_text import Line
    from babi_cascade.cascade import Cascade, Explanation
    from babi_cascade.pipeline.stories.lines import ByteStream

model_or_default = click.option(
    "-m", "--model", type=FILE,
    help="The model file.  [default: a small one, made from simulated stories at first use]",
)  # fmt: skip


@example_command("babi-cascade ask stories/qa1_single-supporting-fact_test.txt")
@click.argument("path", metavar="[FILE|-]", required=False)
@model_or_default
@click.option("-q", "--question", "questions", multiple=True, metavar="TEXT",
              help="Ask this about all of FILE, a text of any length; may be given again.")  # fmt: skip
@click.option("--explain", is_flag=True, help="Also show the features that decided.")
@json_option
@click.option("--history/--no-history", default=True, show_default=True,
              help="Keep what is typed on a terminal for the next time.")  # fmt: skip
@all_of(*PLACES, *CACHE)
def ask(
    path: str | None, model: Path | None, questions: tuple[str, ...], explain: bool, as_json: bool,
    history: bool, **chosen: Any,
) -> int:  # fmt: skip
    """Answer questions about a story, typed or piped.

    A sentence that ends in ? is a question about what was told before. On a terminal it is a dialogue (:help
    says more); from FILE or a pipe the answers come as plain text, and an empty line begins a new story.
    bAbI text and JSONL are understood too. With -q FILE is running text, a whole book if need be: it is
    indexed once, and of it only those sentences are parsed that hang together with the question.
    """
    from babi_cascade.app.ask import Conversation
    from babi_cascade.pipeline.stories.lines import opened

    if questions:
        if path in (None, "-"):
            raise click.UsageError("-q asks about a text; expected its FILE")
        return ask_book(Path(str(path)), questions, model, chosen, explain=explain, as_json=as_json)
    if path is None and sys.stdin.isatty() and sys.stdout.isatty() and not as_json:
        talk(Conversation(model_of(model, chosen)), history)
        return 0
    piped = path in (None, "-")
    name = "<stdin>" if piped else str(path)
    # What cannot be opened is told before a model is made or loaded.
    with opened(sys.stdin.buffer if piped else name, name) as stream:
        conversation = Conversation(model_of(model, chosen))
        return answer_all(conversation, stream, name, explain=explain, as_json=as_json)


def ask_book(
    path: Path, questions: Sequence[str], model: Path | None, chosen: dict[str, Any], *,
    explain: bool, as_json: bool,
) -> int:  # fmt: skip
    """Answer questions about a text, and say which of its sentences the answers rest on."""
    from babi_cascade.app.explanation_text import answer_lines, why_lines
    from babi_cascade.pipeline.stories import Question
    from babi_cascade.pipeline.stories.book import open_book

    cache = cache_of(chosen)
    write, failed = writer(), 0
    with telling_progress() as telling:
        telling.progress(f"indexing {path.name}", 0, 0)
        book = open_book(path, None if cache is None else cache.parent / "books")
    cascade = model_of(model, chosen)
    for text in questions:
        try:
            with telling_progress() as telling:
                tell_parsing(cascade, telling)
                found = cascade.explain(Question(len(book) + 1, text, None, None, book))
        except EXPECTED as error:
            failed += 1
            notice(f"not answered: {in_one_line(error)}")
            continue
        if as_json:
            data_stream().write(json_text(found.to_json(short=not explain)) + "\n")
            continue
        write([(text, "bold")])
        for line in (*answer_lines(found), *(why_lines(found) if explain else ())):
            write(line)
        n_read = found.asked.n_read
        seen = len(book) if n_read is None else n_read
        write([("  read    ", "dim"), (f"{seen} of {counted(len(book), 'sentence')}", "dim")])
    return SOME_FAILED if failed else 0


def tell_parsing(cascade: Cascade, telling: Telling) -> None:
    """Let progress be heard of while sentences are parsed."""
    annotator = None if cascade.reader is None else cascade.story_reader.annotator
    if annotator is not None:
        annotator.progress = lambda done, total: telling.progress("parsing", done, total)


def model_of(model: Path | None, chosen: dict[str, Any], *, keep: bool = True) -> Cascade:
    """Return the model of the user, or the one that is made at first use.

    Without ``keep`` nothing of what is read later goes to the disk.
    """
    from babi_cascade.app.ask.default_model import default_model
    from babi_cascade.app.batch.model import ModelChoice
    from babi_cascade.app.experiments.backends import as_option

    cache = cache_of(chosen) if keep else None
    if model is not None:
        return ModelChoice(model, places_of(chosen), cache, plugins=chosen["plugins"]).load(notice)
    given = list(places_of(chosen))
    if given:
        raise click.UsageError(
            f"{as_option(given[0])} is for a model of your own (-m): the one that is made at first use reads "
            "with what is shipped"
        )
    with telling_progress() as telling:
        cascade = default_model(cache_of(chosen), telling)
    if not keep and cascade.reader is not None and cascade.reader.annotator is not None:
        cascade.reader.annotator.cache = None
    return cascade


def talk(conversation: Conversation, history: bool) -> None:
    """Lead the dialogue on a terminal."""
    from babi_cascade.app.ask.dialogue import GREETING, Dialogue
    from babi_cascade.app.ask.line_editor import history_path, typed_lines

    with console().status("loading the parser and the model …"):
        conversation.warm_up()
    dialogue = Dialogue(conversation, writer())
    print(GREETING)
    for text in typed_lines(history_path() if history else None):
        try:
            if not dialogue.take(text):
                return
        except KeyboardInterrupt:
            print("(stopped)")


def answer_all(
    conversation: Conversation, stream: ByteStream, name: str, *, explain: bool, as_json: bool
) -> int:
    """Answer every question of a file or pipe as soon as it is there."""
    from babi_cascade.app.explanation_text import answer_lines, why_lines

    write = writer()
    questions = failed = 0
    for answer in answers(conversation, stream, name):
        try:
            found = answer if isinstance(answer, str) else answer()
        except EXPECTED as error:
            found = in_one_line(error)
        if isinstance(found, str):
            failed += 1
            notice(f"not answered: {found}")
            continue
        questions += 1
        if as_json:
            data_stream().write(json_text(found.to_json(short=not explain)) + "\n")
        else:
            write([(found.asked.source.text, "bold")])
            for line in (*answer_lines(found), *(why_lines(found) if explain else ())):
                write(line)
        sys.stdout.flush()
    if not questions and not failed:
        notice("no question was asked; a sentence that ends in ? is one")
    return SOME_FAILED if failed else 0


def answers(
    conversation: Conversation, stream: ByteStream, name: str
) -> Iterator[Callable[[], Explanation] | str]:
    """Yield for every question of a file or pipe how to get its answer; or what is wrong with a line."""

    from babi_cascade.app.ask.line_parser import (
        LineParser,
        NewStory,
        RefusedLine,
        Statement,
        text_lines,
    )
    from babi_cascade.app.batch.questions import Fault, FileQuestion, read_into

    head = stream.peek(1)[:1] if hasattr(stream, "peek") else b""
    if head == b"{":
        found: list[FileQuestion | Fault] = []
        read_into(found.append, name, stream=stream)
        for asked in found:
            if isinstance(asked, Fault):
                yield asked.said
            else:
                yield partial(conversation.answer, asked.question)
        return
    parser = LineParser(blank_is_new=True)
    for number, line in enumerate(text_lines(stream, name), start=1):
        for each in parser.line(line):
            if isinstance(each, NewStory):
                conversation.new()
            elif isinstance(each, RefusedLine):
                yield f"{name}:{number}: {each.reason}"
            elif isinstance(each, Statement):
                try:
                    conversation.tell(each.text)
                except UserError as error:
                    raise UserError(f"{name}:{number}: {error}") from error
            else:
                yield partial(conversation.ask, each)


def writer() -> Callable[[Line], None]:
    """Return what writes a line with its styles; in a pipe only the text is left."""
    from rich.text import Text

    screen = console()

    def write(line: Line) -> None:
        parts = [(escaped(text), style) for text, style in line]
        screen.print(Text.assemble(*parts), soft_wrap=True, highlight=False)

    return write
