"""Replies as lines of text, for a terminal and for a pipe alike; styles are rich's and vanish in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from babi_cascade.app.ask.doubts import LIKELY, SURE, UNKNOWN, UNSURE

if TYPE_CHECKING:
    from babi_cascade.app.ask.conversation import Reply
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence

Line = list[tuple[str, str]]
"""Pieces of text, each with its style."""

STYLES = {SURE: "green", LIKELY: "", UNSURE: "yellow", UNKNOWN: "yellow"}
SHOWN = 3
"""Reasons for doubt that are told to people."""

_INDENT = " " * 10


def reply_lines(reply: Reply) -> Iterator[Line]:
    """Yield answer, facts and margin; or that it is not known, and why."""
    view, verdict = reply.view, reply.verdict
    reasons = _told(verdict.reasons)
    if not verdict.known:
        yield [("  answer  ", "dim"), ("I do not know", "bold yellow"), (f": {reasons}", "")]
        if reply.asked.facts and view["answer"] is not None:
            guess = f"{view['answer']} (margin {figure(view.get('margin'))})"
            yield [("  guess   ", "dim"), (guess, "dim")]
        if view.get("expected") is not None:
            yield [("  truth   ", "dim"), (str(view["expected"]), "dim")]
        return
    told = f"  ({verdict.level}{_judged(reply)})"
    yield [("  answer  ", "dim"), (str(view["answer"]), "bold"), (told, STYLES[verdict.level])]
    if reasons:
        yield [("  but     ", "dim"), (reasons, "yellow")]
    yield from fact_lines(reply)
    margins = f"{figure(view.get('margin'))}, of the facts {figure(view.get('support_margin'))}"
    yield [("  margin  ", "dim"), (margins, "dim")]


def fact_lines(reply: Reply) -> Iterator[Line]:
    """Yield the chosen facts in their order, with what pronouns stand for."""
    source = reply.asked.source
    place = {fact.line: i for i, fact in enumerate(source.facts)}
    support = reply.view["support"]
    if not support:
        yield [("  facts   ", "dim"), ("none", "")]
    for number, line in enumerate(support):
        fact, read = source.facts[place[line]], reply.asked.facts[place[line]]
        shown: Line = [
            ("  facts   " if number == 0 else _INDENT, "dim"),
            (f"{line} {fact.text}", "cyan"),
        ]
        if read.text != fact.text:
            shown.append((f"  = {read.text}", "dim"))
        yield shown


def why_lines(reply: Reply) -> Iterator[Line]:
    """Yield the features behind both choices, group by group, weightiest first."""
    view = reply.view
    for title, stage, total in (
        ("why these facts", "support", view.get("support_score")),
        ("why this answer", "answer", view.get("score")),
    ):
        yield [(f"{title}: {signed(total)}", "bold")]
        for group in view["why"][stage]:
            yield [(f"  {signed(group['weight'])} ", ""), (group["group"], "cyan")]
            for words, weight in group["features"]:
                yield [(f"    {signed(weight)} {words}", "")]
            if "rest" in group:
                count, weight = group["rest"]
                yield [(f"    {signed(weight)} {_rest(count)}", "dim")]
    for name, stage in (("other answers", "answer"), ("other facts", "support")):
        others = view["others"][stage]
        if others:
            told = ", ".join(f"{_what(other['what'])} {signed(other['score'])}" for other in others)
            yield [(f"{name}: ", "bold"), (told, "")]


def frame_lines(asked: ReadQuestion, *, question: bool = True) -> Iterator[Line]:
    """Yield every sentence with what pronouns stand for and its frames."""
    for fact, read in zip(asked.source.facts, asked.facts, strict=True):
        yield [(f"{fact.line} {fact.text}", "")]
        yield from _reading(fact.text, read)
    if question:
        yield [(f"? {asked.source.text}", "bold")]
        yield from _reading(asked.source.text, asked.question)


def figure(value: float | None) -> str:
    """Return a margin; one without a second candidate is said so."""
    return "without a rival" if value is None else f"{value:.2f}"


def signed(value: float | None) -> str:
    """Return a weight with its sign."""
    return "-" if value is None else f"{value:+.3f}"


def _rest(count: int) -> str:
    return "1 other feature" if count == 1 else f"{count} other features"


def _told(reasons: Sequence[str]) -> str:
    """Return the first reasons; programs get them all."""
    more = len(reasons) - SHOWN
    return "; ".join([*reasons[:SHOWN], *([f"and {more} more"] if more > 0 else [])])


def _reading(text: str, read: ReadSentence) -> Iterator[Line]:
    if read.text != text:
        yield [(f"    = {read.text}", "green")]
    for frame in read.frames:
        yield [(f"    {frame}", "cyan")]


def _judged(reply: Reply) -> str:
    if reply.right is None:
        return ""
    return "; right" if reply.right else f"; expected {reply.view['expected']}"


def _what(what: Any) -> str:
    return what if isinstance(what, str) else " ".join(map(str, what)) or "none"
