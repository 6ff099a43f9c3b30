"""Runs on small files, as a user would have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from babi_cascade.app.cli import cli

QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1")
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over two tasks, words only."""
    folder = tmp_path_factory.mktemp("report") / "small"
    arguments = ["run", *QUICK, "--tasks", "1,6", "--questions", "60", "--out", str(folder)]
    cli.main(arguments, standalone_mode=False)
    return folder


@pytest.fixture(scope="session")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over stories that try to be markup."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = []
    for number in range(8):
        place = f"</script>{HOSTILE}{number % 2}"
        lines += [
            f"1 Ana{number} went to the {place}.",
            f"2 Where is Ana{number} & {HOSTILE}?\t{place}\t1",
        ]
    text = "\n".join(lines) + "\n"
    for split in ("train", "test"):
        (folder / f"qa1_a<b>&c_{split}.txt").write_text(text, encoding="utf-8")
    out = folder / "<i>run</i>"
    cli.main(["run", "--data", str(folder), *QUICK, "--out", str(out)], standalone_mode=False)
    return out
