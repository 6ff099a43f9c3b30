"""`report` as a user meets it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


def test_the_page_is_written_beside_the_results(command, run_folder, tmp_path):
    shutil.copytree(run_folder, tmp_path / "small")
    shown = command("report", "small", "--explain", "2")
    assert (shown.code, shown.err) == (0, "")
    assert (
        shown.out == "small/report.html: 1 run, 0 ablations, 120 questions, 4 of them explained\n"
    )
    page = (tmp_path / "small/report.html").read_text(encoding="utf-8")
    assert "<title>small</title>" in page
    assert not list((tmp_path / "small").glob(".*"))


def test_several_folders_make_one_page(command, run_folder, tmp_path):
    for name in ("one", "two"):
        shutil.copytree(run_folder, tmp_path / name)
    shown = command("report", "one", "two", "--explain", "0", "-o", "both.html", "--title", "A & B")
    assert shown.out.startswith("both.html: 2 runs, 0 ablations, 240 questions, 0 of them")
    page = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "<title>A &amp; B</title>" in page
    assert page.count('class="dot"') == 4


def test_what_is_missing_is_said_and_the_rest_is_shown(command, run_folder, tmp_path):
    folder = shutil.copytree(run_folder, tmp_path / "small")
    shutil.rmtree(folder / "stories")
    shown = command("report", "small")
    assert shown.code == 0
    assert "--data says where they are now" in shown.err
    assert "120 questions, 0 of them explained" in shown.out


def test_plots_as_png_and_svg_the_same_every_time(command, run_folder, tmp_path):
    if find_spec("matplotlib") is None:
        pytest.skip("needs the extra plots")
    folder = shutil.copytree(run_folder, tmp_path / "small")
    rows = [{"task": 1, "n_train": n, "accuracy": n / 1000} for n in (10, 100, 900)]
    (folder / "curve.json").write_text(json.dumps({"system": "cascade", "tasks": rows}))
    variant = {"variant": "without-g", "kind": "without", "stage": "support", "group": "g",
               "mean_delta": -0.1, "mean_support_delta": -0.2}  # fmt: skip
    delta = {"task": 1, "variant": "without-g", "delta": -0.1}
    (folder / "ablation.json").write_text(json.dumps({"variants": [variant], "tasks": [delta]}))
    names = [f"{name}.{end}" for name in ("accuracy", "seconds", "ablation", "curves")
             for end in ("png", "svg")]  # fmt: skip
    for out in ("first", "second"):
        shown = command("report", "small", "--explain", "0", "--plots", out)
        assert shown.code == 0, shown.err
        assert shown.out.splitlines()[1:] == [f"{out}/{name}" for name in names]
    for name in names:
        first, second = (tmp_path / out / name for out in ("first", "second"))
        assert first.read_bytes() == second.read_bytes()
        assert first.read_bytes().startswith(b"\x89PNG" if name.endswith("png") else b"<?xml")


def test_plots_without_matplotlib_name_the_command_that_gets_it(command, run_folder, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec",
        lambda name, *rest: None if name == "matplotlib" else found(name),
    )
    shown = command("report", run_folder, "--plots", "here", "-o", "x.html")
    assert (shown.code, shown.out) == (2, "")
    assert "pip install" in shown.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Missing argument"),
        (("nowhere",), "nowhere: found no such folder"),
        ((".",), "found none of results.json"),
        (("RUN", "--explain", "-1"), "--explain"),
        (("RUN", "--explain", "0", "-o", "/proc/none/report.html"), "/proc/none"),
    ],
)
def test_wrong_usage_is_one_line(command, run_folder, arguments, said):
    shown = command("report", *(run_folder if each == "RUN" else each for each in arguments))
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err
    assert shown.err.count("\n") == 1


def test_without_explanations_nothing_heavy_is_imported(run_folder, tmp_path):
    code = (
        "import sys\nfrom babi_cascade.app.cli import cli\n"
        f"cli.main(['report', {str(run_folder)!r}, '--explain', '0', '-o', 'x.html'], "
        "standalone_mode=False)\n"
        "print([name for name in ('torch', 'stanza', 'numba', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
