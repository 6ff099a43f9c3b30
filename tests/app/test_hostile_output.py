"""Names and contents that try to be a terminal's orders: no command hands them on."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from types import SimpleNamespace

import pytest

from babi_cascade.app.cli import cli, main

TITLE, CLEAR, RED = "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m"
BIDI = "\u202eda\u2066eb\u200f"
ODD = f"{TITLE}{CLEAR}{RED}\x7f{BIDI}\u2028\u0085\r\b[red]x[@click=y]\udcff\nerror: forged"
"""What a file name can hold: everything but a slash and a zero; the surrogate is a byte that is no UTF-8."""

QUICK = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--no-cache")
ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Stories, a model, predictions and results, all with odd names, made by the commands themselves."""
    home = tmp_path_factory.mktemp("odd")
    stories = home / f"stories{ODD}"
    stories.mkdir()
    lines = []
    for number in range(8):
        lines += [f"1 Ana{number}{BIDI} went to the [red]mill{BIDI}{number % 2}[/].",
                  f"2 Where is Ana{number}{BIDI}?\t[red]mill{BIDI}{number % 2}[/]\t1"]  # fmt: skip
    for split in ("train", "test"):
        path = stories / f"qa1_{ODD.split(chr(10))[0]}_{split}.txt"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = SimpleNamespace(
        home=home, stories=stories, test=path, model=home / f"model{ODD}", run=home / f"run{ODD}",
        said=home / f"said{ODD}.jsonl", asked=home / f"asked{ODD}.jsonl", config=home / f"own{ODD}.toml",
    )  # fmt: skip
    found.asked.write_text(
        json.dumps({"story": ["Ana went home."], "question": "Where?", "id": ODD})
    )
    found.said.write_text(
        "".join(
            json.dumps({"id": f"{n}{ODD}", "answer": ODD, "support": []}) + "\n" for n in range(8)
        )
    )
    found.config.write_text(f"name = '[red]{BIDI}'\n")
    for made in (
        ("train", stories, "-m", found.model, *QUICK),
        ("run", "--data", stories, "--out", found.run, *QUICK),
    ):
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in made])
        assert left.value.code == 0
    return found


CASES = {
    "generate": [
        lambda w: ("--tasks", "1", "--questions", "4", "--out", w.home / f"made{ODD}"),
        lambda w: ("--config", w.config, "--out", w.home / "x"),
        lambda w: ("--tasks", ODD),
    ],
    "play": [lambda w: ("-c", f"joe go {ODD}; {ODD}?"), lambda w: (w.home / ODD,)],
    "check": [lambda w: (w.stories,), lambda w: (w.home / f"none{ODD}",)],
    "fidelity": [lambda w: (w.stories, "--questions", "100"), lambda w: (w.home / f"none{ODD}",)],
    "fetch-data": [lambda w: ("--url", f"file:///{ODD}", "--out", w.home / f"got{ODD}")],
    "stats": [lambda w: (w.stories,), lambda w: (w.said,), lambda w: (w.said, "--skip-bad"),
              lambda w: (w.stories, "--json")],
    "convert": [lambda w: (w.test, "--to", "jsonl"), lambda w: (w.asked, "--to", "babi"),
                lambda w: (w.test, "--to", ODD)],
    "annotate": [lambda w: (w.home / f"none{ODD}", "--text"), lambda w: (w.stories, "--limit", "1"),
                 lambda w: (w.stories, "--limit", "1", "--format", "json")],
    "run": [
        lambda w: ("--data", w.stories, "--out", w.run, *QUICK),
        lambda w: ("--data", w.stories, "--out", w.run, *QUICK, "--json"),
        lambda w: ("--data", w.stories, "--out", w.run, *QUICK, "--seed", "5"),
        lambda w: ("--preset", ODD, "--out", w.home / "x"),
        lambda w: ("--data", w.home, "--out", w.home / "x"),
    ],
    "ablate": [lambda w: ("--data", w.stories, "--out", w.run, *QUICK, "--preset", "paper", "--no-plot"),
               lambda w: ("--without", ODD, "--out", w.home / f"ab{ODD}")],
    "compare": [lambda w: ("--data", w.stories, "--systems", "ngram", "--out", w.home / f"co{ODD}"),
                lambda w: ("--data", w.stories, "--systems", ODD, "--out", w.home / "x")],
    "curve": [lambda w: ("--data", w.stories, "--system", "ngram", "--sizes", "4", "--out",
                         w.home / f"cu{ODD}"),
              lambda w: ("--sizes", ODD)],
    "train": [lambda w: (w.home / f"none{ODD}", "-m", w.home / "m"),
              lambda w: (w.stories, "-m", w.home / f"no{ODD}" / "m", *QUICK)],
    "predict": [lambda w: ("-m", w.model, w.test), lambda w: ("-m", w.model, w.asked),
                lambda w: ("-m", w.model, w.said), lambda w: ("-m", w.test, w.test)],
    "score": [lambda w: (w.said, w.test), lambda w: (w.said, w.test, "--confusion"),
              lambda w: (w.said, w.test, "--json", "--confusion"), lambda w: (w.test, w.test)],
    "explain": [lambda w: ("-m", w.model, w.test), lambda w: ("-m", w.model, w.test, "--json"),
                lambda w: ("-m", w.model, w.test, "--question", ODD)],
    "ask": [lambda w: ("-m", w.model, w.test), lambda w: ("-m", w.model, w.test, "--explain", "--json"),
            lambda w: ("-m", w.model, w.said), lambda w: ("-m", w.model, w.home / f"none{ODD}")],
    "report": [lambda w: (w.run,), lambda w: (w.home / f"none{ODD}",), lambda w: (w.run, "--title", ODD)],
    "serve": [lambda w: ("--host", ODD), lambda w: ("-m", w.test), lambda w: ("--port", ODD)],
    "completion": [lambda w: (ODD,)],
    "resources": [lambda w: ("--data", w.stories, "--presets", ODD, "--out", w.home / "x"),
                  lambda w: ("--data", w.stories, "--presets", "extended", "--corefs", "none", "--srls",
                             "none", "--cost", "0.1", "--out", w.home / f"re{ODD}")],
    "long": [lambda w: ("--data", w.stories, "--books", w.home / f"none{ODD}", "--out", w.home / "l"),
             lambda w: ("--data", w.stories, "--tokens", ODD, "--out", w.home / "l")],
    "fetch-resources": [lambda w: ("clearnlp", "--from", w.home / f"none{ODD}"), lambda w: (ODD,)],
    "weights": [lambda w: (w.model,), lambda w: (w.test,), lambda w: (w.home / f"none{ODD}",)],
    "world": [lambda w: (w.model,), lambda w: (w.test,), lambda w: (w.home / f"none{ODD}",)],
    "batch-score": [lambda w: ("-m", w.model, w.test, "--out", w.home / f"ba{ODD}"),
                    lambda w: ("-m", w.model, w.said, "--out", w.home / f"bb{ODD}"),
                    lambda w: ("-m", w.test, w.test, "--out", w.home / "bc")],
}  # fmt: skip


