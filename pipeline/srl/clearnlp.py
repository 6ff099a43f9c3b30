"""Back end: ClearNLP (Choi and McCallum, 2013), a PropBank labeller that anybody may use.

Its program reads a file of sentences, one word a line, and takes half a minute to load its models. So it is
started once, on a file that becomes a pipe while the models load, and is fed through it as long as this
process lives: the jars are those of ClearNLP, nothing of ours runs in Java. It writes in blocks of 8 kB; what
follows the sentences of a request is filling that brings out the last of them.

A row of the answer has: number, word, lemma, tag, features (``pb=give`` marks a predicate), head, relation,
and the predicates that the word is an argument of (``2:A0;5:A1``). Roles come out in PropBank's spelling with
the function tags that ClearNLP gives (``ARG2-GOL``), predicates only where the tag is that of a verb: an
adjective whose second-best tag is one would become a predicate too.
"""

from __future__ import annotations

import hashlib
import os
import select
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.errors import MissingRequirement
from babi_cascade.pipeline.java import (
    JavaError,
    JavaProgram,
    check_jars,
    folder_of,
    jars_in,
    java_of,
)
from babi_cascade.pipeline.srl.propbank import phrase_head, propbank_role
from babi_cascade.pipeline.trees import Roles, Token, Tree

FETCH = "babi-cascade fetch-resources clearnlp"
PARTS = (
    "clearnlp",
    "dictionary",
    "global-lexica",
    "general-en-pos",
    "general-en-dep",
    "general-en-srl",
)
"""What the names of the jars must say; other libraries come with them."""

MEMORY = (
    "-Xmx3g",
    "-Xmn100m",
    "-XX:+UseSerialGC",
    "-XX:MinHeapFreeRatio=5",
    "-XX:MaxHeapFreeRatio=20",
)
COLUMNS = 8
LONGEST = 250
"""Words; a longer sentence has no roles, as it has no tree."""

START = 300.0
FILLING = 80
_FILLER = "z" * 100
"""A word of its own sentence, often enough for two blocks of 8 kB: its row repeats it."""

_CONFIGURATION = """\
<configuration>
  <language>english</language>
  <reader type="tsv"><column index="1" field="form"/></reader>
  <global>
    <distributional_semantics>brown-rcv1.clean.tokenized-CoNLL03.txt-c1000-freq1.txt.xz</distributional_semantics>
  </global>
  <model><pos>general-en-pos.xz</pos><dep>general-en-dep.xz</dep><srl>general-en-srl.xz</srl></model>
  <dep><root_label>root</root_label><beam_size>1</beam_size></dep>
  <srl><max_depth>4</max_depth><max_height>3</max_height></srl>
</configuration>
"""
_LOGGING = """\
log4j.rootLogger=INFO, A1
log4j.appender.A1=org.apache.log4j.ConsoleAppender
log4j.appender.A1.target=System.err
log4j.appender.A1.layout=org.apache.log4j.PatternLayout
log4j.appender.A1.layout.conversionPattern=%m
"""

_Row = list[str]


class ClearNLP:
    """Labels sentences with ClearNLP, which is started with the first of them and killed at the end.

    Parameters
    ----------
    folder : with ClearNLP's jars; by default the environment variable CLEARNLP or what was fetched
    timeout : seconds without an answer after which it is given up
    """

    name = "clearnlp"
    requires = "Java and ClearNLP (option clearnlp, or the environment variable CLEARNLP)"

    def __init__(self, folder: Path | str | None = None, timeout: float = 120.0) -> None:
        self.folder = folder_of(folder, "CLEARNLP", "clearnlp")
        self.timeout = timeout
        self._running: _Program | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process without the program; that one starts its own if it needs one."""
        return ClearNLP, (self.folder, self.timeout)

    @cached_property
    def jars(self) -> list[Path]:
        """The jars of the folder."""
        return jars_in(self.folder) if self.folder else []

    @property
    def version(self) -> str:
        """The version in the name of its jar."""
        named = [jar.stem.removeprefix("clearnlp-") for jar in self.jars]
        return next((version for version in named if version[:1].isdigit()), "missing")

    @cached_property
    def fingerprint(self) -> str:
        """The names and sizes of the jars, wherever they lie, and the configuration."""
        said = [_CONFIGURATION, *(f"{jar.name} {jar.stat().st_size}" for jar in self.jars)]
        digest = hashlib.sha256("\n".join(said).encode()).hexdigest()[:12]
        return f"clearnlp-{self.version}-{digest}"

    def check(self) -> None:
        """Say what is missing or damaged: Java, a jar."""
        if self.folder is None:
            raise MissingRequirement("srl", self.name, "ClearNLP", FETCH)
        names = [jar.name for jar in self.jars]
        for part in PARTS:
            wanted = f"{part}-" if part == "clearnlp" else f"clearnlp-{part}-"
            if not any(
                name[len(wanted) :][:1].isdigit() and name.startswith(wanted) for name in names
            ):
                missing = f"{wanted}VERSION.jar, which is not in {self.folder}"
                raise MissingRequirement("srl", self.name, missing, FETCH)
        check_jars(self.jars, FETCH)
        java_of("srl", self.name)

    def close(self) -> None:
        """Kill the program, if it runs."""
        if self._running is not None:
            self._running.close()
            self._running = None

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return the roles of all sentences; one that is too long for it has none."""
        trees = [sentence.tree for sentence in sentences]
        sent = [tree if 0 < len(tree) <= LONGEST else None for tree in trees]
        answers = iter(self.rows([tree for tree in sent if tree is not None]))
        return [None if tree is None else roles_in(tree, next(answers)) for tree in sent]

    def rows(self, trees: Sequence[Tree]) -> list[list[_Row]]:
        """Return ClearNLP's rows for sentences, none of them empty."""
        if not trees:
            return []
        if self._running is None:
            self.check()
            check_jars(self.jars, FETCH, whole=True)
            try:
                self._running = _Program(self.jars)
            except JavaError as error:
                raise JavaError(f"{self.folder}: ClearNLP {error}") from error
        try:
            return self._running.label(trees, self.timeout)
        except (JavaError, OSError) as error:
            said = self._running.said()
            self.close()
            raise JavaError(f"{self.folder}: ClearNLP {error}; it said: {said}") from error


