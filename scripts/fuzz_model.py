#!/usr/bin/env python3
"""Feed the loader of models damaged and hostile files: each is refused in one line, or good for answers.

Half of the mutants have bytes flipped, cut, moved, put in or a wild length of the header. The other half are
put together by somebody who knows the format: every checksum is right, and headers, arrays or their
descriptions are not what a training gives. Only ModelFileError may come out, with one printable line;
whatever loads must answer questions with finite scores; and loading may take no more memory than a fixed
number of times the size of the file. The same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import sys
import tempfile
import time
import traceback
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from pipeline.annotate.reader import StoryReader
from pipeline.cascade import Cascade
from pipeline.stories import Question, Sentence
from svm.model_file import MAGIC, ModelFileError, load_model, save_model

TIMES, SPARE = 12, 2_000_000
"""Bytes that loading may take: so many times the file, and some that do not depend on it."""

MOST_FAILURES = 10
REFUSED = "refused"
FACTS = tuple(
    Sentence(line, text)
    for line, text in enumerate(
        ("Ana walked to the harbour.", "Tom went to the mill.", "Ana took the lantern."), start=1
    )
)
QUESTIONS = [
    Question(4, "Where is Ana?", "harbour", (1,), FACTS),
    Question(4, "Where is Tom?", "mill", (2,), FACTS),
    Question(4, "Where is the lantern?", "harbour", (3, 1), FACTS),
]
HOSTILE: list[Any] = [
    None, True, -1, 0, 1, 4, 1000, 10**6, 2**31, 2**40, 2**63, 10**400, 0.5, float("nan"),
    float("inf"), -1e308, "", "word", "a\nb\x1b", "x" * 10_000, [], ["word", "word"], [1], [[]], {},
    {"a\nb": []}, [f"w{n}" for n in range(2000)], [[[[[[[[]]]]]]]],
]  # fmt: skip


def main() -> int:
    """Run the mutations that the command line asks for; 1 when one did what it must not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", nargs="?", type=Path, help="a model of words only (default: own)")
    parser.add_argument("--mutations", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    options = parser.parse_args()
    chance, told, failures = random.Random(options.seed), Counter[str](), 0
    begun = time.monotonic()
    memory = Path("/dev/shm")  # every mutant is saved as a model is, down to the disk
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        whole, path = options.model or Path(folder) / "whole", Path(folder) / "mutant"
        if options.model is None:
            Cascade(cost=0.1).fit(QUESTIONS).save(whole, origin={"data": "own", "questions": 3})
        asked(whole)  # once as it is: the kernels are loaded
        data, (arrays, meta) = whole.read_bytes(), load_model(whole)
        tracemalloc.start()
        for number in range(options.mutations):
            if number % 2:
                mutant, kind = damaged(data, chance)
                path.write_bytes(mutant)
            else:
                kind = forge(path, arrays, meta, chance)
            try:
                found = outcome(path)
                told[f"{kind}: {found}"] += 1
                assert found == REFUSED or number % 2 == 0 or mutant == data, "damage was not seen"
            except Exception:
                failures += 1
                print(f"mutation {number} ({kind}):\n{traceback.format_exc()}", file=sys.stderr)
                if failures >= MOST_FAILURES:
                    break
    for line, count in sorted(told.items()):
        print(f"{count:6} {line}")
    print(f"{sum(told.values())} mutations, {failures} failures, {time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


def outcome(path: Path) -> str:
    """Load a mutant and ask it; return what came of it, raise when it must not."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    cascade = None
    try:
        cascade = Cascade.load(path)
    except ModelFileError as error:
        if not str(error).isprintable():
            raise AssertionError(f"not one printable line: {error!r}") from error
    taken = tracemalloc.get_traced_memory()[1] - before
    allowed = TIMES * path.stat().st_size + SPARE
    assert taken <= allowed, f"took {taken} bytes for a file of {path.stat().st_size}"
    if cascade is None:
        return REFUSED
    cascade.reader, cascade.trained_with_ = StoryReader(), StoryReader().fingerprint
    for question in QUESTIONS:
        assert np.isfinite(cascade.explain(question).prediction.score)
    return "loaded, and answers"


def asked(path: Path) -> None:
    """Refuse a model that is no good to begin with."""
    if outcome(path) == REFUSED:
        sys.exit(f"error: {path}: expected a sound model")


def damaged(whole: bytes, chance: random.Random) -> tuple[bytes, str]:
    """Return a file with some of its bytes changed, and how."""
    data, place = bytearray(whole), chance.randrange(len(whole))
    kind = chance.choice(("flip", "cut", "insert", "remove", "swap", "zero", "length", "append"))
    some = chance.randrange(1, 200)
    if kind == "flip":
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del data[place:]
    elif kind == "insert":
        data[place:place] = chance.randbytes(some)
    elif kind == "remove":
        del data[place : place + some]
    elif kind == "swap":
        other = chance.randrange(len(whole))
        data[place : place + some], data[other : other + some] = (
            data[other : other + some], data[place : place + some],
        )  # fmt: skip
    elif kind == "zero":
        data[place : place + some] = bytes(len(data[place : place + some]))
    elif kind == "length":
        wild = chance.choice(
            (0, len(whole), 2**31, 2**40, 2**63, 2**64 - 1, chance.getrandbits(64))
        )
        data[len(MAGIC) : len(MAGIC) + 8] = wild.to_bytes(8, "little")
    else:
        data += chance.randbytes(some)
    return bytes(data), f"bytes, {kind}"


def forge(path: Path, arrays: dict[str, Any], meta: Any, chance: random.Random) -> str:
    """Write a file that is whole and says something that no training says; return what kind of thing."""
    kind = chance.choice(("meta", "meta", "array", "description", "version"))
    arrays, meta = dict(arrays), copy.deepcopy(meta)
    name = chance.choice(sorted(arrays))
    if kind == "meta":
        for _ in range(chance.randrange(1, 4)):
            change(meta, chance)
    elif kind == "array":
        arrays[name] = changed_array(arrays[name], chance)
        if chance.random() < 0.2:
            arrays.pop(chance.choice(sorted(arrays)))
    save_model(path, arrays, meta)
    if kind in ("description", "version"):
        redescribe(path, kind, name, chance)
    return f"forged, {kind}"


def change(meta: Any, chance: random.Random) -> None:
    """Put something hostile in a random place of a JSON value, or take something out."""
    every = list(places(meta))
    if not every:
        return
    *above, last = chance.choice(every)
    holder = meta
    for key in above:
        holder = holder[key]
    if chance.random() < 0.2:
        del holder[last]
    else:
        holder[last] = copy.deepcopy(chance.choice(HOSTILE))


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to everything inside a JSON value, of long lists only the beginning."""
    if above:
        yield above
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inside = list(enumerate(value))[:3]
    for key, each in inside:
        yield from places(each, (*above, key))


def changed_array(array: Any, chance: random.Random) -> Any:
    """Return an array of another size, type or content."""
    kind = chance.randrange(5)
    if kind == 0:
        return np.resize(
            array, chance.choice((0, 1, array.size - 1, array.size + 1, 3 * array.size))
        )
    if kind == 1:
        return array.astype(chance.choice(("<f8", "<f4", "<i8", "<i4")))
    if kind == 2:
        return array.reshape(1, -1)
    wild = array.copy()
    wild[chance.randrange(array.size)] = chance.choice((-1, 0, 2**31, 2**62))
    if wild.dtype.kind == "f":
        wild[chance.randrange(array.size)] = chance.choice((np.nan, np.inf, -1e308, 1e308, 1e-320))
    return wild


def redescribe(path: Path, kind: str, name: str, chance: random.Random) -> None:
    """Change how a file describes an array, or its version, and set the checksum of the header right."""
    data = path.read_bytes()
    start = len(MAGIC) + 8
    end = start + int.from_bytes(data[len(MAGIC) : start], "little")
    body = json.loads(data[start:end])
    del body["sha256"]
    if kind == "version":
        body["version"] = chance.choice([0, 2, -1, 10**30, "1", None, 1.5, [], {}])
    else:
        entry = body["arrays"][name]
        entry[chance.choice(sorted(entry))] = copy.deepcopy(
            chance.choice([*HOSTILE, [2**40], [0, 2**70], [2**32, 2**32], [-1], "<f8", "O", "|O"])
        )
    text = json.dumps(body, ensure_ascii=False, sort_keys=True)
    body["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    header = json.dumps(body, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    path.write_bytes(MAGIC + len(header).to_bytes(8, "little") + header + data[end:])


if __name__ == "__main__":
    sys.exit(main())
