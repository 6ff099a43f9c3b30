"""How predictions are scored; the same for every system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from babi_cascade.pipeline.stories import Question


class Predicted(Protocol):
    """What is scored of a prediction."""

    @property
    def answer(self) -> str | None:
        """The answer, None where the system has none."""
        ...

    @property
    def support(self) -> tuple[int, ...]:
        """Line numbers of the chosen facts."""
        ...


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
