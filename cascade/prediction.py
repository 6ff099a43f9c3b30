"""What the cascade answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babi_cascade.cascade.doubt import Verdict


@dataclass(frozen=True, slots=True)
class Prediction:
    """An answer with the facts it rests on.

    ``support`` holds line numbers in the order in which the facts were chosen. ``score`` is the score of
    the answer and ``margin`` its distance from the runner-up; the same for the supporting facts. A margin is
    None where there was only one candidate. ``verdict`` says how sure the answer is, None where nobody asked;
    the answer stands here even where the verdict is "unknown". ``facts_learned`` says that training learned
    facts from answers: other facts may prove the same.
    """

    answer: str | None
    support: tuple[int, ...] = ()
    score: float = 0.0
    margin: float | None = None
    support_score: float = 0.0
    support_margin: float | None = None
    id: str | None = None
    verdict: Verdict | None = None
    facts_learned: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the JSON form; what is not known is left out."""
        record: dict[str, Any] = {
            "id": self.id,
            "answer": self.answer,
            "support": list(self.support),
            "facts_learned": self.facts_learned or None,
            "score": round(self.score, 6),
            "margin": None if self.margin is None else round(self.margin, 6),
            "support_score": round(self.support_score, 6),
            "support_margin": None
            if self.support_margin is None
            else round(self.support_margin, 6),
            "verdict": None if self.verdict is None else self.verdict.level,
            "reasons": None if self.verdict is None else list(self.verdict.reasons) or None,
        }
        return {key: value for key, value in record.items() if value is not None}
