"""What is common to the commands: tables, notices, progress that stays quiet in a pipe, completion."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from click.shell_completion import get_completion_class
from rich.console import JustifyMethod
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from babi_cascade.app.cli.group import example_command
from babi_cascade.app.cli.outlet import PlainConsole, data_stream, exact_stream, say
from babi_cascade.app.cli.outlet import notice as notice  # for all commands
from babi_cascade.app.results.records import PASS, Figure, Imputed
from babi_cascade.pipeline.stories.errors import escaped
from babi_cascade.pipeline.stories.strict_json import json_text
from babi_cascade.pipeline.stories.wording import counted as counted  # for all commands

PIPE_WIDTH = 200
"""Tables are not folded to 80 columns when nobody looks at them."""

GAP = 2
"""Blanks between the columns of a table."""


def console() -> PlainConsole:
    """Return a console that writes to stdout, wide enough when it is a pipe."""
    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return PlainConsole(file=exact_stream(sys.stdout), width=width, highlight=False)


def print_signature(signature: str) -> None:
    """Print what decided a result.

    A terminal gets the parts of a signature folded between them, so that none is cut in two; a pipe gets
    one line.
    """
    if not sys.stdout.isatty():
        say(signature)
        return
    width = max(40, console().width - 2)
    line = ""
    for part in signature.split("|"):
        folded = f"{line}|{part}" if line else part
        if line and len(folded) >= width:
            say(f"  {line}|")
            folded = part
        line = folded
    say(f"  {line}")


def print_json(value: Any) -> None:
    """Print a result for programs."""
    data_stream().write(json_text(value, indent=2) + "\n")


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None,
    left: Sequence[str] = (), repeated: int = 1,
) -> None:  # fmt: skip
    """Print a result for people; columns are aligned to the right unless named in ``left``.

    No cell is ever cut: what is wider than the terminal is printed in blocks of columns below each other, and
    each begins with the first ``repeated`` columns, which say what a row is about.
    """
    # Names of files and words may have brackets, which rich would take for styles in a plain string.
    cells = [
        [cell if isinstance(cell, Text) else Text(escaped(str(cell))) for cell in row]
        for row in rows
    ]
    heads = [Text("\n".join(map(escaped, column.split("\n")))) for column in columns]
    widths = [
        max(line.cell_len for cell in column for line in cell.split(allow_blank=True))
        for column in zip(heads, *cells, strict=True)
    ]
    screen = console()
    said = None if title is None else Text(escaped(title))
    for number, block in enumerate(fitting(widths, repeated, screen.width)):
        # Its own width, even where not one column fits: the terminal folds the lines and nothing is lost.
        table = Table(title=None if number else said, title_justify="left", box=None, pad_edge=False,
                      header_style="bold", width=taken(widths, block))  # fmt: skip
        for place in block:
            side: JustifyMethod = "left" if columns[place] in left else "right"
            table.add_column(heads[place], justify=side, no_wrap=True)
        for row in cells:
            table.add_row(*(row[place] for place in block))
        if number:
            screen.print()
        screen.print(table, crop=False)


def percent(share: float | Figure | None) -> str:
    """Return a share as percent without the sign."""
    if isinstance(share, Figure):
        return str(share)
    return "-" if share is None else f"{100 * share:.1f}"


def imputation_line(learned: Imputed) -> str:
    """Return how much was learned about facts that nobody told."""
    told = f"{learned.n_told} were told" if learned.n_told else "none were told"
    found = "none were held out"
    if learned.held_out is not None:
        found = (
            f"{percent(learned.held_out)} % of the answers held out from learning them are found"
        )
    return (
        f"facts of {counted(learned.n_imputed, 'training question')} were learned from the answers, {told}; "
        f"{found}, {percent(learned.explained)} % of those that they were chosen by"
    )


def points(difference: float | None) -> str:
    """Return a difference in points, with its sign."""
    return "-" if difference is None else f"{100 * difference:+.1f}"


def coloured(figure: Figure | None, text: str | None = None) -> Text:
    """Return a figure, green where the task is passed; in a pipe nothing is coloured."""
    passed = figure is not None and figure.mean >= PASS
    return Text(percent(figure) if text is None else text, style="green" if passed else "")


def fitting(widths: Sequence[int], repeated: int, room: int) -> list[list[int]]:
    """Return the columns of each block: the repeated ones, then as many others as there is room for."""
    first = list(range(repeated))
    blocks = [list(first)]
    for place in range(repeated, len(widths)):
        if len(blocks[-1]) > repeated and taken(widths, [*blocks[-1], place]) > room:
            blocks.append(list(first))
        blocks[-1].append(place)
    return blocks


def taken(widths: Sequence[int], block: Sequence[int]) -> int:
    """Return how wide a table of some columns is."""
    return sum(widths[place] for place in block) + GAP * (len(block) - 1)


class Count(ProgressColumn):
    """How much is done, and of how much where somebody knows."""

    def render(self, task: Task) -> Text:
        """Return the numbers; nothing before there are any."""
        if task.total is not None:
            return Text(f"{task.completed:.0f}/{task.total:.0f}")
        return Text(f"{task.completed:.0f}" if task.completed else "")


class Lines:
    """Tells a pipe or a log what is done: every part that is finished, and now and then what goes on."""

    PAUSE = 10.0
    """Seconds without a word before what goes on is told."""

    def __init__(self) -> None:
        self._begun = self._last = time.monotonic()

    def progress(self, what: str, done: int, total: int) -> None:
        """Hear of what goes on."""
        if time.monotonic() - self._last >= self.PAUSE:
            self.done(what, done, total)

    def done(self, what: str, done: int, total: int) -> None:
        """Hear of a part that is finished."""
        self._last = time.monotonic()
        count = f" ({done}/{total})" if total else ""
        notice(f"{self._last - self._begun:6.0f} s  {what}{count}")


@contextmanager
def progress(total: int | None, what: str) -> Iterator[tuple[Progress, TaskID]]:
    """Show a bar on a terminal; nothing at all in a pipe or a log."""
    bar = Progress(
        TextColumn("{task.description}", markup=False), BarColumn(), Count(),
        TimeElapsedColumn(), console=PlainConsole(file=exact_stream(sys.stderr)), transient=True,
        disable=not sys.stderr.isatty(),
    )  # fmt: skip
    with bar:
        yield bar, bar.add_task(what, total=total)


@example_command("babi-cascade completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in your shell."""
    from babi_cascade.app.cli.group import cli

    found = get_completion_class(shell)
    assert found is not None
    print(found(cli, {}, "babi-cascade", "_BABI_CASCADE_COMPLETE").source())
