"""Commands of the simulator: generate stories, play scripts, prove answers, compare with real files."""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from babi_cascade.app.cli.group import FOLDER, SOME_FAILED, Sample, example_command
from babi_cascade.app.cli.options import all_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.stories import (
    json_option,
    named_sources,
    skip_bad_option,
    tasks_option,
    text_of,
)
from babi_cascade.app.cli.terminal import (
    counted,
    notice,
    print_json,
    print_table,
    progress,
)
from babi_cascade.app.long.generation import (
    LongOrder,
    between_in,
    generate_long,
    lengths_in,
    tokenizer_called,
)
from babi_cascade.app.results.signature import version
from babi_cascade.pipeline.stories import (
    ErrorHandler,
    Question,
    Story,
    parse_task_list,
    read_stories,
)
from babi_cascade.pipeline.stories.background import named_background
from babi_cascade.simulation.check import Comprehension, Line, Report, check_story
from babi_cascade.simulation.config import Config, load_config
from babi_cascade.simulation.errors import SimulationError
from babi_cascade.simulation.generate import Order
from babi_cascade.simulation.generate import generate as write_files
from babi_cascade.simulation.lexicon import RELEASED, Lexicon, load_lexicon, wordings
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import LANGUAGES

if TYPE_CHECKING:
    from babi_cascade.app.fidelity.report import FidelityReport

SHOWN = 20
"""How many problems are listed unless all are asked for."""

KNOBS = (
    click.option("--people", type=int, help="How many people take part."),
    click.option("--places", type=int, help="How many places there are."),
    click.option("--things", type=int, help="How many things (or shapes, or boxes) there are."),
    click.option("--questions-per-story", type=int, help="How many questions a story has."),
    click.option("--statements-per-question", type=int, help="How many statements come before each."),
    click.option("--distractors", type=int,
                 help="Statements about people nobody asks about, before each question."),
    click.option("--distance", metavar="MIN-MAX",
                 help="How many facts back a question may start from (released data: 1-5)."),
    click.option("--descriptions", type=click.FloatRange(0, 1), metavar="SHARE",
                 help="The share of later mentions told as 'the old man' instead of by name."),
    click.option("--introductions", is_flag=True,
                 help="People come in with their description: 'John, the old man, went …'."),
    click.option("--pronoun-distance", metavar="MIN-MAX",
                 help="How many statements after the name a pronoun comes (released data: 1-1)."),
    click.option("--no-synonyms", is_flag=True, help="Always the first wording of everything."),
)  # fmt: skip

LONG = (
    click.option("--background", type=click.Path(path_type=Path), metavar="PATH",
                 help="Hide the facts in this text: a file, a folder of .txt files, or 'sample'."),
    click.option("--tokens", metavar="LIST", help="How long the texts are, e.g. 0,4k,128k,1M."),
    click.option("--between", metavar="PART", help="Hide them in this part only, e.g. 0.2-0.8."),
    click.option("--form", type=click.Choice(["jsonl", "lm"]), help="Questions as JSON lines, or input, "
                 "question and target with prompts and tasks for language models.  [default: jsonl]"),
    click.option("--tokenizer", metavar="NAME",
                 help="What counts tokens: tiktoken:NAME, transformers:NAME.  [default: 4 characters]"),
)  # fmt: skip
"""Long stories."""

wording_option = click.option(
    "--wording", type=click.Choice(wordings()), default=RELEASED, show_default=True,
    help="Tell as the released files do, or also as the paper's Tables 1 and 2.",
)  # fmt: skip


@example_command("babi-cascade generate --tasks 1-20 --questions 1000 --seed 0 --out stories")
@click.option("--tasks", "task_list", metavar="LIST",
              help="Which of the 20 tasks, e.g. 1,3,5-8.  [default: 1-20]")  # fmt: skip
@click.option("--config", type=Sample(".toml"), metavar="FILE|SAMPLE",
              help="A TOML file that defines a task of your own, instead of --tasks.")  # fmt: skip
@click.option(
    "--questions", type=int, default=1000, show_default=True, help="Questions in each file."
)
@click.option("--test-questions", type=int, help="Questions in each test file, when different.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Same seed, same bytes, anywhere."
)
@click.option(
    "--language", type=click.Choice(LANGUAGES), help="The language to tell in.  [default: en]"
)
@click.option("--lexicon", "lexicon_path", type=Sample(".toml"), metavar="FILE|SAMPLE",
              help="A TOML file with other words, or a sample: village, household.")  # fmt: skip
