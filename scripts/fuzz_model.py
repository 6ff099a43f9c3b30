#!/usr/bin/env python3
"""Feed the loaders of models damaged and hostile files: each is refused in one line, or good for answers.

Cascades go through the door of the commands: `ModelChoice.load`, then the answers of `predict` and `explain`.
Half of the mutants have bytes flipped, cut, moved, put in or a wild length of the header. The other half are
put together by somebody who knows the format: every checksum is right, and headers, arrays, their
descriptions or their bytes are not what a training gives, or they name back ends, and programs, files,
addresses and modules that lie in wait. Only errors that the commands tell may come out, with one printable
line; whatever loads must answer questions with finite scores. Python's own audit of what is done sees that no
mutant starts a program, connects to anything, unpickles, or opens or imports what lies in wait. Loading may
take memory

* of a damaged file: as much as the file has;
* of a hostile file that is refused: twice as much (what the header may take is limited by the size of the
  file, the arrays are read beside it), and what the header of any model may take;
* of a hostile file that names back ends which are looked at before it is refused: what these take too;
* of a file that loads: a fixed number of times the file, since feature names become Python objects;

each time with a little more that does not depend on the file. The same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import os
import random
import socket
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

from babi_cascade.app.batch.model import ModelChoice, Origin
from babi_cascade.app.batch.stream import answers
from babi_cascade.cascade import Cascade
from babi_cascade.comparison import load_system, make_system
from babi_cascade.errors import UserError
from babi_cascade.pipeline.backends import BACK_ENDS
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question, Sentence
from babi_cascade.svm.model_file import (
    MAGIC,
    SPARE,
    VERSION,
    ModelFileError,
    header_bytes,
    load_model,
)

LITTLE = 100_000
"""Bytes of messages, exceptions, an open file, an estimator without weights."""

READING = 20_000_000
"""Bytes of the models of the shipped parser and labeller while their checksums are taken, and of modules."""

CASCADES = ("extended", "paper")
DAMAGED, REFUSED, UNREAD, LOADED = (
    "damaged", "refused", "refused for its back ends", "loads, and answers",
)  # fmt: skip
BOUNDS = {
    DAMAGED: (1, LITTLE),
    REFUSED: (2, SPARE + LITTLE),
    UNREAD: (2, SPARE + READING),
    LOADED: (6, LITTLE),
}
"""Bytes that loading may take: so many times the file, and some that do not depend on it."""

MOST_FAILURES = 10
PEOPLE = tuple(
    a + b for a in ("An", "To", "Ki", "Lo", "Ma") for b in ("na", "m", "lu", "rik", "sy")
)
PLACES = tuple(
    a + b for a in ("mill", "barn", "town", "lake") for b in ("yard", "gate", "side", "house")
)
THINGS = ("lantern", "kettle", "rope", "ladder")
VERBS = tuple(
    a + b for a in ("walk", "march", "jump", "crawl", "dash") for b in ("ed", "ed off", "ed on")
)
SYSTEMS: dict[str, dict[str, Any]] = {
    "extended": {},
    "paper": {},
    "ngram": {"costs": (1.0,)},
    "lstm": {"epochs": 1, "dimensions": (20,), "rates": (0.01,)},
    "memnn": {"epochs": 1, "dimensions": (20,), "rates": (0.01,), "margins": (0.1,)},
}
HOSTILE: list[Any] = [
    None, True, -1, 0, 1, 4, 1000, 10**6, 2**31, 2**40, 2**63, 10**400, 0.5, float("nan"),
    float("inf"), -1e308, "", "word", "a\nb\x1b", "x" * 10_000, [], ["word", "word"], [1], [[]], {},
    {"a\nb": []}, [f"w{n}" for n in range(2000)], [[[[[[[[]]]]]]]], [[] for _ in range(50_000)],
    [{"a": 0} for _ in range(20_000)], "\U0001f600" + 50_000 * "x",
]  # fmt: skip


def main() -> int:
    """Run the mutations that the command line asks for; 1 when one did what it must not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--system", default="extended", choices=SYSTEMS, help="(extended)")
    parser.add_argument("--mutations", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    options = parser.parse_args()
    chance, told, failures = random.Random(options.seed), Counter[str](), 0
    most: dict[str, float] = {}
    begun = time.monotonic()
    memory = Path("/dev/shm")  # a disk would be asked for nothing
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        Bait(Path(folder)) as bait,
    ):
        whole, path = Path(folder) / "whole", Path(folder) / "mutant"
        made(options.system, whole)
        questions = stories(3)
        outcome(options.system, whole, questions)  # once as it is: the kernels are loaded
        data, (arrays, meta) = whole.read_bytes(), load_model(whole)
        tracemalloc.start()
        for number in range(options.mutations):
            if number % 2:
                mutant, kind = damaged(data, chance)
                path.write_bytes(mutant)
            else:
                kind = forge(path, arrays, meta, chance, bait)
            try:
                bait.taken.clear()
                found, taken = outcome(options.system, path, questions)
                assert not bait.taken, f"did what a file may not ask for: {bait.taken}"
                if number % 2 and mutant != data:
                    assert found == REFUSED, "damage was not seen"
                    found = DAMAGED
                told[f"{kind}: {REFUSED if found == DAMAGED else found}"] += 1
                size = path.stat().st_size
                times, spare = BOUNDS[found]
                if 2 * size > len(data):  # what does not depend on the file counts little
                    most[found] = max(most.get(found, 0.0), taken / size)
                assert taken <= times * size + spare, f"took {taken} bytes for a file of {size}"
            except Exception:
                failures += 1
                print(f"mutation {number} ({kind}):\n{traceback.format_exc()}", file=sys.stderr)
                if failures >= MOST_FAILURES:
                    break
    tracemalloc.stop()
    for line, count in sorted(told.items()):
        print(f"{count:6} {line}")
    print(f"a whole model has {len(data)} bytes; memory, in times the size of the file:")
    for found, times in sorted(most.items()):
        bound, spare = BOUNDS[found]
        print(f"  {found}: {times:.2f} at most (bound: {bound}, and {spare} bytes)")
    print(f"{sum(told.values())} mutations, {failures} failures, {time.monotonic() - begun:.0f} s")
    return 1 if failures else 0


