#!/usr/bin/env python3
"""Feed report, score and resumed runs damaged and forged folders: each is refused in one line, or shown.

Folders of `run`, `ablate`, `compare` and `curve` and files of predictions are made once, then changed: bytes
flipped, cut, moved or put in; values of their JSON replaced by what nobody measures (NaN, numbers beyond all
reason, lone surrogates, orders for a terminal, deep lists); files that are folders, links that lead away.
They go through the doors that people use, the commands themselves. What must hold each time:

* the command ends with 0, 1 or 2, in the last case with one line that says what is wrong;
* nothing is printed that a terminal obeys, and no figure that is no number;
* what was written is JSON with finite numbers, the page is UTF-8;
* nothing outside of the folder has changed.

The same seed gives the same tries.
"""

from __future__ import annotations

import argparse
import copy
import io
import json
import os
import random
import re
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.app.cli import main as command
from babi_cascade.pipeline.stories.strict_json import read_json

DOORS = ("report", "score", "run", "ablate", "compare", "curve")
WORDS = ("--coref", "none", "--srl", "none", "--cost", "0.1", "--no-cache")
CALLS: dict[str, tuple[str, ...]] = {
    "run": ("run", *WORDS),
    "ablate": (
        "ablate",
        *WORDS,
        "--features",
        "recency,length,answer-copy,answer-identity",
        "--no-plot",
    ),
    "compare": ("compare", "--systems", "ngram", "--no-plot"),
    "curve": ("curve", "--system", "ngram", "--sizes", "4,8", "--no-plot"),
}
SECRET = "nobody may touch this\n"
MOST_FAILURES = 10
LONGEST = 30.0
"""Seconds that one try may take."""

ORDERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
NO_NUMBER = re.compile(r"\b(nan|inf|infinity)\b", re.IGNORECASE)
HOSTILE: list[Any] = [
    None, True, False, -1, 0, 1, 2, 0.5, 1.5, -0.5, 10**6, 2**31, 2**63, 10**299, 10**400, 1e308, 5e-324,
    float("nan"), float("inf"), float("-inf"), "nan", "inf", "1e999", "0.5", "", "word", "a\nerror: b",
    "\x1b]0;owned\x07\x1b[2J", "\x9b31m\u202e\u2028", "\ud800", "\udcff", "[red]x[/]", "../../outside/secret",
    "/dev/zero", "x" * 10_000, "$\\frac{$", [], [1], [[]], {}, {"a": 1}, {"\ud800\x1b": [1]},
    [[[[[[[[[[[[]]]]]]]]]]]], [0] * 5000, {"task": 1, "accuracy": 0.5},
]  # fmt: skip
TEXTS = (
    b"", b"{", b"[]", b"null", b"NaN", b'{"a": 1e999}', b"\xff\xfe\x00", b"[" * 100_000, b"9" * 10_000,
    b'{"tasks": [{"task": 1, "accuracy": NaN}]}', b'{"id": "\\ud800", "answer": "\\u001b[2J"}\n', b"\0" * 99,
)  # fmt: skip


