"""Predictions: how they are scored, the same for every system, and how files of them are read."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from babi_cascade.cascade.prediction import Prediction
from babi_cascade.pipeline.stories import Question, StoryError
from babi_cascade.pipeline.stories.errors import shown
from babi_cascade.pipeline.stories.lines import Origin, opened, read_lines
from babi_cascade.pipeline.stories.strict_json import JsonError, read_json

LONGEST_HEAD = 1000
"""Characters of the first line of a CSV file, at most."""

SCORES = ("score", "margin", "support_score", "support_margin")


@dataclass(frozen=True, slots=True)
class SavedPrediction:
    """What a line of a predictions file says; ``id`` is empty where there is none, ``answer`` None."""

    id: str
    answer: str | None
    support: tuple[int, ...] = ()
    score: float | None = None
    margin: float | None = None
    support_score: float | None = None
    support_margin: float | None = None


Predicted = Prediction | SavedPrediction
"""What is scored: made here, or read from a file."""


def accuracy(predictions: Sequence[Predicted], questions: Sequence[Question]) -> float:
    """Return the share of questions whose answer is right, word for word.

    Of an answer that is a list, all items must be right and in the order of the file: as in the paper,
    nothing is given for half of it.
    """
    right = sum(
        predicted.answer is not None and predicted.answer == asked.answer
        for predicted, asked in zip(predictions, questions, strict=True)
    )
    return right / len(questions) if questions else 0.0


def support_accuracy(
    predictions: Sequence[Predicted], questions: Sequence[Question]
) -> float | None:
    """Return the share of questions whose facts are exactly the true ones, whatever their order.

    Only questions whose supporting facts are known count; None when there are none. True facts are
    compared as they are: a system that selects at most three is wrong where more are needed.
    """
    known = [
        (predicted.support, asked.support)
        for predicted, asked in zip(predictions, questions, strict=True)
        if asked.support is not None
    ]
    right = sum(set(chosen) == set(true) for chosen, true in known)
    return right / len(known) if known else None


def read_predictions(origin: Origin, name: str) -> list[SavedPrediction]:
    """Read a file as `predict` writes it, one JSON object a line, or CSV with a column called answer.

    A line that is neither is named.
    """
    lines: list[tuple[int, str]] = []
    with opened(origin, name) as stream:
        for number, text in read_lines(stream, name):
            if isinstance(text, StoryError):
                raise text
            if text.strip():
                lines.append((number, text))
    columns = _columns(lines[0][1]) if lines else None
    if columns is None and name.lower().endswith((".csv", ".tsv")):
        found = shown(lines[0][1]) if lines else "nothing"
        raise StoryError(name, 1, f"{found:.60}", "the names of the columns, one of them answer")
    if columns is None:
        return [_prediction(_record(text, name, number), name, number) for number, text in lines]
    return [
        _prediction(_cells(text, columns, name, number), name, number) for number, text in lines[1:]
    ]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The names of the columns of a CSV file, and what stands between them."""

    names: tuple[str, ...]
    mark: str


def _columns(head: str) -> _Columns | None:
    """Return the columns that the first line of a file names; None if it is no CSV."""
    if len(head) > LONGEST_HEAD or head.lstrip().startswith("{"):
        return None
    for mark in (",", "\t", ";"):
        (names,) = csv.reader([head], delimiter=mark)
        named = tuple(name.strip().lower() for name in names)
        if "answer" in named:
            return _Columns(named, mark)
    return None


def _cells(text: str, columns: _Columns, name: str, number: int) -> dict[str, Any]:
    try:
        (cells,) = csv.reader([text], delimiter=columns.mark)
    except csv.Error as error:
        raise StoryError(name, number, f"no CSV ({error})", "one prediction a line") from None
    if len(cells) != len(columns.names):
        expected = f"{len(columns.names)} cells, as in the first line"
        raise StoryError(name, number, f"{len(cells)} cells", expected)
    found = dict(zip(columns.names, map(str.strip, cells), strict=True))
    support = found.get("support", "").split()
    known = all(line.isdecimal() and len(line) < 10 for line in support)
    return {
        "id": found.get("id") or None,
        "answer": found["answer"] or None,
        "support": [int(line) for line in support] if known else found["support"],
    }


def _record(text: str, name: str, number: int) -> Any:
    try:
        return read_json(text)
    except JsonError as error:
        raise StoryError(name, number, error.found, error.expected) from None


def _prediction(record: Any, name: str, number: int) -> SavedPrediction:
    if not isinstance(record, dict) or record.keys().isdisjoint({"id", "answer", "error"}):
        raise StoryError(name, number, "no answer", "an object with answer or error")
    asked, answer, support = (record.get(key) for key in ("id", "answer", "support"))
    for key, good in (
        ("id", asked is None or isinstance(asked, (str, int))),
        ("answer", answer is None or isinstance(answer, str)),
        ("support", support is None or _is_lines(support)),
    ):
        if not good:
            raise StoryError(name, number, f"a wrong {key}", "an id, an answer, line numbers")
    return SavedPrediction(
        "" if asked is None else str(asked),
        None if "error" in record else answer,
        tuple(support or ()),
        *(value if type(value := record.get(score)) in (int, float) else None for score in SCORES),
    )


def _is_lines(value: Any) -> bool:
    return isinstance(value, list) and all(type(line) is int for line in value)
