"""ClearNLP's roles in the terms of another tree and another corpus: heads of phrases, names of roles.

ClearNLP hangs a phrase on its preposition and tells ARG2 to ARG5 by their function (GOL, PRD, DIR …), as the
frame files tag them. Here a phrase is known by its highest word in the tree that is asked for, and a function
by the role that the corpus has most often where ClearNLP says it of the same verb.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from babi_cascade.pipeline.trees import Roles, Tree

Rows = list[list[str]]
NUMBER = re.compile(r"A(RG)?([0-9])$")
ENOUGH = 3  # times that a verb was seen with a function before it has a usual role of its own
CONTINUED, REFERRING = "C-", "R-"


def read_rows(path: Path) -> Iterator[Rows]:
    """Yield ClearNLP's rows of each sentence of a file."""
    rows: Rows = []
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                rows.append(line.rstrip("\n").split("\t"))
            elif rows:
                yield rows
                rows = []


def roles_of(rows: Rows) -> dict[int, dict[int, str]]:
    """Return what ClearNLP says of verbs, particles of the verb itself left out."""
    found: dict[int, dict[int, str]] = {
        number: {}
        for number, row in enumerate(rows, start=1)
        if row[3].startswith("VB") and "pb=" in row[4]
    }
    for number, row in enumerate(rows, start=1):
        for arc in row[7].split(";") if row[7] != "_" else ():
            predicate, _, role = arc.partition(":")
            if int(predicate) in found and role != "C-V":
                found[int(predicate)][number] = role
    return found


def heads_of(rows: Rows) -> list[int]:
    """Return the head of each word in ClearNLP's tree."""
    return [int(row[5]) for row in rows]


def phrase(heads: Sequence[int], word: int, predicate: int) -> set[int]:
    """Return a word and all below it, without the predicate and what is below that."""
    below: dict[int, list[int]] = {}
    for number, head in enumerate(heads, start=1):
        below.setdefault(head, []).append(number)
    found, waiting = {word}, [word]
    while waiting:
        for number in below.get(waiting.pop(), ()):
            if number != predicate and number not in found:
                found.add(number)
                waiting.append(number)
    return found


def highest(tree: Tree, words: set[int]) -> tuple[int, int]:
    """Return the highest word of a phrase in a tree, and how many of its words hang on none of the others."""
    tops = [w for w in sorted(words) if tree[w].head not in words and tree[w].upos != "PUNCT"]
    tops = tops or sorted(words)[:1]
    depths = {w: sum(1 for _ in tree.ancestors(tree[w])) for w in tops}
    return min(tops, key=lambda w: (depths[w], w)), len(tops)


def placed(roles: Roles, heads: Sequence[int], tree: Tree) -> dict[int, dict[int, str]]:
    """Return roles on the words of another tree of the sentence; `heads` are those of the labeller's own."""
    found: dict[int, dict[int, str]] = {}
    for predicate, arguments in roles.items():
        found[predicate] = {}
        for word, role in arguments.items():
            head, _ = highest(tree, phrase(heads, word, predicate))
            found[predicate].setdefault(head, role)
    return found


def bare(role: str) -> str:
    """Return a role without the marks of a pronoun that refers, of a part that continues."""
    return role.removeprefix(REFERRING).removeprefix(CONTINUED)


class Spelling:
    """Which role of a corpus ClearNLP's functions mean, by verb; learned from sentences that have both."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], Counter[str]] = {}

    def learn(self, tree: Tree, gold: Roles, roles: Roles) -> None:
        """Count one sentence, with ClearNLP's roles placed on the words of its tree."""
        for predicate, arguments in roles.items():
            wanted: Mapping[int, str] = gold.get(predicate, {})
            for word, role in arguments.items():
                if word in wanted:
                    for verb in (tree[predicate].lemma.lower(), ""):
                        counts = self._counts.setdefault((verb, bare(role)), Counter())
                        counts[bare(wanted[word])] += 1

    def spelled(self, verb: str, role: str) -> str:
        """Return the corpus' name of a role."""
        name = bare(role)
        number = NUMBER.match(name)
        if number:
            return f"ARG{number[2]}"
        for key in ((verb.lower(), name), ("", name)):
            counts = self._counts.get(key, Counter())
            if counts.total() >= ENOUGH:
                return counts.most_common(1)[0][0]
        return f"ARGM-{name}"


def learned(sentences: Iterable[tuple[Tree, Roles, Rows]]) -> Spelling:
    """Learn the spelling from sentences with gold roles and ClearNLP's rows."""
    spelling = Spelling()
    for tree, gold, rows in sentences:
        spelling.learn(tree, gold, placed(roles_of(rows), heads_of(rows), tree))
    return spelling


def silver(tree: Tree, rows: Rows, spelling: Spelling) -> dict[int, dict[int, str]]:
    """Return ClearNLP's roles on the words of our tree, of what is a verb for both.

    Where our tree has torn a phrase up, its head is the word that would be it in Universal Dependencies: so a
    labeller learns what it can make of a wrong tree. A relative pronoun keeps its mark (R-); ClearNLP marks
    question words so too, the corpus does not.
    """
    heads = heads_of(rows)
    found: dict[int, dict[int, str]] = {}
    for predicate, arguments in roles_of(rows).items():
        if tree[predicate].upos not in ("VERB", "AUX"):
            continue
        relative = any(
            t.deprel == "acl:relcl" for t in (tree[predicate], *tree.ancestors(tree[predicate]))
        )
        placed_here: dict[int, str] = {}
        for word, role in arguments.items():
            head, tops = highest(tree, phrase(heads, word, predicate))
            if tops > 1:
                head = lexical_head(rows, word)
            if head in placed_here or head == predicate:
                break
            name = spelling.spelled(tree[predicate].lemma, role)
            if role.startswith(CONTINUED) or (role.startswith(REFERRING) and relative):
                name = role[:2] + name
            placed_here[head] = name
        else:
            found[predicate] = placed_here
    return found


def lexical_head(rows: Rows, word: int) -> int:
    """Return the word of ClearNLP's phrase that heads it in Universal Dependencies.

    That is the noun behind a preposition, and what a copula says of its subject.
    """
    relations = ["pobj", "pcomp"]
    if rows[word - 1][2] == "be":
        relations = ["attr", "acomp", "prep"]
    elif rows[word - 1][3] not in ("IN", "TO"):
        return word
    for relation in relations:
        for number, row in enumerate(rows, start=1):
            if int(row[5]) == word and row[6] == relation and number > word:
                return lexical_head(rows, number)
    return word
