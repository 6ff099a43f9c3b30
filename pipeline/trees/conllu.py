"""CoNLL-U in and out: the ten columns, ``Entity=`` in MISC, and one column a predicate for roles.

Role columns follow the ten as in CoNLL-U Plus files with PropBank: column 11 names the roleset of a
predicate ("give.01"), and the columns after it hold, for the first, second, … predicate of the sentence,
the role of each argument's head ("ARG0"; "V" for the predicate itself).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TextIO

from babi_cascade.pipeline.errors import ReadingError
from babi_cascade.pipeline.trees.model import Token, Tree

COLUMNS = 10


class ConlluError(ReadingError):
    """A file that is not CoNLL-U: where, what was found, what was expected."""


@dataclass(frozen=True)
class ConlluSentence:
    """A tree with what stands around it in the file.

    ``misc`` has one entry a word ("_" when empty); ``rolesets`` maps the id of a predicate to its
    roleset and ``roles`` the id of a predicate to (id of argument head → role).
    """

    tree: Tree
    comments: dict[str, str] = field(default_factory=dict)
    misc: tuple[str, ...] = ()
    rolesets: dict[int, str] = field(default_factory=dict)
    roles: dict[int, dict[int, str]] = field(default_factory=dict)

    @property
    def starts_document(self) -> bool:
        """Whether a new document begins with this sentence."""
        return any(key.split()[0] == "newdoc" for key in self.comments)


def read_conllu(source: str | Path | TextIO, name: str | None = None) -> Iterator[ConlluSentence]:
    """Read sentences lazily from a path (also .gz) or a stream of text.

    Multi-word tokens and empty nodes are passed over; their parts are ordinary words.
    """
    label = name or (str(source) if isinstance(source, (str, Path)) else "stream")
    with _opened(source, label) as stream:
        comments: dict[str, str] = {}
        rows: list[list[str]] = []
        number = 0
        try:
            for number, line in enumerate(stream, start=1):
                line = line.rstrip("\r\n")
                if line.startswith("#"):
                    key, _, value = line[1:].partition("=")
                    comments[key.strip()] = value.strip()
                elif line.strip():
                    rows.append(_row(line, label, number))
                elif rows:
                    yield _sentence(rows, comments, label, number)
                    comments, rows = {}, []
        except UnicodeDecodeError as error:
            raise ConlluError(
                f"{label}: after line {number}: found bytes that are not UTF-8"
            ) from error
        if rows:
            yield _sentence(rows, comments, label, number)


def write_conllu(sentences: Iterable[ConlluSentence], stream: TextIO) -> None:
    """Write sentences; role columns are written where there are predicates."""
    for sentence in sentences:
        for key, value in sentence.comments.items():
            stream.write(f"# {key} = {value}\n" if value else f"# {key}\n")
        predicates = sorted(sentence.rolesets)
        for position, token in enumerate(sentence.tree):
            misc = sentence.misc[position] if sentence.misc else "_"
            row = [
                str(token.id), token.form, token.lemma, token.upos, token.xpos, token.feats,
                str(token.head), token.deprel, "_", misc,
            ]  # fmt: skip
            if predicates:
                row.append(sentence.rolesets.get(token.id, "_"))
                for predicate in predicates:
                    role = sentence.roles.get(predicate, {}).get(token.id, "_")
                    row.append("V" if token.id == predicate else role)
            stream.write("\t".join(row) + "\n")
        stream.write("\n")


def conllu_sentence(tree: Tree, comments: dict[str, str] | None = None) -> ConlluSentence:
    """Wrap a tree for writing; where no space follows a word is noted, so that the text can be read back."""
    following = {token.id - 1: token.start for token in tree}
    misc = tuple("SpaceAfter=No" if token.end == following.get(token.id) else "_" for token in tree)
    return ConlluSentence(tree, {"text": tree.text} if comments is None else comments, misc)


@contextmanager
def _opened(source: str | Path | TextIO, label: str) -> Iterator[IO[str]]:
    if not isinstance(source, (str, Path)):
        yield source
        return
    try:
        opener = gzip.open if str(source).endswith(".gz") else open
        stream = opener(source, "rt", encoding="utf-8")
    except OSError as error:
        raise ConlluError(f"{label}: cannot be read: {error.strerror or error}") from error
    with stream:
        yield stream


def _row(line: str, label: str, number: int) -> list[str]:
    row = line.split("\t")
    if len(row) < COLUMNS:
        raise ConlluError(
            f"{label}:{number}: found {len(row)} columns, expected at least {COLUMNS} separated by tabs"
        )
    return row


def _sentence(
    rows: list[list[str]], comments: dict[str, str], label: str, number: int
) -> ConlluSentence:
    words = [row for row in rows if row[0].isdecimal()]
    where = f"{label}: sentence before line {number + 1}"
    glued = _glued(rows)
    tokens: list[Token] = []
    text = ""
    for position, row in enumerate(words, start=1):
        if int(row[0]) != position:
            raise ConlluError(f"{where}: found word {row[0]}, expected {position}")
        head = row[6] if row[6] != "_" else "0"
        if not head.isdecimal() or int(head) > len(words) or int(head) == position:
            raise ConlluError(
                f"{where}: found head {row[6]!r} of word {position}, expected another word's ID"
            )
        start = len(text)
        text += row[1]
        tokens.append(
            Token(
                position,
                row[1],
                row[2],
                row[3],
                row[4],
                int(head),
                row[7],
                row[5],
                start,
                len(text),
            )
        )
        if position not in glued and "SpaceAfter=No" not in row[9].split("|"):
            text += " "
    predicates = [int(row[0]) for row in words if len(row) > COLUMNS and row[COLUMNS] != "_"]
    roles: dict[int, dict[int, str]] = {}
    for order, predicate in enumerate(predicates):
        column = COLUMNS + 1 + order
        roles[predicate] = {
            int(row[0]): row[column]
            for row in words
            if len(row) > column and row[column] not in ("_", "V")
        }
    return ConlluSentence(
        Tree(tuple(tokens), text.rstrip()),
        comments,
        tuple(row[9] for row in words),
        {p: words[p - 1][COLUMNS] for p in predicates},
        roles,
    )


def _glued(rows: list[list[str]]) -> set[int]:
    """Return the words after which no space stands because a multi-word token says so ("do" + "n't")."""
    glued: set[int] = set()
    for row in rows:
        first, dash, last = row[0].partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            glued.update(range(int(first), int(last)))
            if "SpaceAfter=No" in row[9].split("|"):
                glued.add(int(last))
    return glued