def main() -> int:
    """Try what the command line asks for; 1 when something did what it must not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--door", action="append", choices=DOORS, help="only this one (all)")
    parser.add_argument("--tries", type=int, default=10_000, help="of each door (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    begun, told, failures = time.monotonic(), Counter[str](), 0
    memory = Path("/dev/shm")  # a disk would be asked for nothing
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        home = Path(folder)
        make(home)
        for door in options.door or DOORS:
            chance = random.Random(f"{options.seed} {door}")
            for number in range(options.tries):
                try:
                    told[f"{door}: {attempt(door, home, chance)}"] += 1
                except Exception:
                    failures += 1
                    print(f"{door}, try {number}:\n{traceback.format_exc()}", file=sys.stderr)
                    if failures >= MOST_FAILURES:
                        break
    for line, count in sorted(told.items()):
        print(f"{count:6} {line}")
    print(f"{sum(told.values())} tries, {failures} failures, {time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


def make(home: Path) -> None:
    """Make stories, sound folders of all commands, sound predictions, and something to be left alone."""
    stories = home / "stories"
    stories.mkdir()
    lines = []
    for number in range(6):
        place = ("mill", "barn")[number % 2]
        lines += [f"1 Ana went to the {place}.", "2 Tom left.", f"3 Where is Ana?\t{place}\t1"]
    for split in ("train", "test"):
        (stories / f"qa1_where_{split}.txt").write_text("\n".join(lines) + "\n")
    (home / "outside").mkdir()
    (home / "outside" / "secret").write_text(SECRET)
    for name in CALLS:
        code, out, err = called(*resuming(name, home / "whole" / name, home))
        assert code == 0, f"{name} does not work: {out}{err}"
    shown = (
        "report",
        str(home / "whole" / "run"),
        "--data",
        str(stories),
        "--explain",
        "2",
        "--no-cache",
    )
    assert called(*shown)[0] == 0
    assert (home / "whole" / "run" / "explained" / "qa1.json").is_file()
    said = (home / "whole" / "run" / "predictions" / "qa1.jsonl").read_bytes()
    (home / "said.jsonl").write_bytes(said)


def resuming(name: str, folder: Path, home: Path) -> tuple[str, ...]:
    """Return the command that makes a folder, or goes on in it."""
    return (*CALLS[name], "--data", str(home / "stories"), "--out", str(folder))


def called(*arguments: str) -> tuple[int, str, str]:
    """Run a command here; return its code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            command(arguments)
        except SystemExit as left:
            return int(left.code or 0), out.getvalue(), err.getvalue()
    raise AssertionError("the command did not leave")


def attempt(door: str, home: Path, chance: random.Random) -> str:
    """Change something, go through the door, and raise when anything is not as it must be."""
    folder = home / "tried"
    shutil.rmtree(folder, ignore_errors=True)
    (home / "page.html").unlink(missing_ok=True)
    if door == "score":
        folder.mkdir()
        path = folder / "said.jsonl"
        path.write_bytes(changed((home / "said.jsonl").read_bytes(), chance))
        gold = str(home / "stories" / "qa1_where_test.txt")
        arguments: tuple[str, ...] = ("score", str(path), gold, "--missing", "wrong")
        arguments += chance.choice(((), ("--json",), ("--confusion",), ("--json", "--confusion")))
        kind = "bytes and values"
    else:
        name = chance.choice(tuple(CALLS)) if door == "report" else door
        shutil.copytree(home / "whole" / name, folder)
        kind = damage(folder, home, chance)
        arguments = resuming(name, folder, home)
        if door == "report":
            explained = "2" if chance.random() < 0.2 else "0"
            arguments = (
                "report", str(folder), "--data", str(home / "stories"), "--explain", explained,
                "--no-cache", "-o", str(home / "page.html"),
            )  # fmt: skip
    begun = time.monotonic()
    code, out, err = called(*arguments)
    assert time.monotonic() - begun < LONGEST, "took too long"
    check(code, out, err)
    if "--confusion" not in arguments:  # where an answer may be any word
        plain = re.sub(r'"[^"\n]*"|\([^)\n]*\)', "", out)
        assert code == 2 or not NO_NUMBER.search(plain), f"printed {out}"
    assert (home / "outside" / "secret").read_text() == SECRET, "something outside was changed"
    assert [path.name for path in (home / "outside").iterdir()] == ["secret"], (
        "something came outside"
    )
    if door == "report" and code == 0:
        page = (home / "page.html").read_text(encoding="utf-8")
        assert "nan %" not in page.lower()
        assert not ORDERS.search(page.replace("\n", ""))
    elif door in CALLS and code == 0:
        for path in folder.glob("*.json"):
            read_json(path.read_bytes())
    return f"{kind}: {('done', 'some not done', 'refused')[code]}"


