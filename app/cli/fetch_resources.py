"""The command that gets the programs of other people that back ends run."""

from __future__ import annotations

from pathlib import Path

import click

from babi_cascade.app.cli.group import FOLDER, example_command
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import counted, notice, progress
from babi_cascade.app.fetch import PROGRAMS, REPOSITORY, Transfer, fetch_program
from babi_cascade.pipeline.java import fetched


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
