"""Every command of README and docs works as pasted.

Long ones are made smaller, and what the network or a batch system would give is simulated or left out: the
tables below say so, and nothing else does.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from babi_cascade.app.cli import cli

ROOT = Path(__file__).parents[1]
EXTENSION = ROOT / "docs" / "extension"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = ROOT / ".venv/bin/babi-cascade"

LEFT_OUT = {
    r"^babi-cascade fetch-data\b": "needs the network",
    r"^scripts/test\.sh\b": "is what runs this test",
    r">> ~/": "changes the user's own files",
    r"dask_jobqueue": "needs a batch system",
    r"^pip install \./docs/extension": "needs the network to build; its entry points are there already",
}
SMALLER = {
    r"--questions \d+": "--questions 30",
    r"(--data babi/en)(?!.*--tasks)": r"\1 --tasks 1,6",
    r"^(babi-cascade fidelity babi/en)$": r"\1 --tasks 1,6 --questions 200",
    r"^(babi-cascade (?:run|ablate|train))(?!.*--cost)": r"\1 --cost 0.1",
    r"^(scripts/run_external_track\.sh)$": r"\1 --tasks 1 --questions 20 --cost 0.1",
    r"^(scripts/compare_systems\.sh)$": r"\1 --systems ngram,memnn --tasks 1 --questions 20",
    r"^(babi-cascade compare)(?!.*--systems)": r"\1 --systems ngram",
    r"^(babi-cascade compare.*) --tasks 1,4 --seeds 3$": (
        r"\1 --tasks 1 --questions 20 --seeds 2 --out out/seeds"
    ),
    r"^(babi-cascade curve) --system memnn-am-ng-nl": r"\1 --system ngram --sizes 10,20",
}
ENDS_WITH = {
    r"bob get football|house\.script": 1,  # breaks constraints on purpose
    r"\bfidelity\b": (0, 1),  # so few stories may differ
}
BEFORE = {
    "comparison.md": """
from itertools import islice
from babi_cascade.pipeline.stories import read_questions
stories = "babi/en/qa1_single-supporting-fact_{}.txt"
train_questions, test_questions = (
    list(islice(read_questions(stories.format(split)), 10)) for split in ("train", "test")
)
""",
}
"""What the examples of a page take for granted."""

NEEDS = {
    r"\bannotate\b|\brun\b|\bablate\b|\btrain\b|\bpredict\b|\bexplain\b": "stanza",
    r"\bdask\b": "distributed",
    r"^(from|import) babi_cascade\.comparison\b": "torch",
}


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands(text):
    """Return the commands of a page; a comment is none."""
    joined = "\n".join(blocks(text, "sh")).replace("\\\n", " ")
    lines = (re.sub(r"\s+#\s.*", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def left_out(text):
    return any(re.search(pattern, text, flags=re.MULTILINE) for pattern in LEFT_OUT)


def missing(text):
    """Return an optional package that an example needs and that is not there."""
    for pattern, package in NEEDS.items():
        if re.search(pattern, text, flags=re.MULTILINE) and find_spec(package) is None:
            return package
    if text.startswith("scripts/") and not COMMAND.exists():
        return "the environment that scripts/test.sh makes"
    return None


def smaller(line):
    for pattern, replacement in SMALLER.items():
        line = re.sub(pattern, replacement, line)
    return re.sub(r"^scripts/", f"{ROOT}/scripts/", line)


def expected(line):
    for pattern, codes in ENDS_WITH.items():
        if re.search(pattern, line):
            return codes if isinstance(codes, tuple) else (codes,)
    return (0,)


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The command on the path, annotations that all pages share, one thread."""
    folder = tmp_path_factory.mktemp("docs")
    command = folder / "bin" / "babi-cascade"
    command.parent.mkdir()
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from babi_cascade.app.cli import main\nmain()\n"
    )
    command.chmod(0o755)
    installed(folder / "site")
    path = f"{command.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {
        **os.environ, "PATH": path, "PYTHONPATH": f"{folder / 'site'}:{ROOT}", "OMP_NUM_THREADS": "1",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }  # fmt: skip


def installed(site):
    """Put the package of docs/extending.md where an installation would, with its entry points."""
    information = site / "my_extension-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: my-extension\nVersion: 1.0\n"
    )
    project = (EXTENSION / "pyproject.toml").read_text(encoding="utf-8")
    points = re.findall(r'^\[project\.entry-points\."(.+)"\]\n(.+) = "(.+)"$', project, flags=re.M)
    assert len(points) == 3
    (information / "entry_points.txt").write_text(
        "".join(f"[{group}]\n{name} = {value}\n" for group, name, value in points)
    )
    shutil.copy(EXTENSION / "my_extension.py", site)


