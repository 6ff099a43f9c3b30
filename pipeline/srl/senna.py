"""SENNA (Collobert et al., 2011), the labeller the paper used: runs the user's own copy.

SENNA may not be redistributed; users get it from https://ronan.collobert.com/senna/. It reads one sentence
a line and writes one word a line: the word, the verb or "-", and for each verb of the sentence a column of
tags (``B-A0 I-A0 E-A0``, ``S-V``, ``O``; with ``-iobtags`` only B and I); a blank line ends a sentence.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from babi_cascade.errors import UserError
from babi_cascade.pipeline.srl.backend import MissingRequirement, as_tree
from babi_cascade.pipeline.srl.frames import WH, YES_NO, Argument, Asked, Frame
from babi_cascade.pipeline.srl.phrases import text_of
from babi_cascade.pipeline.srl.words import NEGATIONS, WH_ADVERBS, WH_WORDS, lemma_of, word_set
from babi_cascade.pipeline.trees import Token, Tree

NAMES = ("senna-linux64", "senna-linux32", "senna-osx", "senna-win32.exe", "senna")
LONGEST = 1024  # words; SENNA's own limit, it stops at a longer sentence
WHERE = "download senna-v3.0.tgz from https://ronan.collobert.com/senna/, unpack it, and set SENNA=FOLDER"
RELATIONS = {"A0": "nsubj", "A1": "obj", "A2": "obl:to"}
PREPOSITIONS = word_set(
    "about above across after against along among around at before behind below beneath"
    " beside between beyond by down during for from in inside into near of off on onto"
    " out outside over past since than through to toward towards under until up upon with"
    " within without"
)
DETERMINERS = word_set("the a an this that these those his her its their my your our some any no")


class SennaError(UserError):
    """SENNA ran but did not do what its documentation says."""


class Senna:
    """Runs SENNA once for a list of sentences (its models take seconds to load)."""

    name = "senna"
    requires = "a SENNA folder (option folder, or the environment variable SENNA)"

    def __init__(self, folder: Path | str | None = None, *, pos_verbs: bool = False) -> None:
        place = folder or os.environ.get("SENNA", "")
        # SENNA runs in its folder: what is relative to ours would be looked for below it.
        self.folder = Path(place).absolute() if place else None
        self.pos_verbs = pos_verbs

    @cached_property
    def program(self) -> Path | None:
        """The executable in the folder, None if there is none."""
        if self.folder is None:
            return None
        return next((p for p in (self.folder / n for n in NAMES) if os.access(p, os.X_OK)), None)

    @property
    def version(self) -> str:
        """SENNA does not tell its version: the name of its folder does ("senna-v3.0")."""
        return self.folder.resolve().name if self.folder else "missing"

    @cached_property
    def fingerprint(self) -> str:
        """The executable and the options."""
        data = self.program.read_bytes() if self.program else b""
        verbs = "pos" if self.pos_verbs else "srl"
        return f"senna-{verbs}-{hashlib.sha256(data).hexdigest()[:12]}"

    def check(self) -> None:
        """Say how to get SENNA when it is not there."""
        if self.program is None:
            where = f"an executable SENNA in {self.folder}" if self.folder else "SENNA"
            raise MissingRequirement(self.name, where, WHERE)

    def label(self, sentences: Sequence[Tree | str]) -> list[list[Frame]]:
        """Return the frames of all sentences, from one run; a sentence too long for SENNA has none."""
        self.check()
        trees = [as_tree(s) for s in sentences]
        sent = [i for i, tree in enumerate(trees) if 0 < len(tree) <= LONGEST]
        frames: list[list[Frame]] = [[] for _ in trees]
        if not sent:
            return frames
        # A word with a space in it ("1 000") would be taken for two.
        text = "".join(" ".join(t.form.replace(" ", "_") for t in trees[i]) + "\n" for i in sent)
        blocks = list(_blocks(self._run(text)))
        if len(blocks) != len(sent):
            raise SennaError(f"{self.program}: gave {len(blocks)} sentences for {len(sent)}")
        for i, rows in zip(sent, blocks, strict=True):
            if len(rows) != len(trees[i]):
                raise SennaError(
                    f"{self.program}: gave {len(rows)} words, not {len(trees[i])}, for {trees[i].text[:60]!r}"
                )
            frames[i] = parsed(trees[i], rows)
        return frames

    def _run(self, text: str) -> str:
        command = [str(self.program), "-path", f"{self.folder}/", "-usrtokens", "-srl"]
        if self.pos_verbs:
            command.append("-posvbs")
        try:
            done = subprocess.run(
                command, input=text.encode(), capture_output=True, check=True, cwd=self.folder
            )
        except subprocess.CalledProcessError as error:
            said = (error.stderr or error.stdout or b"").decode(errors="replace").strip()[-200:]
            raise SennaError(
                f"{self.program}: failed with code {error.returncode}: {said}"
            ) from error
        except OSError as error:
            raise SennaError(f"{self.program}: cannot be run: {error.strerror or error}") from error
        return done.stdout.decode("utf-8", "replace")


def parsed(tree: Tree, rows: list[list[str]]) -> list[Frame]:
    """Return the frames in SENNA's rows of one sentence: word, verb or "-", a tag for each verb."""
    verbs = [t for t, row in zip(tree, rows, strict=True) if len(row) > 1 and row[1] != "-"]
    frames: list[Frame] = []
    for order in range(max((len(row) for row in rows), default=2) - 2):
        tags = [row[2 + order] if len(row) > 2 + order else "O" for row in rows]
        parts = list(_spans(tree, tags))
        verb = next((words[0] for role, words in parts if role == "V"), None)
        if verb is None:
            verb = verbs[order] if order < len(verbs) else None
        if verb is not None:
            frames.append(_frame(tree, verb, parts))
    return frames