def test_every_command_is_tried():
    assert set(CASES) == {name for name, each in cli.commands.items() if not each.hidden}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, cases in CASES.items() for n in range(len(cases))]
)
def test_no_command_hands_on_what_a_terminal_obeys(
    name, number, world, capfd, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SystemExit) as left:
        main([name, *(str(each) for each in CASES[name][number](world))])
    shown = capfd.readouterr()
    assert left.value.code in (0, 1, 2)
    for stream in (shown.out, shown.err):
        assert not ORDERS.findall(stream), stream
        assert not any(unicodedata.category(each) == "Cs" for each in stream)
        assert "\nerror: forged" not in stream
    assert shown.err.count("\nerror: ") + shown.err.startswith("error: ") == (left.value.code == 2)


@pytest.mark.parametrize("arguments", [(ODD,), (f"--{ODD}",), ("run", f"--{ODD}"), ("stats", ODD)])
def test_wrong_usage_is_told_in_one_line(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    said = capsys.readouterr().err
    assert not ORDERS.findall(said)
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", ["stats", "score", "run", "convert"])
def test_a_terminal_gets_its_colours_and_nothing_else(name, world):
    """On a terminal, where tables are coloured; what is hostile must not be among the orders."""
    arguments = {
        "stats": (world.stories,),
        "score": (world.said, world.test, "--confusion"),
        "run": ("--data", world.stories, "--out", world.run, *QUICK),
        "convert": (world.test, "--to", "babi"),
    }[name]
    command = [sys.executable, "-c", "from babi_cascade.app.cli import main; main()", name]
    reading, writing = pty.openpty()
    started = subprocess.Popen(
        [*command, *map(os.fsencode, arguments)], stdout=writing, stderr=writing, stdin=subprocess.DEVNULL,
        cwd=ROOT, env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "400"},
    )  # fmt: skip
    os.close(writing)
    seen = b""
    while True:
        try:
            more = os.read(reading, 65536)
        except OSError:
            break
        if not more:
            break
        seen += more
    os.close(reading)
    assert started.wait() == 0
    text = seen.decode("utf-8").replace("\r\n", "\n")
    for order in (TITLE, CLEAR, RED, "\u202e", "\u2066"):
        assert order not in text
    assert "mill" in text or "owned" in text
    own = re.sub(
        r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text
    )  # colours, cursor and line of a progress bar
    assert not ORDERS.findall(own), own


def test_data_for_programs_stays_exact(world, capsysbinary):
    with pytest.raises(SystemExit):
        main(["convert", str(world.test), "--to", "babi"])
    assert capsysbinary.readouterr().out == world.test.read_bytes()
    with pytest.raises(SystemExit):
        main(["convert", str(world.test), "--to", "jsonl"])
    first = json.loads(capsysbinary.readouterr().out.splitlines()[0])
    assert first["answer"] == f"[red]mill{BIDI}0[/]"