@wording_option
@click.option("--out", type=FOLDER, required=True,
              help="The folder to write to.")  # fmt: skip
@click.option("--truth", is_flag=True, help="Also write what every sentence means, as JSONL.")
@click.option("--check", "prove", is_flag=True,
              help="Prove every answer by an independent reader; write nothing untrue.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files that are there with other content.")
@all_of(*KNOBS, *LONG)
def generate(
    task_list: str | None,
    config: Path | None,
    questions: int,
    test_questions: int | None,
    seed: int,
    language: str | None,
    lexicon_path: Path | None,
    wording: str,
    out: Path,
    truth: bool,
    prove: bool,
    force: bool,
    no_synonyms: bool,
    introductions: bool,
    distance: str | None,
    pronoun_distance: str | None,
    background: Path | None,
    tokens: str | None,
    between: str | None,
    form: str | None,
    tokenizer: str | None,
    **counts: float | None,
) -> None:
    """Simulate stories and questions: train and test files in the official format.

    With --background and --tokens the facts of every question are hidden in running text of its own.
    """
    long = {"--tokens": tokens, "--between": between, "--form": form, "--tokenizer": tokenizer}
    if background is None and (wrong := [name for name, value in long.items() if value]):
        raise click.UsageError(f"{wrong[0]} is for long stories; expected --background beside it")
    if background is not None and tokens is None:
        raise click.UsageError("--background hides facts in text; expected --tokens, e.g. 4k,128k")
    given: dict[str, Any] = {name: value for name, value in counts.items() if value is not None}
    if distance is not None:
        given["distance"] = span("--distance", distance)
    if pronoun_distance is not None:
        given["pronoun_distance"] = span("--pronoun-distance", pronoun_distance)
    if no_synonyms:
        given["synonyms"] = False
    if introductions:
        given["introductions"] = True
    origin: dict[str, Any] = {}
    if lexicon_path is not None:
        origin["lexicon"] = {"file": lexicon_path.name, "sha256": file_sum(lexicon_path)}
    if wording != RELEASED:
        origin["wording"] = wording
    if config is None:
        chosen = chosen_tasks(task_list or "1-20")
        languages: tuple[str, ...] = (language or "en",)
        knobs = Knobs(**given)
    else:
        if task_list is not None:
            raise click.UsageError("--config defines the task; expected no --tasks beside it")
        own = load_config(config)
        origin["config"] = own.table
        chosen, languages = [own.task], own_languages(own, language, config)
        knobs = replace(own.knobs, **given)
    proved, notes, files = 0, 0, 0
    with progress(len(chosen) * len(languages), "simulating") as (bar, task):
        for spoken in languages:
            folder = out if len(languages) == 1 else out / spoken
            order = Order(
                tasks=chosen, train=questions,
                test=questions if test_questions is None else test_questions, seed=seed,
                language=spoken, lexicon=own_lexicon(spoken, lexicon_path, wording), knobs=knobs,
                truth=truth, check=prove, version=version(), origin=origin,
            )  # fmt: skip
            if background is not None and tokens is not None:
                hiding = hiding_of(order, background, tokens, between, form, tokenizer)
                hidden = generate_long(
                    hiding, folder, force=force, progress=lambda _: bar.advance(task)
                )
                files += len(hidden.files)
                proved += hidden.proved
                say(
                    f"{folder}: {counted(hidden.questions, 'long question')}; of the texts of "
                    f"{hidden.affected}, {counted(hidden.kept_out, 'sentence')} kept out that would name "
                    "what a question rests on"
                )
                continue
            outcome = write_files(order, folder, force=force, progress=lambda _: bar.advance(task))
            files += len(outcome.files)
            proved += outcome.checked.questions
            notes += len(outcome.checked.notes)
            for warning in outcome.warnings:
                notice(f"note: {warning}")
    made = f"{counted(files, 'file')}, {counted(len(chosen), 'task')}"
    say(f"{out}: {made}, seed {seed}, language {', '.join(languages)}")
    if prove:
        say(f"proved: {counted(proved, 'answer')} and their supporting facts")
        if notes:
            say(f"odd but true: {counted(notes, 'map')} on which two rooms fall on one cell")


@example_command("babi-cascade check stories --tasks 4,17,19")
@click.argument("paths", nargs=-1, required=True)
@tasks_option
@click.option("--task", "task_number", type=click.IntRange(1, 20),
              help="Whose words a single file uses (seen from the file name otherwise).")  # fmt: skip