def roles_in(tree: Tree, rows: Sequence[_Row]) -> dict[int, dict[int, str]]:
    """Return the roles of a sentence in ClearNLP's rows; phrases are known by their heads in our tree."""
    found: dict[int, dict[int, str]] = {
        number: {}
        for number, row in enumerate(rows, start=1)
        if row[3].startswith("VB") and any(each.startswith("pb=") for each in row[4].split("|"))
    }
    phrases = _phrases(tree, rows)
    for number, row in enumerate(rows, start=1):
        for arc in row[7].split(";") if row[7] != "_" else ():
            predicate, _, role = arc.partition(":")
            arguments = found.get(int(predicate))
            if arguments is not None and role != "C-V":
                head = phrase_head(phrases[number], tree[number])
                noun = tree.head(head) if head.relation == "case" else None
                if (
                    noun is not None
                ):  # "Who did he give it to?": what the preposition says of its noun
                    arguments[noun.id] = propbank_role(role)
                else:
                    arguments.setdefault(head.id, propbank_role(role))
    return found


def _phrases(tree: Tree, rows: Sequence[_Row]) -> dict[int, list[Token]]:
    """Return for each word the words below it in ClearNLP's tree, and itself."""
    below: dict[int, list[Token]] = {token.id: [] for token in tree}
    for token in tree:
        above, seen = token.id, set[int]()
        while above in below and above not in seen:
            seen.add(above)
            below[above].append(token)
            above = int(rows[above - 1][5])
    return below


class _Program:
    """The running program and both its pipes."""

    def __init__(self, jars: Sequence[Path]) -> None:
        place = tempfile.TemporaryDirectory(prefix="babi-cascade-clearnlp-")
        here = Path(place.name)
        (here / "config.xml").write_text(_CONFIGURATION, encoding="utf-8")
        (here / "log4j.properties").write_text(_LOGGING, encoding="utf-8")
        # It only takes a file; when it opens it, the models are loaded and the file is a pipe.
        (here / "in").touch()
        os.mkfifo(here / "pipe", 0o600)
        os.mkfifo(here / "in.cnlp", 0o600)
        words = [
            *MEMORY, f"-Dlog4j.configuration=file:{here}/log4j.properties",
            "-cp", ":".join(str(jar) for jar in jars),
            "edu.emory.clir.clearnlp.bin.NLPDecode", "-mode", "srl", "-c", "config.xml", "-i", "in",
        ]  # fmt: skip
        self._java = JavaProgram(java_of("srl", "clearnlp"), words, place)
        try:
            self._java.wait_for(lambda: b"Loading" in self._java.log(), START)
            (here / "pipe").replace(here / "in")
        except BaseException:
            self._java.close()
            raise
        # Opened for both, so that opening them does not wait for Java.
        self._feed = os.open(here / "in", os.O_RDWR | os.O_NONBLOCK)
        self._answers = os.open(here / "in.cnlp", os.O_RDWR | os.O_NONBLOCK)
        self._received = b""
        self._unsent = b""
        self._unread = 0
        self._patience = START  # until the models are loaded

    def label(self, trees: Sequence[Tree], timeout: float) -> list[list[_Row]]:
        """Return the rows of sentences."""
        sentences = [_words(tree) for tree in trees]
        sending = self._unsent + "".join([*sentences, f"{_FILLER}\n\n" * FILLING]).encode()
        blocks: list[bytes] = []
        wanted = self._unread + len(trees)
        until = time.monotonic() + max(timeout, self._patience)
        while len(blocks) < wanted:
            if not self._java.running:
                raise JavaError("ended while it worked")
            if time.monotonic() > until:
                raise JavaError(f"gave no answer in {timeout:g} seconds")
            readable, writable, _ = select.select(
                [self._answers], [self._feed] if sending else [], [], 0.2
            )
            if writable:
                sending = sending[os.write(self._feed, sending[:4096]) :]
            if readable:
                *new, self._received = (self._received + os.read(self._answers, 1 << 16)).split(
                    b"\n\n"
                )
                blocks += new
                self._patience = 0.0
                until = time.monotonic() + timeout
        answers = blocks[self._unread : wanted]
        self._unread = FILLING - (len(blocks) - wanted)
        self._unsent = sending
        return [_rows(answer, len(tree)) for answer, tree in zip(answers, trees, strict=True)]

    def said(self) -> str:
        """Return the telling line of its log."""
        return self._java.said()

    def close(self) -> None:
        """Kill it."""
        self._java.close()
        for pipe in (self._feed, self._answers):
            with suppress(OSError):
                os.close(pipe)


def _words(tree: Tree) -> str:
    """Return a sentence as it is sent: a word a line, cut where a word is longer than any word is."""
    forms = ("_".join(token.form.split())[:100] or "_" for token in tree)
    text = "\n".join(forms) + "\n\n"
    return text.encode("utf-8", "replace").decode()


def _rows(answer: bytes, words: int) -> list[_Row]:
    rows = [line.split("\t") for line in answer.decode("utf-8", "replace").splitlines()]
    if len(rows) != words or any(len(row) < COLUMNS for row in rows):
        raise JavaError(f"gave {len(rows)} rows for {words} words")
    return rows
