#!/usr/bin/env python3
"""Feed the reading stages damaged and hostile state: caches of annotations, directories of Stanza models.

``cache``: some mutants are files with bytes changed, some are good files with entries of which nothing or
everything (checksums included) is right but what they say, or with other tables. Opening one and annotating a
story with it may raise nothing, says at most printable lines, takes bounded time and memory, and gives the
annotations that the parser gives, unless a forged entry is of the right form; then everything that is done
with annotations must work.

``models``: bytes of a model file are changed, or its pickle is forged: other values, other names, other
instructions. Each is refused with one printable line, or the parser answers with a tree; nothing that a
pickle names may run. (A model may still say that it is huge: Stanza then makes it so, and memory is the
limit. Such numbers are not tried.) The same seed gives the same mutants.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import io
import json
import os
import pickle
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
import tracemalloc
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.pipeline.annotator import Annotator
from babi_cascade.pipeline.backends import coreference, role_labeller
from babi_cascade.pipeline.output import conllu_sentences, frame_listing
from babi_cascade.pipeline.parse.cache import TABLE, AnnotationCache
from babi_cascade.pipeline.parse.errors import ParserError
from babi_cascade.pipeline.parse.model_files import check_model_file
from babi_cascade.pipeline.parse.stanza import StanzaParser
from babi_cascade.pipeline.read import ReadStory, StoryReader
from babi_cascade.pipeline.stories import Question, Sentence, Story
from babi_cascade.pipeline.trees import ConlluError, Tree, write_conllu

SECONDS = {"cache": 10, "models": 30}
"""For one mutant; more is taken for a program that hangs."""

MEMORY = 60_000_000
"""Bytes that a hostile cache of a few kilobytes may take."""

ADDRESS_SPACE = 12 << 30
MOST_FAILURES = 10
STORY = (
    "Ana and Tom walked to the mill yesterday.",
    "Then they bought a lantern.",
    "Ana gave the lantern to her brother.",
    "The barn is either near the lake or the yard.",
)
QUESTION = "Who did she give the lantern to?"
TEXT = "It rained. We slept."
HOSTILE: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 1000, 2**31, 2**63, 10**40, 0.5, float("nan"), float("inf"), "",
    "word", "a\nb\x1b", "\ud83d", "x" * 10_000, [], [1], [[]], {}, {"a": []}, ["word", "word"], "wh", "_",
    [[] for _ in range(5000)], [1, 2, 3, 4, "name", "sing", "masc", 3, "animate"],
]  # fmt: skip
SMALL = [each for each in HOSTILE if not isinstance(each, int) or each < 10]
SCHEMAS = (
    "CREATE VIEW annotations AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
    "i AS maker, i AS text_key, i AS content, i AS checksum FROM n",
    "CREATE TABLE annotations (maker, text_key, content, checksum)",
    TABLE.replace("annotations", "other"),
    "CREATE TABLE annotations (maker BLOB, text_key BLOB, content BLOB AS (zeroblob(900000000)), checksum)",
)


class Remembered:
    """A parser that knows the trees of one story and one text: mutants are many, parsing is slow."""

    fingerprint = "remembered"

    def __init__(self, parser: StanzaParser) -> None:
        told = (*STORY, QUESTION)
        self._trees = dict(zip(told, parser.parse(told), strict=True))
        self._sentences = parser.sentences(TEXT)

    def parse(self, sentences: Sequence[str]) -> list[Tree]:
        """Return the trees."""
        return [self._trees[sentence] for sentence in sentences]

    def sentences(self, text: str) -> list[str]:
        """Return the sentences."""
        assert text == TEXT
        return self._sentences

    def close(self) -> None:
        """Hold nothing."""


def main() -> int:
    """Run the mutations that the command line asks for; 1 when one did what it must not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("door", choices=("cache", "models"))
    parser.add_argument("--mutations", type=int, default=10_000, help="how many (10000)")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")
    options = parser.parse_args()
    chance, told, failures = random.Random(options.seed), Counter[str](), 0
    begun, slowest = time.monotonic(), 0.0
    memory = Path("/dev/shm")  # a disk would be asked for nothing
    signal.signal(signal.SIGALRM, hanging)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        attempt = (cache_door if options.door == "cache" else models_door)(Path(folder))
        for number in range(options.mutations):
            begun_now = time.monotonic()
            signal.alarm(SECONDS[options.door])
            try:
                told[attempt(chance)] += 1
            except (Exception, HangsError):
                failures += 1
                print(f"mutation {number}:\n{traceback.format_exc()}", file=sys.stderr)
                if failures >= MOST_FAILURES:
                    break
            finally:
                signal.alarm(0)
            slowest = max(slowest, time.monotonic() - begun_now)
    for line, count in sorted(told.items()):
        print(f"{count:6} {line}")
    tried = sum(told.values()) + failures
    print(
        f"{tried} mutations, {failures} failures, the slowest {slowest:.1f} s, "
        f"{time.monotonic() - begun:.0f} s in all"
    )
    return 1 if failures else 0


