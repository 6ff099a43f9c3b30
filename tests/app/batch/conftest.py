"""Simulated stories, a model that reads words only, and the command as a user types it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from babi_cascade.app.cli import cli

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()"]
QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1")
HALF_BAD = """\
1 Mary moved to the office.
2 Where is Mary?\toffice\t1
3 Mary moved to the garden.
4 Where is Mary?\tgarden\t9
5 Where is Mary?\tgarden\t3
x lost
6 Where is Mary?\tgarden\t3
1 John moved to the office.
2 Where is John?\toffice\t1
"""

Call = Callable[..., SimpleNamespace]


@pytest.fixture(scope="session")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("batch") / "stories"
    arguments = ["generate", "--tasks", "1,6", "--questions", "60", "--out", str(folder)]
    cli.main(arguments, standalone_mode=False)
    return folder


@pytest.fixture(scope="session")
def model(stories: Path) -> Path:
    path = stories.parent / "words.model"
    files = [str(path) for path in sorted(stories.glob("*_train.txt"))]
    cli.main(["train", *files, "-m", str(path), *QUICK], standalone_mode=False)
    return path


@pytest.fixture
def asked(stories: Path) -> Path:
    return stories / "qa1_single-supporting-fact_test.txt"


@pytest.fixture
def half_bad() -> str:
    """Two stories of which three lines cannot be answered."""
    return HALF_BAD


@pytest.fixture
def started(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start the command in a process of its own, with pipes on all sides."""

    def start(*args: object, **options: Any) -> subprocess.Popen[str]:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        return subprocess.Popen(
            [*COMMAND, *map(str, args)], cwd=tmp_path, text=True, encoding="utf-8", bufsize=1,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )  # fmt: skip

    return start
