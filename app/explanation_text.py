"""Explanations as lines of text, for a terminal and a pipe alike; styles are rich's and vanish in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from babi_cascade.cascade.doubt import LIKELY, SURE, UNKNOWN, UNSURE
from babi_cascade.cascade.explanation import TOP, by_group
from babi_cascade.pipeline.stories.wording import counted

if TYPE_CHECKING:
    from babi_cascade.cascade import Contribution, Explanation
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

Line = list[tuple[str, str]]
"""Pieces of text, each with its style."""

MOST_CANDIDATES = 12
MOST_REASONS = 3
"""Reasons for doubt that are told to people; programs get them all."""

_STYLES = {SURE: "green", LIKELY: "", UNSURE: "yellow", UNKNOWN: "yellow"}
_INDENT = " " * 10


def explanation_lines(explanation: Explanation, top: int = TOP) -> Iterator[Line]:
    """Yield everything: the story with its facts, the answer, and why."""
    yield from story_lines(explanation.asked, explanation.prediction.support)
    yield []
    yield from answer_lines(explanation)
    yield []
    yield from why_lines(explanation, top)


def answer_lines(explanation: Explanation) -> Iterator[Line]:
    """Yield answer, doubts, facts and margins; or that it is not known, and why."""
    found, verdict = explanation.prediction, explanation.verdict
    expected = explanation.asked.source.answer
    doubts = _first(verdict.reasons)
    if not verdict.known:
        yield [("  answer  ", "dim"), ("I do not know", "bold yellow"), (f": {doubts}", "")]
        if explanation.facts and found.answer is not None:
            guess = f"{found.answer} (margin {_margin(found.margin)})"
            yield [("  guess   ", "dim"), (guess, "dim")]
        if expected is not None:
            yield [("  truth   ", "dim"), (expected, "dim")]
        return
    judged = ""
    if explanation.right is not None:
        judged = "; right" if explanation.right else f"; expected {expected}"
    sure = f"  ({verdict.level}{judged})"
    yield [("  answer  ", "dim"), (str(found.answer), "bold"), (sure, _STYLES[verdict.level])]
    if doubts:
        yield [("  but     ", "dim"), (doubts, "yellow")]
    if not found.support:
        yield [("  facts   ", "dim"), ("none", "")]
    for number, fact in enumerate(explanation.chosen):
        line: Line = [("  facts   " if number == 0 else _INDENT, "dim")]
        line.append((f"{fact.line} {fact.text}", "cyan"))
        if fact.read_as is not None:
            line.append((f"  = {fact.read_as}", "dim"))
        yield line
    margins = f"{_margin(found.margin)}, of the facts {_margin(found.support_margin)}"
    yield [("  margin  ", "dim"), (margins, "dim")]


def story_lines(
    asked: ReadQuestion, support: Sequence[int] = (), *, all_frames: bool = False, question: bool = True
) -> Iterator[Line]:  # fmt: skip
    """Yield the story with the chosen facts numbered, and how sentences were read.

    Frames stand below the chosen facts and the question, with ``all_frames`` below every sentence.
    """
    for fact, read in zip(asked.source.facts, asked.facts, strict=True):
        chosen = fact.line in support
        mark = f"{support.index(fact.line) + 1}>" if chosen else "  "
        yield [(f"{mark} ", "bold"), (f"{fact.line} {fact.text}", "cyan" if chosen else "")]
        if chosen or all_frames:
            yield from _reading(fact.text, read)
    if question:
        yield [(" ? ", "bold"), (f"{asked.source.line} {asked.source.text}", "bold")]
        yield from _reading(asked.source.text, asked.question)


def why_lines(explanation: Explanation, top: int = TOP) -> Iterator[Line]:
    """Yield the features behind both choices and behind the runner-up; the weights add up to the scores."""
    found, second = explanation.prediction, explanation.runner_up
    yield from _shares("why these facts", explanation.support, found.support_score, top)
    if second is not None:
        facts = ", ".join(map(str, second.support)) or "none"
        yield from _shares(f"runner-up, facts {facts}", second.contributions, second.score, top)
    yield from _shares("why this answer", explanation.answer, found.score, top)
    others = explanation.other_candidates
    if others:
        named = [
            f"{each.answer}{f' ({each.part})' if each.part else ''} {each.score:+.3f}"
            for each in others[:MOST_CANDIDATES]
        ]
        rest = len(others) - len(named)
        more = f" and {counted(rest, 'other')}" if rest else ""
        yield [("other answers: ", "bold"), (", ".join(named) + more, "")]


def _shares(title: str, parts: Sequence[Contribution], score: float, top: int) -> Iterator[Line]:
    """Yield the features of a score by group, the weightiest first, and an empty line."""
    yield [(f"{title}: {score:+.3f}", "bold")]
    for share in by_group(parts):
        yield [(f"  {share.weight:+.3f} ", ""), (share.name, "cyan")]
        for part in share.parts[:top]:
            yield [(f"    {part.weight:+.3f} {part.words}", "")]
        rest = share.parts[top:]
        if rest:
            weight = sum(part.weight for part in rest)
            yield [(f"    {weight:+.3f} {counted(len(rest), 'other feature')}", "dim")]
    yield []


def _reading(text: str, read: ReadSentence) -> Iterator[Line]:
    if read.text != text:
        yield [(f"       = {read.text}", "green")]
    for frame in read.frames:
        yield [(f"       {frame}", "cyan")]


def _margin(value: float | None) -> str:
    return "without a rival" if value is None else f"{value:.2f}"


def _first(reasons: Sequence[str]) -> str:
    more = len(reasons) - MOST_REASONS
    return "; ".join([*reasons[:MOST_REASONS], *([f"and {more} more"] if more > 0 else [])])
