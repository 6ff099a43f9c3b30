"""Predictions beside the true answers: which belongs to which, and how many are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babi_cascade.app.batch.questions import questions_of
from babi_cascade.app.results.label_set import is_right, labels_of
from babi_cascade.app.results.matching import match
from babi_cascade.app.results.predictions import SavedPrediction, accuracy, support_accuracy
from babi_cascade.app.results.records import mean
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.tasks import task_of


@dataclass(frozen=True, slots=True)
class FileScore:
    """The figures of one file of true answers."""

    file: str
    task: int | None
    questions: int
    accuracy: float
    support_accuracy: float | None
    unanswered: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Score:
    """Figures over all questions, by file, and which answer was given for which."""

    matched_by: str
    total: FileScore
    files: tuple[FileScore, ...]
    confusion: Mapping[tuple[str, str | None], int]

    @property
    def nearly_right(self) -> int:
        """How many answers are wrong only by case, a full stop, or blanks behind commas."""
        return sum(
            count
            for (expected, given), count in self.confusion.items()
            if given is not None and given != expected and _plain(given) == _plain(expected)
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form."""
        whole = self.total
        return {
            "matched_by": self.matched_by,
            "questions": whole.questions,
            "accuracy": whole.accuracy,
            "support_accuracy": whole.support_accuracy,
            "unanswered": whole.unanswered,
            "mean_accuracy": mean(score.accuracy for score in self.files),
            "files": [score.to_json() for score in self.files],
            "confusion": [
                {"expected": expected, "predicted": predicted, "count": count}
                for (expected, predicted), count in self.confusion.items()
            ],
        }


def score_predictions(
    predictions: Sequence[SavedPrediction], gold: Mapping[str, Sequence[Question]], *,
    missing_is_wrong: bool = False, label_set: bool = False,
) -> Score:  # fmt: skip
    """Match predictions with the questions of files, by id where ids agree, and count.

    With ``label_set`` an answer is what a language model said, and counts by the labels that it names.
    """
    every = [question for questions in gold.values() for question in questions]
    for question in every:
        if question.answer is None:
            raise UserError(f"the question {question.id} has no answer to compare with")
    matched_by, found = match(predictions, every, missing_is_wrong=missing_is_wrong)
    if label_set:
        found = _named(found, gold)
    facts = any(said.support for said in found)
    scores, start = [], 0
    for file, questions in gold.items():
        scores.append(_file_score(file, found[start : start + len(questions)], questions, facts))
        start += len(questions)
    confusion = Counter(
        (question.answer or "", said.answer) for said, question in zip(found, every, strict=True)
    )
    ordered = sorted(confusion.items(), key=lambda item: (-item[1], item[0][0], item[0][1] or ""))
    return Score(matched_by, _file_score("all", found, every, facts), tuple(scores), dict(ordered))


def gold_questions(paths: Iterable[tuple[str, str]]) -> dict[str, list[Question]]:
    """Return the questions of files, given as a name and a path each; a file without any is refused."""
    found = {name: list(questions_of(path)) for name, path in paths}
    for name, questions in found.items():
        if not questions:
            raise UserError(f"{name}: found no questions with answers, expected at least one")
    return found


def _named(
    found: Sequence[SavedPrediction], gold: Mapping[str, Sequence[Question]]
) -> list[SavedPrediction]:
    """Put the true answer in the place of what is right by the labels of its file."""
    said = iter(found)
    named = []
    for questions in gold.values():
        labels = labels_of(asked.answer or "" for asked in questions)
        for asked, each in zip(questions, said, strict=False):
            right = is_right(asked.answer or "", each.answer or "", asked.text, labels)
            same = each.answer == asked.answer and not right
            answer = asked.answer if right else None if same else each.answer
            named.append(replace(each, answer=answer))
    return named


def _plain(answer: str) -> tuple[str, ...]:
    return tuple(item.strip(" .!\"'").casefold() for item in answer.split(","))


def _file_score(
    file: str, found: Sequence[SavedPrediction], questions: Sequence[Question], facts: bool
) -> FileScore:
    """Return the figures of a file; a system that names no ``facts`` is not scored on them."""
    task = task_of(Path(file))
    return FileScore(
        file=file,
        task=None if task is None else task.number,
        questions=len(questions),
        accuracy=accuracy(found, questions),
        support_accuracy=support_accuracy(found, questions) if facts else None,
        unanswered=sum(said.answer is None for said in found),
    )
