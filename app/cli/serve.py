"""The command that shows a story being read and answered in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from babi_cascade.app.cli.ask import model_of, model_or_default
from babi_cascade.app.cli.group import ExampleCommand
from babi_cascade.app.cli.options import CACHE, PLACES, all_of
from babi_cascade.app.cli.terminal import notice


@click.command(cls=ExampleCommand, example="babi-cascade serve -m qa1.model --port 8080")
@model_or_default
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
    model: Path | None, port: int, host: str, allow_remote: bool, timeout: float, log: bool,
    **chosen: Any,
) -> None:  # fmt: skip
    """Type a story in a browser and see entities, frames, facts, answer and why.

    Only this machine is served. Nothing that is typed is kept, neither in files nor in the cache of
    annotations.
    """
    from babi_cascade.app.ask import Conversation
    from babi_cascade.app.serve import LiveServer, check_host

    check_host(host, allow_remote=allow_remote)
    cascade = model_of(model, chosen, keep=False)
    # The address is taken first: that it is in use should not be told after a long wait.
    with LiveServer(
        cascade, host, port, allow_remote=allow_remote, seconds=timeout, log=notice if log else None
    ) as server:
        notice("loading the parser and the model …")
        Conversation(cascade).warm_up()
        print(f"{server.url} (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
