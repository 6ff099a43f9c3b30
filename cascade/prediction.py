"""What the cascade says of a question, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer with the facts it rests on.

    ``support`` holds line numbers in the order in which the facts were chosen. ``score`` is the score of
    the answer and ``margin`` its distance from the runner-up; the same for the supporting facts. A margin is
    None where there was only one candidate.
    """

    answer: str | None
    support: tuple[int, ...] = ()
    score: float = 0.0
    margin: float | None = None
    support_score: float = 0.0
    support_margin: float | None = None
    id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; what is not known is left out."""
        record: dict[str, Any] = {
            "id": self.id,
            "answer": self.answer,
            "support": list(self.support),
            "score": round(self.score, 6),
            "margin": None if self.margin is None else round(self.margin, 6),
            "support_score": round(self.support_score, 6),
            "support_margin": None
            if self.support_margin is None
            else round(self.support_margin, 6),
        }
        return {key: value for key, value in record.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Contribution:
    """One feature's part of a score, in words."""

    group: str
    words: str
    weight: float


@dataclass(frozen=True, slots=True)
class OtherFacts:
    """The second best choice of facts: line numbers, score, and the features that add up to it."""

    support: tuple[int, ...]
    score: float
    contributions: tuple[Contribution, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could have been answered, and its score; ``part`` of the answer where it has several."""

    answer: str
    score: float
    part: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The features behind a prediction: each list adds up to the score it explains.

    ``runner_up`` is the second best choice of facts, None if there is none; ``candidates`` are the answers
    that were compared, the best first.
    """

    prediction: Prediction
    support: tuple[Contribution, ...]
    answer: tuple[Contribution, ...]
    runner_up: OtherFacts | None = None
    candidates: tuple[Candidate, ...] = ()
