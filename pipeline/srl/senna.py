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

from babi_cascade.pipeline.coref.replace import Replaced
from babi_cascade.pipeline.errors import MissingRequirement, ReadingError
from babi_cascade.pipeline.srl.propbank import phrase_head, propbank_role
from babi_cascade.pipeline.trees import Roles, Token, Tree

NAMES = ("senna-linux64", "senna-linux32", "senna-osx", "senna-win32.exe", "senna")
LONGEST = 1024  # words; SENNA's own limit, it stops at a longer sentence
WHERE = "download senna-v3.0.tgz from https://ronan.collobert.com/senna/, unpack it, and set SENNA=FOLDER"


class SennaError(ReadingError):
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
            raise MissingRequirement("srl", self.name, where, WHERE)

    def label(self, sentences: Sequence[Replaced]) -> list[Roles | None]:
        """Return the roles of all sentences, from one run; a sentence too long for SENNA has none."""
        self.check()
        trees = [sentence.tree for sentence in sentences]
        sent = [i for i, tree in enumerate(trees) if 0 < len(tree) <= LONGEST]
        found: list[Roles | None] = [None for _ in trees]
        if not sent:
            return found
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
            found[i] = roles_in(trees[i], rows)
        return found

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


def roles_in(tree: Tree, rows: list[list[str]]) -> dict[int, dict[int, str]]:
    """Return the roles in SENNA's rows of one sentence: word, verb or "-", a tag for each verb.

    SENNA marks whole phrases; in the tree, a phrase is known by its head.
    """
    verbs = [t for t, row in zip(tree, rows, strict=True) if len(row) > 1 and row[1] != "-"]
    found: dict[int, dict[int, str]] = {}
    for order in range(max((len(row) for row in rows), default=2) - 2):
        tags = [row[2 + order] if len(row) > 2 + order else "O" for row in rows]
        parts = list(_spans(tree, tags))
        verb = next((words[0] for role, words in parts if role == "V"), None)
        if verb is None:
            verb = verbs[order] if order < len(verbs) else None
        if verb is not None:
            found[verb.id] = {
                phrase_head(words).id: propbank_role(role)
                for role, words in parts
                if role not in ("V", "C-V")
            }
    return found


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
