"""The candidates of an explanation that were not chosen, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from babi_cascade.cascade import Explanation

SHOWN = 5
"""Other candidates of a stage that are shown."""


def others(explanation: Explanation, stage: str) -> list[dict[str, Any]]:
    """Return the candidates of a stage that were not chosen, best first: what, score.

    Parameters
    ----------
    explanation : of the cascade
    stage : "support" (``what`` are line numbers) or "answer" (``what`` is a text, with the part of the
        answer that it belongs to where there are several)
    """
    if stage == "support":
        second = explanation.runner_up
        return [] if second is None else [_told(list(second.support), second.score)]
    chosen = explanation.prediction.answer
    found = [
        _told(f"{each.answer} ({each.part})" if each.part else each.answer, each.score)
        for each in explanation.candidates
        if each.part or each.answer != chosen
    ]
    return found[:SHOWN]


def _told(what: Any, score: float) -> dict[str, Any]:
    return {"what": what, "score": round(score, 4)}
