"""Every command of docs/report.md and docs/ask.md works as pasted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FEW = 2
"""Questions of a task for the model of first use: whether it is a good one is not asked here."""


@pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
@pytest.mark.parametrize(("page", "count"), [("report.md", 4), ("ask.md", 3)])
def test_every_command_works_as_pasted(tmp_path, page, count):
    shutil.copytree(ROOT / "data/samples", tmp_path / "data/samples")
    command = tmp_path / "bin" / "babi-cascade"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        f"import babi_cascade.app.ask.default_model as model\nmodel.QUESTIONS = {FEW}\n"
        "from babi_cascade.app.cli import main\nmain()\n"
    )
    command.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) == count
    for line in lines:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], cwd=tmp_path, env=environment,
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        assert done.stdout


@pytest.mark.parametrize("page", ["report.md", "ask.md"])
def test_the_files_they_link_to_exist(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
        assert (ROOT / "docs" / target).exists(), target