class HangsError(BaseException):
    """A mutant takes too long; no handler of the program takes this for an error of its own."""


def hanging(number: int, frame: Any) -> None:
    """Stop a mutant that takes too long."""
    raise HangsError("takes too long")


def cache_door(folder: Path) -> Callable[[random.Random], str]:
    """Return what tries one mutant of a cache."""
    parser = Remembered(StanzaParser(jobs=1))
    coref, srl = coreference("sieve"), role_labeller("stanza")
    facts = tuple(Sentence(line, text) for line, text in enumerate(STORY, start=1))
    told = Story((*facts, Question(len(facts) + 1, QUESTION, None, None, facts)))

    def reading(path: Path, said: list[str]) -> tuple[ReadStory, list[str]]:
        cache = AnnotationCache(path, notice=said.append)
        reader = StoryReader(Annotator(parser, coref, srl, cache))
        (story,) = reader.stories([told])
        assert reader.annotator is not None
        sentences = reader.annotator.sentences(TEXT)
        cache.close()
        return story, sentences

    whole = folder / "whole.sqlite"
    story, sentences = reading(whole, [])
    expected = (story.to_json(), sentences)
    with sqlite3.connect(whole) as stream:
        rows = stream.execute("SELECT maker, text_key, content FROM annotations").fetchall()
        stream.execute("PRAGMA journal_mode = DELETE")
    data = whole.read_bytes()

    def attempt(chance: random.Random) -> str:
        for file in folder.glob("mutant*"):
            file.unlink()
        path, said = folder / "mutant.sqlite", list[str]()
        forged = chance.random() < 0.7
        if forged:
            path.write_bytes(data)
            kind = forge_entries(path, rows, chance)
        else:
            mutant, kind = damaged(data, chance)
            path.write_bytes(mutant)
        tracemalloc.start()
        try:
            found = reading(path, said)
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert taken < MEMORY, f"took {taken} bytes"
        assert all(line.isprintable() for line in said), said
        use(found[0])
        if (found[0].to_json(), found[1]) == expected:
            return (
                f"{kind}: made anew"
                if said
                else f"{kind}: nothing was wrong, or it was not asked for"
            )
        assert forged, "damage was not seen"
        return f"{kind}: of the right form, and can be used"

    return attempt


def use(story: ReadStory) -> None:
    """Do with annotations what the commands do."""
    json.dumps(story.to_json())
    list(frame_listing(story))
    for tree in (tree for each in story.replaced for tree in (each.written, each.tree)):
        for token in tree:
            tree.subtree(token)
            list(tree.ancestors(token))
    try:
        write_conllu(conllu_sentences(story, "story"), io.StringIO())
    except ConlluError as error:
        one_line(error)


def one_line(error: Exception) -> None:
    """See that an error is one line that can be shown."""
    if not str(error).isprintable():
        raise AssertionError(f"not one printable line: {error!r}") from error


def forge_entries(path: Path, rows: list[tuple[bytes, bytes, bytes]], chance: random.Random) -> str:
    """Change entries of a good file; return what kind of change it was."""
    kind = chance.choice(
        (
            "value",
            "value",
            "value",
            "text",
            "swap",
            "bomb",
            "bytes",
            "type",
            "schema",
            "other table",
        )
    )
    with sqlite3.connect(path) as stream:
        maker, key, content = chance.choice(rows)
        text = zlib.decompress(content)
        new: Any = content
        if kind == "value":
            value = [json.loads(text)]
            for _ in range(chance.randrange(1, 4)):
                change(value, chance)
            told = json.dumps(value[0] if value else None)
            new = zlib.compress(told.encode("utf-8", "surrogatepass"))
        elif kind == "text":
            new = zlib.compress(damaged(text, chance)[0] or b"[" * chance.randrange(200_000))
        elif kind == "swap":
            new = chance.choice(rows)[2]
        elif kind == "bomb":
            filler = chance.choice((b" ", b"[", b"[],", b"9", b'"'))
            new = bomb(filler, chance.choice((10, 100)) * 10**6)
        elif kind == "bytes":
            new = damaged(content, chance)[0]
        elif kind == "type":
            new = chance.choice((0, 2**60, 0.5, "", "word", "\x00", content.hex()))
        elif kind == "schema":
            stream.execute("DROP TABLE annotations")
            stream.execute(chance.choice(SCHEMAS))
            return f"forged, {kind}"
        else:
            stream.execute(chance.choice((
                "CREATE TABLE more (x)", "CREATE INDEX i ON annotations (abs(length(content)))",
                "CREATE TRIGGER t AFTER DELETE ON annotations BEGIN DELETE FROM annotations; END",
                f"PRAGMA user_version = {chance.randrange(2, 1000)}", "DELETE FROM annotations",
            )))  # fmt: skip
            return f"forged, {kind}"
        known = new if isinstance(new, bytes) else str(new).encode()
        checksum = hashlib.blake2b(known, digest_size=8).digest()
        stream.execute(
            "UPDATE annotations SET content = ?, checksum = ? WHERE maker = ? AND text_key = ?",
            (new, checksum, maker, key),
        )
    stream.close()
    return f"forged, {kind}"