def _blocks(output: str) -> Iterator[list[list[str]]]:
    rows: list[list[str]] = []
    for line in output.splitlines():
        if line.strip():
            rows.append(line.split())
        elif rows:
            yield rows
            rows = []
    if rows:
        yield rows


def _spans(tree: Tree, tags: list[str]) -> Iterator[tuple[str, list[Token]]]:
    """Yield (role, words) from tags in IOBES or IOB."""
    role, words = "", list[Token]()
    for token, tag in zip(tree, tags, strict=True):
        place, _, name = tag.partition("-")
        if words and (place in ("B", "S", "O") or name != role):
            yield role, words
            words = []
        if name:
            role = name
            words.append(token)
    if words:
        yield role, words


def _frame(tree: Tree, verb: Token, parts: list[tuple[str, list[Token]]]) -> Frame:
    arguments: list[Argument] = []
    asks: Asked | None = None
    negated, time = False, None
    particle = [
        t.form.lower()
        for role, words in parts
        if role in ("V", "C-V")
        for t in words
        if t is not verb
    ]
    for role, words in parts:
        name = "ARG" + role[1:] if role.startswith("A") else role
        if role in ("V", "C-V"):
            continue
        if role == "AM-NEG" or (
            any(t.form.lower() in NEGATIONS for t in words) and len(words) == 1
        ):
            negated = True
        elif words[0].form.lower() in WH_WORDS:
            word = words[0].form.lower()
            relation = f"advmod:{word}" if word in WH_ADVERBS else RELATIONS.get(role, "obl")
            rest = " ".join(lemma_of(t) for t in words[1:])
            asks = Asked(word, relation, name, rest, words[0].id)
        elif role == "AM-TMP":
            time = " ".join(t.form.lower() for t in words)
        elif role != "AM-MOD":
            arguments.append(_argument(tree, role, name, words))
    question = WH if asks else YES_NO if tree.text.rstrip().endswith("?") else None
    return Frame(
        " ".join([lemma_of(verb), *particle]),
        verb.id,
        tuple(arguments),
        negated,
        time,
        question,
        asks,
    )


def _argument(tree: Tree, role: str, name: str, words: list[Token]) -> Argument:
    """Make an argument of a span: its leading preposition goes into the relation."""
    relation = RELATIONS.get(role, "obl" if role.startswith("A") else "dep")
    if words[0].form.lower() in PREPOSITIONS and len(words) > 1:
        relation, words = f"obl:{words[0].form.lower()}", words[1:]
    kept = [t for t in words if t.form.lower() not in DETERMINERS] or words
    inner = next((i for i, t in enumerate(kept) if t.form.lower() in PREPOSITIONS and i), len(kept))
    head = kept[inner - 1]  # English noun phrases end in their head, before any "of …"
    ids = {t.id for t in kept}
    outside = [t for t in kept if t.head not in ids] if any(t.head for t in kept) else []
    head = outside[0] if len(outside) == 1 else head
    phrase = " ".join(lemma_of(t) for t in kept)
    return Argument(
        name,
        relation,
        phrase,
        lemma_of(head),
        head.id,
        tuple(t.id for t in kept),
        text_of(tree, kept),
    )
