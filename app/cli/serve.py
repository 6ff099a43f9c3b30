"""The command that shows a story being read and answered in a browser."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from babi_cascade.app.cli.ask import model_of, model_or_default
from babi_cascade.app.cli.group import FILE, example_command
from babi_cascade.app.cli.options import CACHE, PLACES, all_of
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.terminal import notice

book_option = click.option(
    "--book", type=FILE, help="A text of any length: a question without a story is about it."
)


@example_command("babi-cascade serve -m qa1.model --port 8080")
@model_or_default
@book_option
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True,
              help="0 takes a free one.")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True, help="An address of this machine.")
@click.option("--allow-remote", is_flag=True,
              help="Serve others too, on a --host that they can reach.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(0, min_open=True), default=30.0, show_default=True,
              help="Seconds for an answer.")  # fmt: skip
@click.option("--log/--no-log", default=False, show_default=True,
              help="Tell every request on stderr.")  # fmt: skip
@all_of(*PLACES, *CACHE)
def serve(
    model: Path | None, book: Path | None, port: int, host: str, allow_remote: bool, timeout: float,
    log: bool, **chosen: Any,
) -> int:  # fmt: skip
    """Type a story in a browser and see entities, frames, facts, answer and why.

    Only this machine is served. Nothing that is typed is kept, neither in files nor in the cache of
    annotations.
    """
    from babi_cascade.app.serve import Limits, LiveServer, NotLoadedError, check_host

    check_host(host, allow_remote=allow_remote)
    # The address is taken first: that it is in use should not be told after a long wait.
    told = told_of(click.get_current_context(), hold_model)
    with LiveServer(
        model_command(*told), host, port, allow_remote=allow_remote,
        limits=Limits(answer=timeout), log=notice if log else None,
    ) as server:  # fmt: skip
        notice("loading the parser and the model …")
        try:
            server.load()
            say(f"{server.url} (Ctrl-C ends)")
            sys.stdout.flush()
            server.serve_forever()
        except NotLoadedError as error:
            return error.code
        except KeyboardInterrupt:
            print()
    return 0


@click.command(hidden=True)
@model_or_default
@book_option
@all_of(*PLACES, *CACHE)
def hold_model(model: Path | None, book: Path | None, **chosen: Any) -> None:
    """Load a model and answer what `serve`, which starts this, sends."""
    from babi_cascade.app.serve.model_process import hold_model
    from babi_cascade.app.serve.texts import answers_of
    from babi_cascade.pipeline.stories.book import open_book

    text = None if book is None else open_book(book)
    hold_model(lambda: answers_of(model_of(model, chosen, keep=False), text))


def told_of(context: click.Context, command: click.Command) -> list[str]:
    """Return what a command was told on its command line, as far as another one takes it too."""
    taken = {option.name for option in command.params}
    told: list[str] = []
    for option in context.command.params:
        name = option.name or ""
        if name in taken and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            value = context.params[name]
            if isinstance(option, click.Option) and option.is_flag:
                told.append(option.opts[0])
            else:
                for each in value if isinstance(value, tuple) else (value,):
                    told += [option.opts[0], str(each)]
    return told


def model_command(*told: str) -> list[str]:
    """Return the command line of the process that holds the model.

    It imports from where this process does, and nothing from the current directory.
    """
    path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
    begin = (
        "import os, sys; sys.path[:] = sys.argv.pop(1).split(os.pathsep); "
        f"from {__package__} import main; main()"
    )
    return [sys.executable, "-c", begin, path, str(hold_model.name), *told]
