"""The questions of runs as small as they can be: every text once, stories once, rows of numbers.

A page with 20 000 questions must open at once. A row is ``[id, story, facts, line, text, answer, expected,
support, true support, score, margin, support score, support margin]``; texts are numbers of ``texts`` (-1:
none), ``story`` is a number of the task's ``stories`` (lists of line, text, line, text, …), of which the
first ``facts`` sentences stand before the question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from babi_cascade.app.report.folders import Run
from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.pipeline.stories import Prefix, Question
from babi_cascade.pipeline.stories.strict_json import json_text, read_json

Row = list[Any]
Record = dict[str, Any]
"""An explanation in its JSON form."""

MOST_CANDIDATES = 6
"""Candidates of an explanation that the page shows, the answer itself among them."""


@dataclass
class RunQuestions:
    """What is known of the questions of a run.

    ``missing`` says why there are no stories, ``unexplained`` why there are no explanations.
    """

    run: Run
    predictions: Mapping[int, Sequence[SavedPrediction]]
    questions: Mapping[int, Mapping[str, Question]] = field(default_factory=dict)
    explained: Mapping[int, Mapping[str, Record]] = field(default_factory=dict)
    missing: str = ""
    unexplained: str = ""


def packed(runs: Sequence[RunQuestions]) -> dict[str, Any]:
    """Return the data of the explorer."""
    texts, readings = Numbered(), Numbered()
    found = [_run(asked, texts, readings) for asked in runs if asked.predictions]
    return {
        "texts": texts.items,
        "readings": [read_json(item) for item in readings.items],
        "runs": found,
    }


class Numbered:
    """Texts, each once, by the number of their first appearance."""

    def __init__(self) -> None:
        self.items: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str | None) -> int:
        """Return the number of a text, -1 for None."""
        if text is None:
            return -1
        number = self._numbers.setdefault(text, len(self.items))
        if number == len(self.items):
            self.items.append(text)
        return number


def _run(asked: RunQuestions, texts: Numbered, readings: Numbered) -> dict[str, Any]:
    names = {task.task: task.name for task in asked.run.tasks}
    record: dict[str, Any] = {
        "name": asked.run.name,
        "parts": [
            _part(
                task, names.get(task, ""), predictions, asked.questions.get(task, {}),
                asked.explained.get(task, {}), texts, readings,
            )
            for task, predictions in asked.predictions.items()
        ],
    }  # fmt: skip
    if asked.missing:
        record["missing"] = asked.missing
    if asked.unexplained:
        record["unexplained"] = asked.unexplained
    return record


def _part(
    task: int, name: str, predictions: Sequence[SavedPrediction], questions: Mapping[str, Question],
    explained: Mapping[str, Record], texts: Numbered, readings: Numbered,
) -> dict[str, Any]:  # fmt: skip
    stories = Stories(texts)
    for each in predictions:
        if each.id in questions:
            stories.add(questions[each.id])
    return {
        "task": task,
        "name": name,
        "rows": [_row(each, questions.get(each.id), stories, texts) for each in predictions],
        "stories": stories.packed(),
        "explained": {id: _explained(each, readings) for id, each in explained.items()},
    }


class Stories:
    """The stories of a task: questions of one story share its sentences."""

    def __init__(self, texts: Numbered) -> None:
        self._texts = texts
        self._numbers: dict[Any, int] = {}
        self._longest: list[Sequence[Any]] = []

    def add(self, question: Question) -> int:
        """Return the number of the story of a question."""
        facts = question.facts
        key = facts.story if isinstance(facts, Prefix) else tuple(facts)
        number = self._numbers.setdefault(key, len(self._longest))
        if number == len(self._longest):
            self._longest.append(facts)
        elif len(facts) > len(self._longest[number]):
            self._longest[number] = facts
        return number

    def packed(self) -> list[list[int]]:
        """Return every story as line, text, line, text, …"""
        return [
            [number for fact in facts for number in (fact.line, self._texts.number(fact.text))]
            for facts in self._longest
        ]


def _row(found: SavedPrediction, asked: Question | None, stories: Stories, texts: Numbered) -> Row:
    row: Row = [found.id, -1, 0, 0, -1, texts.number(found.answer), -1, list(found.support), None]
    if asked is not None:
        row[1:5] = [
            stories.add(asked), len(asked.facts), asked.line, texts.number(asked.text),
        ]  # fmt: skip
        row[6] = texts.number(asked.answer)
        row[8] = None if asked.support is None else list(asked.support)
    scores = (found.score, found.margin, found.support_score, found.support_margin)
    return row + [None if score is None else round(score, 3) for score in scores]


def _explained(explanation: Record, readings: Numbered) -> Record:
    """Return what only a model can say of a question; readings of sentences become numbers."""
    kept = ("verdict", "reasons", "why")
    record: Record = {name: explanation[name] for name in kept if name in explanation}
    record["candidates"] = explanation["candidates"][:MOST_CANDIDATES]
    second = explanation.get("runner_up")
    if second is not None:
        record["runner_up"] = {name: second[name] for name in ("support", "score")}
    sentences = [_reading(fact) for fact in explanation["story"]]
    record["readings"] = [
        readings.number(json_text(each)) for each in (*sentences, explanation.get("reading", {}))
    ]
    return record


def _reading(fact: Record) -> Record:
    return {name: value for name, value in fact.items() if name not in ("line", "text", "chosen")}
