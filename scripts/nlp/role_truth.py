"""Frames against the truth of simulated stories (docs/formats.md, "Truth records").

A sentence or question is right only if everything is: one frame, every participant found with exactly its
words and in its function, no other participant, negation, alternatives, time, and what is asked. Truth
speaks of who, what, where, to and other; grammar of subject, object and obliques. Between the two:

- *who* is the subject, and so is *what* if there is no *who* (and nobody is asked for);
- *what* is else the object, *to* the receiver, and *where*, *there* and *other* are obliques, adverbs or
  what a copula says;
- a question for the way has *what* and *other* as its obliques from and to.

Names of predicates are listed for the reader; compared only where the sentence itself says the word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from babi_cascade.pipeline.frames.model import YES_NO, Argument, Frame
from babi_cascade.pipeline.trees import Tree

Record = Mapping[str, Any]
SUBJECT, OBJECT, RECEIVER, RELATED, TIME = "subject", "object", "receiver", "related", "time"
ROLES = ("who", "what", "to", "where", "there", "other", "when", "alternatives")
WORDS = {"where": "where", "why": "why", "way": "how"}


def faults(record: Record, tree: Tree, frames: Iterable[Frame]) -> list[str]:
    """Return what is wrong with the frames of one line, in words; nothing if all is right."""
    every = [f for f in frames if f.arguments or f.asks]
    if not every:
        return ["no frame"]
    if len(every) > 1:
        return [f"{len(every)} frames: " + " + ".join(f.predicate for f in every)]
    frame = every[0]
    found = [*_participants(record, tree, frame), *_asked(record, frame)]
    if str(record["predicate"]) in words_of(record["text"]) - words_of(frame.predicate):
        # "north" and "south" must not both become "be of"
        found.append(f"{frame.predicate!r} is not the predicate")
    if frame.negated != record["negated"]:
        found.append("negated" if frame.negated else "not negated")
    return found


def words_of(text: str) -> set[str]:
    """Return the lower-case words of a text."""
    return set(re.findall(r"\w+", text.lower()))


def expected_functions(record: Record) -> dict[str, str]:
    """Return the grammatical function of each role of a record."""
    asks = record.get("asks")
    what = SUBJECT if "who" not in record and asks != "who" else OBJECT
    return {
        "who": SUBJECT,
        "what": RELATED if asks == "way" else what,
        "to": RECEIVER,
        "where": RELATED,
        "there": RELATED,
        "other": RELATED,
        "when": TIME,
        "alternatives": RELATED,
    }


@dataclass
class FrameTally:
    """Counts over many lines, by predicate of the truth."""

    lines: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    names: dict[str, Counter[str]] = field(default_factory=dict)
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, record: Record, tree: Tree, frames: list[Frame]) -> bool:
        """Count a line; return whether it is right."""
        key = str(record.get("kind") or record["predicate"])
        wrong = faults(record, tree, frames)
        self.lines[key] += 1
        self.right[key] += not wrong
        for frame in frames:
            self.names.setdefault(key, Counter())[frame.predicate] += 1
        for fault in wrong:
            self.confusions[key, fault] += 1
            said = " + ".join(str(f) for f in frames) or "nothing"
            self.examples.setdefault((key, fault), f"{record['text']}  →  {said}")
        return not wrong

    @property
    def accuracy(self) -> float:
        """The share of lines that are right; 0 without lines."""
        return self.right.total() / self.lines.total() if self.lines else 0.0

    def report(self, confusions: int = 30) -> list[str]:
        """Return lines to print: accuracy by predicate, with the names it got, then the confusions."""
        rows = [
            f"{100 * self.accuracy:6.2f} % of {self.lines.total()} lines have every argument right"
        ]
        for key, n in sorted(
            self.lines.items(), key=lambda item: (self.right[item[0]] / item[1], item[0])
        ):
            names = ", ".join(name for name, _ in self.names.get(key, Counter()).most_common(4))
            rows.append(f"{100 * self.right[key] / n:6.1f} %  {n:6}  {key:<22} {names}")
        for (key, fault), n in self.confusions.most_common(confusions):
            rows += [f"{n:6} × {key}: {fault}", f"         {self.examples[key, fault]}"]
        return rows


def _participants(record: Record, tree: Tree, frame: Frame) -> Iterable[str]:
    functions = expected_functions(record)
    said = [(a, _place(tree, a)) for a in frame.arguments]
    used: set[int] = set()
    for mention in record["mentions"]:
        role = _role(record, mention["entities"], mention["text"])
        place = (mention["start"], mention["end"])
        if role is None:
            continue
        function = functions[role]
        if function == TIME:
            if mention["text"].lower() not in (frame.time or ""):
                yield f"when is {frame.time!r}"
            continue
        match = next((i for i, (_, p) in enumerate(said) if p == place), None)
        if match is None:
            overlap = next((a for a, (s, e) in said if s < place[1] and place[0] < e), None)
            yield (
                f"{role} is missing" if overlap is None else f"{role} is {_shape(overlap, mention)}"
            )
            continue
        used.add(match)
        argument = said[match][0]
        if not _fits(argument.relation, function):
            yield f"{role} is {argument.relation}"
        if argument.alternative != (role == "alternatives"):
            yield f"{role}: alternative is {argument.alternative}"
    for i, (argument, _) in enumerate(said):
        # "you" of "How do you go …?" is nobody in the story
        if i not in used and argument.head != "you":
            overlaps = any(
                m["start"] < _place(tree, argument)[1] and _place(tree, argument)[0] < m["end"]
                for m in record["mentions"]
            )
            if not overlaps:
                yield f"{argument.relation} too many"


def _asked(record: Record, frame: Frame) -> Iterable[str]:
    asks = record.get("asks")
    given = frame.asks
    if asks is None:
        if frame.question is not None:
            yield "taken for a question"
        return
    if asks == "truth":
        if frame.question != YES_NO:
            yield f"asks {given.word if given else frame.question}, not for yes or no"
        return
    if given is None:
        yield "asks for nothing"
    elif asks in WORDS:
        if given.word != WORDS[asks]:
            yield f"asks {given.word}, not {WORDS[asks]}"
    elif asks == "count":
        if given.word != "how many" or given.relation != "obj":
            yield f"asks {given.word} as {given.relation}"
    else:
        wanted = expected_functions(record)[asks]
        if not _fits(given.relation, wanted):
            yield f"asks for {given.relation}, not {asks}"


def _fits(relation: str, function: str) -> bool:
    """Say whether a relation serves a function; a goal ("went to the barn") is an oblique with "to"."""
    core = {SUBJECT: "nsubj", OBJECT: "obj", RECEIVER: "obl:to"}
    return relation == core[function] if function in core else relation not in ("nsubj", "obj")


def _role(record: Record, entities: list[str], text: str) -> str | None:
    """Return the role that a mention fills in its record."""
    if text.lower() == "there" and "there" in record:
        return "there"
    for role in ROLES:
        value = record.get(role)
        values = value if isinstance(value, list) else [value]
        if set(entities) & set(values):
            return role
    return None


def _place(tree: Tree, argument: Argument) -> tuple[int, int]:
    words = [tree[i] for i in argument.span] or [tree[argument.head_id]]
    return words[0].start, words[-1].end


def _shape(argument: Argument, mention: Mapping[str, Any]) -> str:
    """Name a wrong extent without the words themselves, so that the same fault is counted together."""
    longer = len(argument.text) > len(mention["text"])
    return (
        f"part of a longer {argument.relation}" if longer else f"cut short as {argument.relation}"
    )
