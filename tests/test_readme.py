"""Every command of the README works as pasted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NEEDS_INTERNET = re.compile(r"fetch-data|babi/en|>> ~/")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def commands():
    found = [line for block in blocks("sh") for line in block.splitlines()]
    return [
        line
        for line in found
        if line.startswith("babi-cascade") and not NEEDS_INTERNET.search(line)
    ]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A directory that has what a clone has, with the command on its path."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "data", folder / "data")
    command = folder / "bin" / "babi-cascade"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from pipeline.cli import main\nmain()\n"
    )
    command.chmod(0o755)
    return folder


def test_the_readme_has_commands_and_names_both_scripts():
    assert len(commands()) >= 6
    for script in ("scripts/run_external_track.sh", "scripts/test.sh"):
        assert script in README
        assert os.access(ROOT / script, os.X_OK)


def test_every_command_and_example_works_as_pasted(checkout):
    environment = {**os.environ, "PATH": f"{checkout / 'bin'}:{os.environ['PATH']}"}
    for line in commands():
        done = subprocess.run(
            line,
            shell=True,
            cwd=checkout,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        # The script that is played breaks a constraint on purpose.
        assert done.returncode == (1 if "play" in line else 0), f"{line}\n{done.stderr}"
    for code in blocks("python"):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, timeout=60,
            env={**environment, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Where is" in done.stdout


def test_the_files_it_links_to_exist():
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
