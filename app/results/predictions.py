"""Files of predictions, as `run` and `predict` write them or another system does: one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from babi_cascade.pipeline.stories import StoryError
from babi_cascade.pipeline.stories.lines import Origin, opened, read_lines
from babi_cascade.pipeline.stories.strict_json import JsonError, read_json

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


def read_predictions(origin: Origin, name: str) -> list[SavedPrediction]:
    """Read a file of predictions; a line that is none is named."""
    with opened(origin, name) as stream:
        return [
            _prediction(text, name, number)
            for number, text in read_lines(stream, name)
            if not isinstance(text, str) or text.strip()
        ]


def _prediction(text: str | StoryError, name: str, number: int) -> SavedPrediction:
    if isinstance(text, StoryError):
        raise text
    try:
        record: Any = read_json(text)
    except JsonError as error:
        raise StoryError(name, number, f"no JSON ({error})", "one prediction a line") from None
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
