"""Every command of docs/batch.md works as pasted."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/batch.md").read_text(encoding="utf-8")


@pytest.mark.skipif(find_spec("stanza") is None, reason="needs the extra nlp")
def test_every_command_works_as_pasted(tmp_path):
    command = tmp_path / "bin" / "babi-cascade"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from pipeline.cli import main\nmain()\n"
    )
    command.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }  # fmt: skip
    blocks = re.findall(r"^```sh\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) == 6
    for line in lines:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], cwd=tmp_path, env=environment,
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0 or "| head" in line, f"{line}\n{done.stderr}"
        assert "Traceback" not in done.stderr