def stories(number: int) -> list[Question]:
    """Return some questions about people who go about with things."""
    chance, found = random.Random(1), []
    for _ in range(number):
        person, thing = chance.choice(PEOPLE), chance.choice(THINGS)
        told = [(who, chance.choice(PLACES)) for who in (person, *chance.sample(PEOPLE, 3))]
        texts = [f"{who} {chance.choice(VERBS)} to the {place}." for who, place in told]
        texts.insert(1, f"{person} took the {thing}.")
        facts = tuple(Sentence(line, text) for line, text in enumerate(texts, start=1))
        last = max(i for i, (who, _) in enumerate(told) if who == person)
        place, line = told[last][1], last + 1 + (last > 0)
        found.append(Question(6, f"Where is {person}?", place, (line,), facts))
        found.append(Question(6, f"Where is the {thing}?", place, (2, line), facts))
    return found


def made(system: str, path: Path) -> None:
    """Train a small model and save it."""
    if system in CASCADES:
        cascade = Cascade(cost=0.1, preset=system).fit(stories(100))
        reading = dict.fromkeys(("parser", "coref", "srl"), "none")
        cascade.save(path, origin=Origin({"reading": reading}, ("own",), 200).to_json())
    else:
        make_system(system, **SYSTEMS[system]).fit(stories(100)).save(path)


