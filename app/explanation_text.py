"""Explanations as lines of text, for a terminal and a pipe alike; styles are rich's and vanish in a pipe."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from babi_cascade.cascade.doubt import LIKELY, SURE, UNKNOWN, UNSURE
from babi_cascade.cascade.explanation import TOP, Contribution, by_group
from babi_cascade.pipeline.stories.wording import counted

if TYPE_CHECKING:
    from babi_cascade.cascade import Explanation
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

Line = list[tuple[str, str]]
"""Pieces of text, each with its style."""

NAMED = 0.0005
"""Less than this would be shown as 0.000."""

MOST_CANDIDATES = 12
MOST_REASONS = 3
"""Reasons for doubt that are told to people; programs get them all."""

_STYLES = {SURE: "green", LIKELY: "", UNSURE: "yellow", UNKNOWN: "yellow"}
_INDENT = " " * 10
_BRACKETS = re.compile(r"\s*\([^()]*\)")


def explanation_lines(
    explanation: Explanation, top: int = TOP, *, every: bool = False
) -> Iterator[Line]:
    """Yield the facts as they were read, the answer, and why; with ``every`` story and features in full."""
    used = {id(each.read): each.used for each in (*explanation.facts, explanation.question)}
    yield from story_lines(
        explanation.asked, explanation.prediction.support, others=every,
        used=lambda read: used.get(id(read), ""),
    )  # fmt: skip
    yield []
    yield from answer_lines(explanation)
    yield []
    yield from why_lines(explanation, None if every else top)


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
    if found.facts_learned and found.support:
        yield [(_INDENT, "dim"), ("(learned from answers: others may prove the same)", "dim")]
    yield from state_lines(explanation)
    margins = f"{_margin(found.margin)}, of the facts {_margin(found.support_margin)}"
    yield [("  margin  ", "dim"), (margins, "dim")]


def state_lines(explanation: Explanation) -> Iterator[Line]:
    """Yield what the state of the world says, and the pointers that it rests on."""
    state = explanation.state
    if state is None or not state.says:
        return
    yield [("  state   ", "dim"), (state.says, "")]
    for stay in state.to_json()["stays"]:
        if stay["decisive"]:
            said = f"since {stay['line']} {stay['entity']} is with or at {stay['anchor']}"
            yield [(_INDENT, "dim"), (said, "cyan"), (f" (learned: {stay['why']})", "dim")]


def story_lines(
    asked: ReadQuestion, support: Sequence[int] = (), *, all_frames: bool = False, question: bool = True,
    others: bool = True, used: Callable[[ReadSentence], str] = lambda read: "",
) -> Iterator[Line]:  # fmt: skip
    """Yield the story with the chosen facts numbered, and how sentences were read.

    Frames stand below the chosen facts and the question, with ``all_frames`` below every sentence, and
    below them what the features look at (``used``). Without ``others`` only the chosen facts are told.
    """
    for fact, read in zip(asked.source.facts, asked.facts, strict=True):
        chosen = fact.line in support
        if not (chosen or others):
            continue
        mark = f"{support.index(fact.line) + 1}>" if chosen else "  "
        yield [(f"{mark} ", "bold"), (f"{fact.line} {fact.text}", "cyan" if chosen else "")]
        if chosen or all_frames:
            yield from _reading(fact.text, read, used(read))
    if question:
        yield [(" ? ", "bold"), (f"{asked.source.line} {asked.source.text}", "bold")]
        yield from _reading(asked.source.text, asked.question, used(asked.question))


def why_lines(explanation: Explanation, top: int | None = TOP) -> Iterator[Line]:
    """Yield the features behind both choices and the runner-up; the weights add up to the scores.

    With ``top`` so many reasons are told, what is nearly the same as one of them; None tells every feature of
    every group, of the runner-up too.
    """
    found, second = explanation.prediction, explanation.runner_up
    yield from _why("why these facts", explanation.support, found.support_score, top)
    if second is not None:
        title = f"runner-up, facts {', '.join(map(str, second.support)) or 'none'}"
        if top is None:
            yield from _why(title, second.contributions, second.score, top)
        else:
            yield [(f"{title}: {second.score:+.3f}", "bold")]
            yield []
    yield from _why("why this answer", explanation.answer, found.score, top)
    others = explanation.other_candidates
    if others:
        most = len(others) if top is None else min(top, MOST_CANDIDATES)
        named = [
            f"{each.answer}{f' ({each.part})' if each.part else ''} {each.score:+.3f}"
            for each in others[:most]
        ]
        rest = len(others) - len(named)
        more = f" and {counted(rest, 'other')}" if rest else ""
        yield [("other answers: ", "bold"), (", ".join(named) + more, "")]


def _why(
    title: str, parts: Sequence[Contribution], score: float, top: int | None
) -> Iterator[Line]:
    """Yield what a score consists of, the weightiest first, and an empty line."""
    yield [(f"{title}: {score:+.3f}", "bold")]
    if top is None:
        for share in by_group(parts):
            yield [(f"  {share.weight:+.3f} ", ""), (share.name, "cyan")]
            for part in share.parts:
                yield [(f"    {part.weight:+.3f} {part.words}", "")]
    else:
        told = _reasons(parts)
        top = min(top, sum(abs(reason.weight) >= NAMED for reason in told))
        for reason in told[:top]:
            yield [
                (f"  {reason.weight:+.3f} ", ""),
                (reason.group, "cyan"),
                (f": {reason.words}", ""),
            ]
        rest = told[top:]
        if rest:
            weight = sum(part.weight for part in rest)
            yield [(f"  {weight:+.3f} {counted(len(rest), 'other reason')}", "dim")]
    yield []


def _reasons(parts: Sequence[Contribution]) -> list[Contribution]:
    """Return reasons, the weightiest first: the features that say nearly the same are one of them.

    They are of the same group and differ in what they add in brackets or behind a comma. The shortest says
    what they have in common.
    """
    alike: dict[tuple[str, str], list[Contribution]] = {}
    for part in parts:
        core = _bare(part.words).partition(",")[0]
        alike.setdefault((part.group, core), []).append(part)
    reasons = []
    for (group, _), own in alike.items():
        said = min((_bare(part.words) if len(own) > 1 else part.words for part in own), key=len)
        reasons.append(Contribution(group, said, sum(part.weight for part in own)))
    return sorted(reasons, key=lambda each: (-abs(each.weight), each.group, each.words))


def _bare(words: str) -> str:
    """Return words without what stands in brackets, which may stand in brackets themselves."""
    while words != (less := _BRACKETS.sub("", words)):
        words = less
    return words


def _reading(text: str, read: ReadSentence, used: str) -> Iterator[Line]:
    if read.text != text:
        yield [(f"       = {read.text}", "green")]
    for frame in read.frames:
        yield [(f"       {frame}", "cyan")]
    if used:
        yield [(f"       used: {used}", "dim")]


def _margin(value: float | None) -> str:
    return "without a rival" if value is None else f"{value:.2f}"


def _first(reasons: Sequence[str]) -> str:
    more = len(reasons) - MOST_REASONS
    return "; ".join([*reasons[:MOST_REASONS], *([f"and {more} more"] if more > 0 else [])])