@click.option("--language", type=click.Choice(["en", "hn", "symbolic"]), default="en", show_default=True,
              help="The language of the files.")  # fmt: skip
@click.option("--lexicon", "lexicon_path", type=Sample(".toml"), metavar="FILE|SAMPLE",
              help="The words the files were generated with.")  # fmt: skip
@wording_option
@click.option("--notes", "show_notes", is_flag=True, help="Also list what is odd but true.")
@click.option(
    "--all", "show_all", is_flag=True, help=f"List all problems, not only the first {SHOWN}."
)
@json_option
@skip_bad_option
def check(
    paths: tuple[str, ...],
    task_list: str | None,
    task_number: int | None,
    language: str,
    lexicon_path: Path | None,
    wording: str,
    show_notes: bool,
    show_all: bool,
    as_json: bool,
    on_error: ErrorHandler | None,
) -> int:
    """Prove the answers and supporting facts of story files with an independent reader.

    The reader knows the wording of the simulator, not the world behind it. It reports every answer that
    does not follow from the text, every support set that is not enough or too much, contradictory maps,
    sizes and holdings; exit code 1 when there are any.
    """
    total = Report()
    words = own_lexicon(language, lexicon_path, wording) or load_lexicon(language)
    for name, source in named_sources(paths, task_list, None):
        number = task_number or number_in(name)
        reader = Comprehension(words.for_task(str(number)) if number else words)
        for story in read_stories(source, on_error=on_error):
            place = f"{name}, story at line {story.start}"
            total.add(check_story(lines_of(story), reader), place)
    if as_json:
        print_json({"questions": total.questions, "problems": total.problems, "notes": total.notes})
    else:
        print_findings(total.problems, show_all)
        if show_notes:
            print_findings([f"note: {note}" for note in total.notes], show_all)
        say(
            f"{counted(total.questions, 'question')}, {counted(len(total.problems), 'problem')}, "
            f"{counted(len(total.notes), 'oddity', 'oddities')}"
            + (" (listed with --notes)" if total.notes and not show_notes else "")
        )
    unread = sum("cannot be read" in problem for problem in total.problems)
    if unread > total.questions / 2:
        notice(
            f"note: {counted(unread, 'line')} cannot be read; is --language {language} right for these files?"
        )
    return SOME_FAILED if total.problems else 0


@example_command(
    "babi-cascade play -c 'joe go playground; joe get football; where is the football?'"
)
@click.argument("script", type=Sample(".script"), required=False)
@click.option(
    "-c", "--command", "commands", help="The commands themselves, separated by semicolons."
)
@click.option("--world", "world_file", type=Sample(".toml"), metavar="FILE|SAMPLE",
              help="A TOML file with places, things and actors.")  # fmt: skip
@click.option(
    "--seed", type=int, default=0, show_default=True, help="For wording and random actions."
)
def play(script: Path | None, commands: str | None, world_file: Path | None, seed: int) -> int:
    """Run a script of commands in the simulated world and tell the story.

    SCRIPT is a file, a sample (house) or - for standard input. A command that breaks a constraint is named
    on stderr and changes nothing (exit code 1).
    """
    from babi_cascade.simulation.script import play as run

    if (script is None) == (commands is None):
        raise click.UsageError("expected either a SCRIPT or -c COMMANDS")
    path = "-" if script is None else str(script)
    text = text_of(path) if commands is None else commands
    source = "commands" if script is None else "standard input" if path == "-" else path
    refused = 0
    for line in run(text, world_file=world_file, seed=seed, source=source):
        if line.kind == "refused":
            refused += 1
            sys.stdout.flush()
            notice(line.text)
        elif line.kind == "question":
            print(f"{line.number} {line.text}\t{line.answer}")
        else:
            print(f"{line.number} {line.text}")
    return SOME_FAILED if refused else 0


@example_command("babi-cascade fidelity babi/en --tasks 1-20")
@click.argument("directory", type=click.Path(path_type=Path))
@tasks_option
@click.option("--questions", type=click.IntRange(100), default=10_000, show_default=True,
              help="Simulated questions a task.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.05, show_default=True,
              help="The largest total-variation distance that passes by itself.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0.5, 0.9995), default=0.999, show_default=True,
              help="How much of chance may explain a larger distance.")  # fmt: skip
@click.option("--language", type=click.Choice(["en", "hn", "symbolic"]), default="en", show_default=True,
              help="The language of the real files.")  # fmt: skip
