"""The command that shows why a question was answered as it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from babi_cascade.app.cli.group import ExampleCommand
from babi_cascade.app.cli.options import (
    CACHE,
    PLACES,
    all_of,
    cache_of,
    longest_story_option,
    model_option,
    places_of,
)
from babi_cascade.app.cli.outlet import say
from babi_cascade.app.cli.stories import json_option
from babi_cascade.app.cli.terminal import counted, notice, print_json

if TYPE_CHECKING:
    from babi_cascade.cascade import Contribution, Explanation
    from babi_cascade.pipeline.read import ReadQuestion, ReadSentence
    from babi_cascade.pipeline.stories import Question

MOST_CANDIDATES = 12
Groups = list[tuple[str, float, list["Contribution"]]]


@click.command(
    cls=ExampleCommand,
    example="babi-cascade explain -m qa1.model stories/qa1_single-supporting-fact_test.txt --question 3",
)
@click.argument("path", metavar="FILE|-")
@model_option
@click.option("--question", "wanted", default="1", show_default=True, metavar="N|ID",
              help="Which question of the file: its number, or the id of its prediction.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), default=5, show_default=True,
              help="How many features of each group are named; the others are summed up.")  # fmt: skip
@json_option
@longest_story_option
@all_of(*PLACES, *CACHE)
def explain(
    path: str, model: Path, wanted: str, top: int, as_json: bool, longest_story: int | None,
    **chosen: Any,
) -> None:  # fmt: skip
    """Show the facts, the answer, and the features that decided, group by group.

    The weights of a list add up to its score. FILE is a story file (bAbI text or JSONL). Back ends
    are those of the training; where SENNA, a server or annotations are is said again.
    """
    from babi_cascade.app.batch.model import ModelChoice
    from babi_cascade.app.batch.questions import questions_of

    choice = ModelChoice(model, places_of(chosen), cache_of(chosen), longest_story)
    cascade = choice.load(notice)
    stream = sys.stdin.buffer if path == "-" else None
    asked_there = questions_of(path, stream=stream, unanswered=True)
    question = the_question([each.question for each in asked_there], wanted, path)
    assert cascade.reader is not None
    (asked,) = cascade.reader.read([question])
    explanation = cascade.explain_read(asked)
    if as_json:
        print_json(record_of(asked, explanation))
    else:
        for line in listing(asked, explanation, top):
            say(line)


def the_question(questions: Sequence[Question], wanted: str, path: str) -> Question:
    """Return the question of a number or an id; where a number is both, it counts."""
    from babi_cascade.pipeline.stories.errors import shown

    is_number = wanted.isdecimal() and len(wanted) < 10
    if is_number and 1 <= int(wanted) <= len(questions):
        return questions[int(wanted) - 1]
    named = [question for question in questions if question.id == wanted]
    if len(named) == 1:
        return named[0]
    found = counted(len(named) or len(questions), "question")
    if named:
        raise click.UsageError(f"{path}: found {found} with the id {shown(wanted)}, expected one")
    if is_number and int(wanted):
        raise click.UsageError(f"{path}: found {found}, expected at least {int(wanted)}")
    first = f" (the first is {shown(questions[0].id or '')})" if questions else ""
    raise click.UsageError(
        f"{path}: found {found}{first}, expected one with the number or id {shown(wanted)}"
    )


def listing(asked: ReadQuestion, explanation: Explanation, top: int) -> Iterator[str]:
    """Yield the lines that a person reads."""
    found, source = explanation.prediction, asked.source
    for fact, sentence in zip(source.facts, asked.facts, strict=True):
        place = found.support.index(fact.line) + 1 if fact.line in found.support else None
        yield f"{'  ' if place is None else f'{place}>'} {fact.line} {fact.text}"
        if place is not None:
            yield from reading(fact.text, sentence)
    yield f" ? {source.line} {source.text}"
    yield from reading(source.text, asked.question)
    yield ""
    expected = ""
    if source.answer is not None:
        right = source.answer == found.answer
        expected = " (right)" if right else f" (expected: {source.answer})"
    facts = ", ".join(map(str, found.support)) or "none"
    yield f"answer  {found.answer}{expected}; {figures(found.score, found.margin)}"
    yield f"facts   {facts}; {figures(found.support_score, found.support_margin)}"
    yield from weighed("why these facts", explanation.support, found.support_score, top)
    second = explanation.runner_up
    if second is not None:
        facts = ", ".join(map(str, second.support)) or "none"
        title = f"runner-up, facts {facts}"
        yield from weighed(title, second.contributions, second.score, top)
    yield from weighed("why this answer", explanation.answer, found.score, top)
    if len(explanation.candidates) > 1:
        yield ""
        yield "candidates:"
        for each in explanation.candidates[:MOST_CANDIDATES]:
            yield f"  {each.score:+.3f} {each.answer}" + (f" ({each.part})" if each.part else "")
        rest = len(explanation.candidates) - MOST_CANDIDATES
        if rest > 0:
            yield f"  and {counted(rest, 'other')}"


def weighed(title: str, parts: Sequence[Contribution], total: float, top: int) -> Iterator[str]:
    """Yield the features of a score by group, the weightiest first."""
    yield ""
    yield f"{title}: {total:+.3f}"
    for group, worth, members in by_group(parts):
        yield f"  {worth:+.3f} {group}"
        for part in members[:top]:
            yield f"    {part.weight:+.3f} {part.words}"
        rest = members[top:]
        if rest:
            others = sum(part.weight for part in rest)
            yield f"    {others:+.3f} {counted(len(rest), 'other feature')}"


def reading(text: str, sentence: ReadSentence) -> Iterator[str]:
    """Yield what the reading stages made of a sentence."""
    if sentence.text != text:
        yield f"       = {sentence.text}"
    for frame in sentence.frames:
        yield f"       {frame}"


def figures(score: float, margin: float | None) -> str:
    """Return a score and how far the runner-up is."""
    return f"score {score:.3f}, " + (
        "no other candidate" if margin is None else f"{margin:.3f} before the next"
    )


def by_group(parts: Sequence[Contribution]) -> Groups:
    """Return each group with its sum and its features, the weightiest first."""
    groups: dict[str, list[Contribution]] = {}
    for part in parts:
        groups.setdefault(part.group, []).append(part)
    summed = [(name, sum(p.weight for p in members), members) for name, members in groups.items()]
    return sorted(summed, key=lambda group: (-abs(group[1]), group[0]))


def record_of(asked: ReadQuestion, explanation: Explanation) -> dict[str, Any]:
    """Return everything for programs; weights are not rounded."""
    source = asked.source
    return {
        "question": source.text,
        "expected": source.answer,
        "prediction": explanation.prediction.to_json(),
        "story": [
            {
                "line": fact.line,
                "text": fact.text,
                "read_as": sentence.text,
                "frames": [frame.to_json() for frame in sentence.frames],
            }
            for fact, sentence in zip(source.facts, asked.facts, strict=True)
        ],
        "read_as": asked.question.text,
        "frames": [frame.to_json() for frame in asked.question.frames],
        "support": grouped(explanation.support),
        "answer": grouped(explanation.answer),
        "runner_up": None
        if explanation.runner_up is None
        else {
            "support": list(explanation.runner_up.support),
            "score": explanation.runner_up.score,
            "features": grouped(explanation.runner_up.contributions),
        },
        "candidates": [
            {"answer": each.answer, "score": each.score}
            | ({"part": each.part} if each.part else {})
            for each in explanation.candidates
        ],
    }


def grouped(parts: Sequence[Contribution]) -> list[dict[str, Any]]:
    """Return contributions by group, for programs."""
    return [
        {
            "group": group,
            "weight": worth,
            "features": [{"words": p.words, "weight": p.weight} for p in members],
        }
        for group, worth, members in by_group(parts)
    ]
