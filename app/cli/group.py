"""The group of all commands: help in sections with an example each, and errors as one clear line."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from babi_cascade.app.cli.outlet import guarded
from babi_cascade.app.results.signature import version
from babi_cascade.errors import EXPECTED, in_one_line
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.simulation.lexicon_file import sample

USAGE = 2
SOME_FAILED = 1

FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


class Sample(click.Path):
    """A file, or the bare name of a sample that ships, wherever the package is installed."""

    def __init__(self, ending: str) -> None:
        super().__init__(path_type=Path, dir_okay=False, allow_dash=True)
        self.ending = ending

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; a file of that name comes first."""
        return super().convert(sample(value, self.ending), param, ctx)


class ExampleCommand(click.Command):
    """A command that shows an example in its own help and in the list of commands."""

    def __init__(self, *args: Any, example: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.example = example

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example at the end."""
        if self.example:
            formatter.write(f"\nExample:\n  {self.example}\n")


def example_command(example: str, name: str | None = None) -> Callable[[Any], click.Command]:
    """Return the decorator of a command that has an example."""
    return click.command(name, cls=ExampleCommand, example=example)


class Sections(click.Group):
    """Commands in sections, in the order in which they were added."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sections: dict[str, list[str]] = {}

    def add_to(self, section: str, command: click.Command) -> None:
        """Add a command to a section of the help."""
        self.add_command(command)
        assert command.name is not None
        self.sections.setdefault(section, []).append(command.name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section: the commands, what they do, an example."""
        for section, names in self.sections.items():
            with formatter.section(section):
                for name in names:
                    command = self.commands[name]
                    formatter.write_dl([(name.ljust(10), command.get_short_help_str(limit=100))])
                    # Never wrapped, so that it can be pasted.
                    formatter.write(f"    $ {getattr(command, 'example', name)}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader who closes the pipe has seen enough, and nothing is wrong."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes once more at exit and would complain.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        return result

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; a wrong name lists the right ones."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            known = ", ".join(name for names in self.sections.values() for name in names)
            raise click.UsageError(f"no command {args[0]!r}; expected one of {known}", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=Sections,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(version(), prog_name="babi-cascade")
@click.pass_context
def cli(context: click.Context) -> None:
    """The external-resources track of the bAbI tasks.

    Exit codes: 0 done; 1 some lines or tasks could not be done (named on stderr); 2 wrong usage or input.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; whatever is wrong with the input becomes one line on stderr."""
    # A polite kill cleans up as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    speak_utf8()
    with guarded():
        run_command(args)


def run_command(args: Sequence[str] | None) -> NoReturn:
    """Run the command that was asked for, and leave with its code."""
    try:
        code = cli.main(args, prog_name="babi-cascade", standalone_mode=False)
    except click.exceptions.Abort:
        fail("stopped; what was written before is complete and valid", 130)
    except click.ClickException as error:
        # Lists of choices come one a line.
        fail(error.format_message().replace("\n\t", " "), USAGE)
    except (*EXPECTED, OSError) as error:
        fail(told(error), USAGE)
    except KeyboardInterrupt:
        fail("stopped; what was written before is complete and valid", 130)
    sys.exit(code if isinstance(code, int) else 0)


def told(error: Exception) -> str:
    """Return an error as one line."""
    if isinstance(error, OSError):
        return f"{error.filename or 'output'}: {error.strerror or error}"
    return in_one_line(error) if isinstance(error, (MemoryError, RecursionError)) else str(error)


def speak_utf8() -> None:
    """Write UTF-8 into files and pipes whatever the locale says, and never fail over a character."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def fail(message: str, code: int) -> NoReturn:
    """Print one line to stderr and leave."""
    try:
        print(f"error: {escaped(message)}", file=sys.stderr)
    finally:
        sys.exit(code)