def outcome(system: str, path: Path, questions: list[Question]) -> tuple[str, int]:
    """Load a mutant and ask it; return what came of it and what loading took, raise when it must not."""
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    refused: Exception | None = None
    try:
        model = ModelChoice(path).load() if system in CASCADES else load_system(system, path)
    except REFUSALS as error:
        refused = error
    taken = tracemalloc.get_traced_memory()[1] - before
    if refused is not None:
        assert str(refused).isprintable(), f"not one printable line: {refused!r}"
        return REFUSED if isinstance(refused, ModelFileError) else UNREAD, taken
    if isinstance(model, Cascade):
        assert isinstance(model.reader, StoryReader)
        records = answers(model, questions)
        assert all(np.isfinite(each["score"]) for each in records), records
        found = [model.explain(question).prediction for question in questions]
    else:
        found = model.answer(questions)
    assert all(np.isfinite(each.score) for each in found)
    return LOADED, taken


REFUSALS = (UserError, OSError)
"""What the commands tell in one line."""


class Bait:
    """What a file could name to have it used: a program, annotations, models, an address, a module.

    Attributes
    ----------
    names : of back ends, known and wild
    places : by the names that files of earlier versions gave them
    taken : what was done that no file may ask for, as Python's audit tells it
    """

    module = "module_that_lies_in_wait"
    forbidden = (
        "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.startfile",
        "socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request",
        "pickle.find_class", "ctypes.dlopen", "os.chdir", "os.putenv", "os.remove", "os.rename",
        "webbrowser.open",
    )  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self.taken: list[str] = []
        self._folder = str(folder / "bait")
        self._watching = False
        self._before = os.environ.get("SENNA")

    def __enter__(self) -> Bait:
        folder = Path(self._folder)
        for models in ("en/tokenize", "en/coref"):
            (folder / models).mkdir(parents=True)
            (folder / models / "model.pt").write_bytes(b"no model")
        for program in ("senna", "senna-linux64"):
            (folder / program).write_text("#!/bin/sh\nexit 1\n")
            (folder / program).chmod(0o755)
        (folder / "trees.conllu").write_text("# text = It.\n1\tIt\tit\tX\t_\t_\t0\troot\t_\t_\n\n")
        (folder / f"{self.module}.py").write_text("raise SystemExit('imported')\n")
        sys.path.append(self._folder)
        os.environ["SENNA"] = self._folder
        self._server = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{self._server.getsockname()[1]}"
        self.names = [
            *BACK_ENDS["coref"], *BACK_ENDS["srl"],
            self.module, f"{self.module}:Bait", f"../bait/{self.module}", url, self._folder,
        ]  # fmt: skip
        self.places = {
            "stanza_models": [self._folder, "default", url],
            "conllu": [str(folder / "trees.conllu"), self._folder],
            "senna": [self._folder, str(folder / "senna"), "."],
            "corenlp_url": [url, "http://localhost:9000"],
            "coref_model": [str(folder / "en/coref/model.pt")],
            "coref_backbone": [self._folder, url, self.module],
        }
        self._watching = True
        sys.addaudithook(self._see)
        return self

    def __exit__(self, *reason: object) -> None:
        self._watching = False  # a hook cannot be taken away
        self._server.close()
        sys.path.remove(self._folder)
        del os.environ["SENNA"]
        if self._before is not None:
            os.environ["SENNA"] = self._before

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._watching:
            return
        opened = event == "open" and str(arguments[0]).startswith(self._folder)
        imported = event == "import" and arguments[0] == self.module
        if opened or imported or event in self.forbidden:
            self.taken.append(f"{event} {arguments!r:.200}")

    def put_into(self, meta: dict[str, Any], chance: random.Random) -> None:
        """Let a model name some of it."""
        reading = meta["origin"]["settings"]["reading"]
        for stage in chance.sample(sorted(reading), chance.randrange(4)):
            reading[stage] = chance.choice(self.names)
        back_ends = meta["origin"]["back_ends"] = dict(reading)  # as earlier models have them
        for name in chance.sample(sorted(self.places), chance.randrange(len(self.places) + 1)):
            back_ends[name] = chance.choice(self.places[name])
        if chance.random() < 0.5:
            parser = chance.choice(("stanza 1 0", "conllu 0123456789abcdef", "words only"))
            meta["reader"] = " | ".join((parser, reading["coref"], reading["srl"]))
        if chance.random() < 0.2:
            meta["params"][chance.choice(sorted(meta["params"]))] = chance.choice(self.names)


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


