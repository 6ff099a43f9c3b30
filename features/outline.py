"""A sentence outlined for the feature groups: its predicate, who or what fills which role, what it asks.

The groups never look at words beyond this outline, so whatever can outline a sentence (frames of a role
labeller, learned positions of words) can feed them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from babi_cascade.features.presets import NO_ROLES, PROPBANK, RELATIONS, Roles
from babi_cascade.features.wording import MARK_ALTERNATIVE, role_words
from babi_cascade.pipeline.frames import Argument, Asked, Frame
from babi_cascade.pipeline.read import ReadSentence

UNKNOWN = "?"
"""The role of what is mentioned without one."""

Match = tuple[tuple[str, str], ...]
"""Of two sentences: the pairs (role in one, role in the other) whose fillers are the same."""

NO_FILLERS = frozenset({"advmod"})
"""Relations whose fillers are adverbs: they name nobody and nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A sentence as predicate, roles and fillers.

    ``shape`` is the set of its relations without prepositions; ``kind`` of a question is what it asks for
    and its predicate, empty for a statement. ``texts`` has for every filler the words that stand for it.
    """

    predicate: str
    shape: str
    time: str
    kind: str
    asked: str
    roles: tuple[tuple[str, str], ...]
    texts: dict[str, str] = field(default_factory=dict)
    negated: bool = False

    @property
    def fillers(self) -> dict[str, tuple[str, ...]]:
        """The roles of each filler, in order."""
        found: dict[str, list[str]] = {}
        for role, filler in self.roles:
            found.setdefault(filler, []).append(role)
        return {filler: tuple(dict.fromkeys(roles)) for filler, roles in found.items()}


def outline_words(outline: Outline) -> str:
    """Return an outline for people: "move (then): subject ada, “to” phrase mill"."""
    said = outline.kind or outline.predicate or "nothing is said"
    said += f" ({outline.time})" if outline.time else ""
    roles = ", ".join(f"{role_words(role)} {filler}" for role, filler in outline.roles)
    return f"{said}: {roles}" if roles else said


class Outliner(Protocol):
    """What outlines sentences; what it learned is part of the model."""

    kind: str

    def outline(self, sentence: ReadSentence) -> Outline:
        """Return the outline of a sentence."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        ...


class FrameOutliner:
    """Outlines sentences by the frames that a role labeller found.

    A labeller may miss a role. What fills roles elsewhere in training (``known``: word as it stands, and its
    phrase) and stands in no role of a sentence is still mentioned there: it gets the role ``?``. Known is
    what fills a role in most sentences that have it: in the prose of a novel "to" and "is" fill one too.
    """

    kind = "frames"

    def __init__(self, roles: Roles = RELATIONS) -> None:
        self.roles = roles
        self.known: dict[str, str] = {}

    def fit(self, sentences: Iterable[ReadSentence]) -> FrameOutliner:
        """Learn which words fill roles."""
        phrases: dict[str, str] = {}
        seen: Counter[str] = Counter()
        filling: Counter[str] = Counter()
        for sentence in sentences:
            fillers: dict[str, str] = {}
            for frame in sentence.frames:
                for argument in frame.arguments:
                    text = _text(argument).lower()
                    if argument.function not in NO_FILLERS and text and " " not in text:
                        fillers.setdefault(text, argument.phrase)
            filling.update(fillers.keys())
            seen.update(dict.fromkeys((*sentence.words, *fillers)).keys())
            for text, phrase in fillers.items():
                phrases.setdefault(text, phrase)
        self.known = {text: p for text, p in phrases.items() if 2 * filling[text] > seen[text]}
        return self

    def outline(self, sentence: ReadSentence) -> Outline:
        """Return the outline of a sentence."""
        missed = [(word, self.known[word]) for word in _roleless(sentence) if word in self.known]
        return outline_frames(sentence, missed, self.roles)

    def to_json(self) -> dict[str, Any]:
        """Return what was learned."""
        return {"kind": self.kind, "known": self.known}

    def restore(self, record: Mapping[str, Any]) -> FrameOutliner:
        """Take over what ``to_json`` returned."""
        self.known = dict(record["known"])
        return self