@pytest.fixture(scope="session")
def clone(tmp_path_factory):
    """What a user has who cloned the project and fetched the released files: here, simulated ones."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "data", folder / "data")
    cli.main(
        ["generate", "--questions", "30", "--out", str(folder / "babi/en")], standalone_mode=False
    )
    return folder


@pytest.fixture
def checkout(clone, tmp_path):
    for name in ("data", "babi"):
        (tmp_path / name).symlink_to(clone / name)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "out").mkdir()
    return tmp_path


class Background:
    """Commands that a page starts with &; all of them end with the page."""

    def __init__(self):
        self.started = []

    def start(self, line, **options):
        self.started.append(subprocess.Popen(
            ["bash", "-c", f"exec {line.removesuffix('&')}"], start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options,
        ))  # fmt: skip

    def end(self):
        for process in reversed(self.started):
            os.killpg(process.pid, signal.SIGTERM)
        for process in self.started:
            process.wait(30)


@pytest.fixture
def background():
    made = Background()
    yield made
    made.end()


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_works_as_pasted(page, checkout, environment, background):
    lines = [line for line in commands(page.read_text(encoding="utf-8")) if not left_out(line)]
    port = str(free_port())
    done_some = not lines
    for line in lines:
        if missing(line):
            continue
        done_some = True
        small = smaller(line).replace("8786", port)
        options = {"cwd": checkout, "env": environment}
        if line.endswith("&"):
            background.start(small, **options)
            continue
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", small], capture_output=True, text=True, timeout=300, **options
        )  # fmt: skip
        assert done.returncode in expected(line), f"{small}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{small}\n{done.stderr}"
    if not done_some:
        pytest.skip("needs extras that are not installed")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_in_python_works_as_pasted(page, checkout, environment):
    for code in blocks(page.read_text(encoding="utf-8"), "python"):
        if left_out(code) or missing(code):
            continue
        generate = "babi-cascade generate --tasks 1 --questions 30 --out out/stories"
        subprocess.run(shlex.split(generate), cwd=checkout, env=environment, check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", BEFORE.get(page.name, "") + code], cwd=checkout, env=environment,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, f"{code}\n{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_inside_sentences_exist_with_their_options(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.M)
    for code in re.findall(r"`([^`]+)`", text):
        words = code.replace("[", " ").replace("]", " ").split()
        if words[:1] == ["babi-cascade"] and len(words) > 1 and words[1].isascii():
            command = cli.commands.get(words[1])
            assert command is not None or words[1].startswith("-"), code
            known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
            for word in words[2:]:
                if word.startswith("--") and word != "--help":
                    assert word.split("=")[0] in known, code
        elif words and words[0].startswith("scripts/"):
            assert (ROOT / words[0].rstrip("…*.,")).exists() or "*" in words[0], code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_files_it_links_to_exist(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_headings_it_links_to_exist(page):
    text = page.read_text(encoding="utf-8")
    for target, heading in re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", text):
        other = (page.parent / target).read_text(encoding="utf-8") if target else text
        found = re.findall(
            r"^#+ (.+)$", re.sub(r"```.*?```", "", other, flags=re.DOTALL), re.MULTILINE
        )
        known = {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in found}
        assert heading in known, f"{target}#{heading}"


def test_the_page_on_extensions_shows_the_files_that_are_installed():
    page = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    assert (EXTENSION / "my_extension.py").read_text(encoding="utf-8") in page
    project = (EXTENSION / "pyproject.toml").read_text(encoding="utf-8")
    assert blocks(page, "toml")[0].strip() in project


def test_the_readme_names_both_commands_and_every_page_is_known_to_it():
    readme = PAGES[0].read_text(encoding="utf-8")
    assert len(commands(readme)) >= 10
    for script in ("scripts/run_external_track.sh", "scripts/test.sh"):
        assert script in readme
        assert os.access(ROOT / script, os.X_OK)


def test_the_tables_of_this_test_are_about_something_that_is_there():
    everything = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    lines = "\n".join(commands(everything) + blocks(everything, "python")) + everything
    for pattern in (*LEFT_OUT, *SMALLER, *ENDS_WITH):
        assert re.search(pattern, lines, flags=re.MULTILINE), pattern