@click.option("--failures", "failures_only", is_flag=True, help="Show only the rows that differ.")
@json_option
def fidelity(
    directory: Path,
    task_list: str | None,
    questions: int,
    seed: int,
    threshold: float,
    confidence: float,
    language: str,
    failures_only: bool,
    as_json: bool,
) -> int:
    """Compare simulated with real files: forms, actions, answers, lengths, supporting facts.

    Exit code 1 when a distance exceeds the threshold and sampling noise does not explain it.
    """
    from babi_cascade.app.fidelity import compare

    tasks = None if task_list is None else parse_task_list(task_list)
    with progress(None, "comparing") as (bar, task):
        report = compare(
            directory, tasks=tasks, questions=questions, seed=seed, threshold=threshold,
            confidence=confidence, language=language,
            progress=lambda name: bar.update(task, description=name, advance=1),
        )  # fmt: skip
    if as_json:
        print_json(report.to_json())
    else:
        print_comparison(report, failures_only=failures_only)
    return 0 if report.passed else SOME_FAILED


def hiding_of(
    order: Order, background: Path, tokens: str, between: str | None, form: str | None,
    tokenizer: str | None,
) -> LongOrder:  # fmt: skip
    """Return what is to be hidden in what."""
    return LongOrder(
        order, named_background(background), lengths_in(tokens), between_in(between or "0-1"),
        form or "jsonl",
        *((tokenizer_called(tokenizer), tokenizer) if tokenizer is not None else ()),
    )  # fmt: skip


def print_findings(findings: list[str], show_all: bool) -> None:
    """Print what was found, or the beginning of a long list."""
    shown = findings if show_all else findings[:SHOWN]
    for finding in shown:
        say(finding)
    if len(shown) < len(findings):
        say(f"… and {len(findings) - len(shown)} more; --all lists them")


def print_comparison(report: FidelityReport, *, failures_only: bool) -> None:
    """Print the measures of all tasks, then what failed and why."""
    from babi_cascade.app.fidelity.report import COLUMNS, DIFFERENT, NOISE, cells, remarks

    styles = {NOISE: "yellow", DIFFERENT: "bold red"}
    rows = []
    for row in report.failures if failures_only else report.rows:
        *values, verdict, detail = cells(row)
        rows.append([*values, Text(verdict, styles.get(verdict, "green")), detail])
    if rows:
        print_table(COLUMNS, rows, left=("measure", "interval", "verdict", COLUMNS[-1]), repeated=2)
    for line in remarks(report):
        say(line)


def file_sum(path: Path) -> str:
    """Return the SHA-256 of a user's file, or nothing when it cannot be read (which is told later)."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def chosen_tasks(task_list: str) -> list[Any]:
    """Return the built-in tasks of a list."""
    numbers = parse_task_list(task_list)
    unknown = [number for number in numbers if number not in TASKS]
    if unknown:
        raise SimulationError(
            f"--tasks: there is no task {unknown[0]}; expected numbers from 1 to 20"
        )
    return [TASKS[number] for number in numbers]


def own_languages(own: Config, language: str | None, path: Path) -> tuple[str, ...]:
    """Return the languages in which a task of the user's own is told."""
    if language is None:
        return own.languages
    if language not in own.languages:
        raise SimulationError(
            f"{path}: languages are {', '.join(own.languages)}; {language!r} is not among them"
        )
    return (language,)


def own_lexicon(language: str, path: Path | None, wording: str) -> Lexicon | None:
    """Return the language's lexicon with another wording or the user's words, or None without either."""
    if path is None and wording == RELEASED:
        return None
    lexicon = load_lexicon("en" if language == "shuffled" else language, wording)
    return lexicon if path is None else lexicon.with_words(path)


def span(option: str, text: str) -> tuple[int, int]:
    """Read MIN-MAX."""
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise SimulationError(f"{option}: found {text!r}, expected MIN-MAX such as 1-5")
    return int(first), int(last or first)


def number_in(name: str) -> int | None:
    """Return the task number in an official file name."""
    digits = name.removeprefix("qa").split("_")[0]
    return int(digits) if name.startswith("qa") and digits.isdecimal() else None


def lines_of(story: Story) -> list[Line]:
    """Return a story as the independent reader wants it."""
    return [
        Line(line.line, line.text, line.answer, line.support or ())
        if isinstance(line, Question)
        else Line(line.line, line.text)
        for line in story.lines
    ]