def check(code: int, out: str, err: str) -> None:
    """Raise unless a command ended as people can expect."""
    assert code in (0, 1, 2), f"ended with {code}"
    for text in (out, err):
        found = ORDERS.search(text)
        assert found is None, f"printed {found[0]!r}" if found else ""
    errors = [line for line in err.splitlines() if line.startswith("error: ")]
    assert len(errors) == (code == 2), f"ended with {code} and said {err!r}"
    assert "Traceback" not in err


def damage(folder: Path, home: Path, chance: random.Random) -> str:
    """Change one to three files of a folder; return how."""
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and path.suffix in (".json", ".jsonl", ".csv")
    )
    kind = chance.choice(
        ("values", "values", "values", "bytes", "text", "link", "folder", "missing")
    )
    for path in chance.sample(files, chance.randrange(1, min(3, len(files)) + 1)):
        if kind == "values":
            path.write_bytes(forged(path.read_bytes(), chance))
        elif kind == "bytes":
            path.write_bytes(damaged(path.read_bytes(), chance))
        elif kind == "text":
            path.write_bytes(chance.choice(TEXTS))
        elif kind == "link":
            linked = chance.choice((path, path, path.parent if path.parent != folder else path))
            shutil.rmtree(linked) if linked.is_dir() else linked.unlink(missing_ok=True)
            outside = home / "outside"
            if not linked.is_symlink() and linked.parent.is_dir():
                linked.symlink_to(
                    chance.choice((outside, outside / "secret", outside / "new", linked))
                )
        elif path.is_file():
            path.unlink()
            if kind == "folder":
                path.mkdir()
        if kind == "link":
            break
    return kind


def changed(data: bytes, chance: random.Random) -> bytes:
    """Change the bytes of a file, or what they say."""
    kind = chance.randrange(5)
    if kind == 0:
        return damaged(data, chance)
    return chance.choice(TEXTS) if kind == 1 else forged(data, chance)


def forged(data: bytes, chance: random.Random) -> bytes:
    """Put hostile values into JSON, one object or one a line; other text gets them anywhere."""
    try:
        values = [json.loads(data)]
    except ValueError:
        try:
            values = [json.loads(line) for line in data.splitlines()]
        except ValueError:
            return damaged(data, chance)
    for _ in range(chance.randrange(1, 4)):
        value = chance.choice(values)
        every = list(places(value))
        if not every:
            continue
        *above, last = chance.choice(every)
        for key in above:
            value = value[key]
        if chance.random() < 0.15:
            del value[last]
        elif isinstance(value, dict) and chance.random() < 0.1:
            value[chance.choice(("\ud800", "\x1b[2J", "a\nb", ""))] = value.pop(last)
        else:
            value[last] = copy.deepcopy(chance.choice(HOSTILE))
            if last == "name" and isinstance(value[last], str) and NO_NUMBER.fullmatch(value[last]):
                value[last] = "word"  # a name may be any word; what is looked for are figures
    wide = chance.random() < 0.5
    text = "\n".join(json.dumps(value, ensure_ascii=wide) for value in values)
    return text.encode("utf-8", "surrogatepass")


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything inside a JSON value, of long lists only the beginning."""
    if above:
        yield above
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inside = list(enumerate(value))[:5]
    for key, each in inside:
        yield from places(each, (*above, key))


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """Return a file with some of its bytes changed."""
    data, some = bytearray(whole or b"\0"), chance.randrange(1, 100)
    place = chance.randrange(len(data))
    kind = chance.randrange(6)
    if kind == 0:
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == 1:
        del data[place:]
    elif kind == 2:
        wild = (
            chance.randbytes(some),
            b"NaN",
            b"1e999",
            b"\\ud800",
            b"\x1b[2J",
            os.fsencode("\u202e"),
            b"[" * 2000,
        )
        data[place:place] = chance.choice(wild)
    elif kind == 3:
        del data[place : place + some]
    elif kind == 4:
        data[place : place + some] = bytes(len(data[place : place + some]))
    else:
        other = chance.randrange(len(data))
        data[place : place + some] = data[other : other + some]
    return bytes(data)


if __name__ == "__main__":
    sys.exit(main())