def outline_frames(
    sentence: ReadSentence, missed: Sequence[tuple[str, str]] = (), told_with: Roles = RELATIONS
) -> Outline:
    """Outline a sentence by its frames; ``missed`` are words and phrases in no role of it."""
    roles: list[tuple[str, str]] = []
    texts: dict[str, str] = {}
    functions: list[str] = []
    for frame in sentence.frames:
        for argument in frame.arguments:
            if argument.function in NO_FILLERS:
                continue
            role = _role(argument, told_with)
            mark = MARK_ALTERNATIVE if argument.alternative else ""
            roles.append((role + mark, argument.phrase))
            functions.append(role.partition(":")[0])
            texts.setdefault(argument.phrase, _text(argument))
    for word, phrase in missed:
        roles.append((UNKNOWN, phrase))
        functions.append(UNKNOWN)
        texts.setdefault(phrase, word)
    return Outline(
        predicate=" + ".join(frame.full_predicate for frame in sentence.frames),
        shape=" ".join(sorted(set(functions))),
        time=" ".join(frame.time for frame in sentence.frames if frame.time is not None),
        kind=_kind(sentence.frames, sorted(set(functions)), told_with),
        asked=_asked(sentence.frames),
        roles=tuple(dict.fromkeys(roles)),
        texts=texts,
        negated=any(frame.negated for frame in sentence.frames),
    )


def match_of(one: Outline, other: Outline) -> Match:
    """Return the match of two sentences, sorted."""
    there: dict[str, list[str]] = {}
    for role, filler in other.roles:
        there.setdefault(filler, []).append(role)
    return tuple(
        sorted({(role, match) for role, filler in one.roles for match in there.get(filler, ())})
    )


@lru_cache(maxsize=4096)
def match_text(match: Match) -> str:
    """Return a match as one text: "nsubj=nsubj; obl:in=obl:to"."""
    return "; ".join(f"{a}={b}" for a, b in match)


def _roleless(sentence: ReadSentence) -> list[str]:
    """Return the words that stand in no argument, predicate or time of a sentence, in lower case."""
    taken: set[str] = set()
    for frame in sentence.frames:
        taken.update(frame.predicate.split())
        taken.update((frame.time or "").lower().split())
        if frame.asks is not None:
            taken.update((*frame.asks.word.split(), *frame.asks.phrase.split()))
        for argument in frame.arguments:
            taken.update(argument.text.lower().split())
            taken.update(argument.phrase.split())
    return [word for word in sentence.words if word not in taken]


def _text(argument: Argument) -> str:
    """Return what stands for a phrase, without the determiners before it; itself if that is not told."""
    words = argument.text.split()
    return " ".join(words[-len(argument.phrase.split()) :]) or argument.phrase


def _role(told: Argument | Asked, told_with: Roles) -> str:
    """Return what an argument is told with; one that the labeller did not name keeps its relation."""
    if told_with == NO_ROLES:
        return UNKNOWN
    return (told_with == PROPBANK and told.role) or told.relation


def _asked(frames: Sequence[Frame]) -> str:
    for frame in frames:
        if frame.asks is not None:
            return f"{frame.asks.word} {frame.asks.phrase}".strip()
        if frame.question is not None:
            return frame.question
    return ""


def _kind(frames: Sequence[Frame], functions: Sequence[str], told_with: Roles) -> str:
    """Return what is asked for, of which predicate, and which relations are given."""
    given = f" ({', '.join(map(role_words, functions))})" if functions else ""
    for frame in frames:
        if frame.asks is not None:
            asked = f"{frame.asks.word} {frame.asks.phrase}".strip()
            adverb = frame.asks.relation.partition(":")[0] in NO_FILLERS
            role = "" if adverb else f" = {role_words(_role(frame.asks, told_with))}"
            return f"{asked}{role} of “{frame.full_predicate}”{given}"
        if frame.question is not None:
            return f"{frame.question} of “{frame.full_predicate}”{given}"
    return ""