def forge(path: Path, arrays: dict[str, Any], meta: Any, chance: random.Random, bait: Bait) -> str:
    """Write a file that is whole and says something that no training says; return what kind of thing."""
    kinds = ["meta", "meta", "array", "description", "version", "bytes", "text"]
    if "origin" in meta:
        kinds += ["names", "names"]
    kind = chance.choice(kinds)
    arrays, meta = dict(arrays), copy.deepcopy(meta)
    name = chance.choice(sorted(arrays))
    if kind == "meta":
        for _ in range(chance.randrange(1, 4)):
            change(meta, chance)
    elif kind == "names":
        bait.put_into(meta, chance)
    elif kind == "array":
        arrays[name] = changed_array(arrays[name], chance)
        if chance.random() < 0.2:
            arrays.pop(chance.choice(sorted(arrays)))
    elif kind == "bytes":
        name = chance.choice([each for each in sorted(arrays) if arrays[each].size])
        flat = bytearray(arrays[name].tobytes())
        for _ in range(chance.randrange(1, 4)):
            flat[chance.randrange(len(flat))] ^= 1 << chance.randrange(8)
        arrays[name] = np.frombuffer(flat, arrays[name].dtype).reshape(arrays[name].shape)
    body: dict[str, Any] = {"version": VERSION, "arrays": described(arrays), "meta": meta}
    if kind == "version":
        body["version"] = chance.choice([0, 1, 3, -1, 10**30, "2", None, 2.5, [], {}])
    elif kind == "description":
        entry = body["arrays"][name]
        entry[chance.choice(sorted(entry))] = copy.deepcopy(
            chance.choice([*HOSTILE, [2**40], [0, 2**70], [2**32, 2**32], [-1], "<f8", "O", "|O"])
        )
    header = header_bytes(body)
    if kind == "text":
        header = retold(header, chance)
    parts = [np.ascontiguousarray(array).tobytes() for _, array in sorted(arrays.items())]
    path.write_bytes(b"".join([MAGIC, len(header).to_bytes(8, "little"), header, *parts]))
    return f"forged, {kind}"


def described(arrays: dict[str, Any]) -> dict[str, Any]:
    """Return what a header says of arrays."""
    found, offset = {}, 0
    for name, array in sorted(arrays.items()):
        data = np.ascontiguousarray(array).tobytes()
        found[name] = {
            "type": array.dtype.str, "shape": list(array.shape), "offset": offset,
            "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(),
        }  # fmt: skip
        offset += len(data)
    return found


def retold(header: bytes, chance: random.Random) -> bytes:
    """Change the text of a header anywhere, and set its checksum right."""
    start = header.rindex(b', "sha256": "')
    text, tail = bytearray(header[:start]), header[start + len(b', "sha256": "') + 65 :]
    for _ in range(chance.randrange(1, 4)):
        place, some = chance.randrange(len(text)), chance.randrange(1, 30)
        wild = (b"[" * 1000, b"[],", b"{}", b'"', b"\\u0000", chance.randbytes(some), b"9" * 5000)
        text[place : place + chance.choice((0, some))] = chance.choice(wild)
    told = hashlib.sha256(bytes(text) + tail).hexdigest().encode()
    return bytes(text) + b', "sha256": "' + told + b'"' + tail


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
    if not array.size:  # what no chosen feature group needs
        array = np.array([chance.choice((-1, 0, 2**31 - 1))], array.dtype)
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
    wild.flat[chance.randrange(array.size)] = chance.choice((-1, 0, 2**31 - 1))
    if wild.dtype.kind == "f":
        wild.flat[chance.randrange(array.size)] = chance.choice(
            (np.nan, np.inf, -1e30, 1e30, 1e-40)
        )
    return wild


if __name__ == "__main__":
    sys.exit(main())