@lru_cache
def bomb(filler: bytes, size: int) -> bytes:
    """Return a few kilobytes that unpack to many millions."""
    return zlib.compress(filler * (size // len(filler)), 9)


def change(value: Any, chance: random.Random, hostile: Sequence[Any] = HOSTILE) -> None:
    """Put something hostile in a random place of a JSON value, or take something out."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys: Any = range(len(holder)) if isinstance(holder, list) else list(holder)
        for key in keys:
            places.append((holder, key))
            if isinstance(holder[key], list | dict):
                waiting.append(holder[key])
    if not places:
        return
    holder, key = chance.choice(places)
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = copy.deepcopy(chance.choice(hostile))


def damaged(whole: bytes, chance: random.Random) -> tuple[bytes, str]:
    """Return bytes with some of them changed, and how."""
    data, place = bytearray(whole), chance.randrange(max(1, len(whole)))
    kind = chance.choice(("flip", "cut", "insert", "remove", "swap", "zero", "append"))
    some = chance.randrange(1, 200)
    if kind == "flip" and data:
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif kind == "cut":
        del data[place:]
    elif kind == "insert":
        data[place:place] = chance.randbytes(some)
    elif kind == "remove":
        del data[place : place + some]
    elif kind == "swap":
        other = chance.randrange(max(1, len(whole)))
        data[place : place + some], data[other : other + some] = (
            data[other : other + some], data[place : place + some],
        )  # fmt: skip
    elif kind == "zero":
        data[place : place + some] = bytes(len(data[place : place + some]))
    else:
        data += chance.randbytes(some)
    return bytes(data), f"bytes, {kind}"


def models_door(folder: Path) -> Callable[[random.Random], str]:
    """Return what tries one mutant of a directory of models."""
    import torch

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    models, mark = folder / "models", folder / "mark"
    source = StanzaParser().directory
    shutil.copytree(source, models, ignore=shutil.ignore_patterns("__*", "srl"))
    names = ("tokenize", "pos", "lemma", "depparse")
    whole = {name: (models / "en" / name / "small.pt").read_bytes() for name in names}
    listing = (models / "resources.json").read_bytes()

    def attempt(chance: random.Random) -> str:
        # The tokenizer's is small: most of its bytes are no weights.
        name = chance.choice(("tokenize", "tokenize", "tokenize", "lemma", "pos", "depparse"))
        path = models / "en" / name / "small.pt"
        kind = chance.choice(("bytes", "head", "pickle", "value", "value", "runs", "list"))
        if kind == "bytes":
            path.write_bytes(damaged(whole[name], chance)[0])
        elif kind == "head":
            part = 20_000
            path.write_bytes(damaged(whole[name][:part], chance)[0] + whole[name][part:])
        elif kind == "pickle":
            repack(path, whole[name], lambda data: damaged(data, chance)[0])
        elif kind == "runs":
            runs = Runs(mark)
            protocol = chance.randrange(6)
            hostile = chance.choice((runs, [runs], {"model": runs, "config": {}}))
            repack(path, whole[name], lambda data: pickle.dumps(hostile, protocol))
            if chance.random() < 0.5:
                path.write_bytes(pickle.dumps(hostile, protocol))
        elif kind == "list":
            listed = [json.loads(listing)]
            change(listed, chance)
            (models / "resources.json").write_text(json.dumps(listed[0] if listed else None))
        else:
            checkpoint = torch.load(io.BytesIO(whole[name]), weights_only=True)
            change(checkpoint[chance.choice(("config", "vocab"))], chance, SMALL)
            torch.save(checkpoint, path, _use_new_zipfile_serialization=chance.random() < 0.5)
        try:
            return f"{kind}: {outcome(models, path, mark)}"
        finally:
            path.write_bytes(whole[name])
            (models / "resources.json").write_bytes(listing)

    return attempt


class Runs:
    """Makes a file when somebody unpickles it."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.mark),)


def outcome(models: Path, path: Path, mark: Path) -> str:
    """Parse with mutated models; return what came of it, raise when it must not."""
    try:
        try:
            check_model_file(path)
        except ParserError as error:
            one_line(error)
            return "refused before it is loaded"
        (tree,) = StanzaParser(models=str(models), jobs=1).parse([STORY[0]])
        assert len(tree) > 0
    except ParserError as error:
        one_line(error)
        return "refused while it is loaded"
    finally:
        assert not mark.exists(), "something ran"
    return "works"


def repack(path: Path, whole: bytes, change_pickle: Callable[[bytes], bytes]) -> None:
    """Write an archive with another pickle in it and all checksums right."""
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(path, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            new.writestr(
                member.filename,
                change_pickle(data) if member.filename.endswith("data.pkl") else data,
            )


if __name__ == "__main__":
    sys.exit(main())
