"""Which prediction belongs to which question: by id, or by order where no id is common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from babi_cascade.app.results.predictions import SavedPrediction
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.wording import some_of

BY_ID, BY_ORDER = "id", "order"
OFFICIAL = re.compile(r"qa\d+-(train|valid|test)-\d+-\d+")
"""Ids that files with official names give to their questions: task, split, story, line.

Where both sides have such ids they could agree. Others (``stdin-…``, the name of a file) tell where a
question was read, and are different for the same question read elsewhere.
"""


def match(
    predictions: Sequence[SavedPrediction],
    questions: Sequence[Question],
    *,
    missing_is_wrong: bool = False,
    advice: str = "--missing wrong counts them as wrong",
) -> tuple[str, list[SavedPrediction]]:
    """Return how they were matched, and the prediction of every question."""
    ids = [said.id for said in predictions if said.id]
    wanted = [question.id or "" for question in questions]
    if ids == wanted:
        return BY_ID, [said for said in predictions if said.id]
    if not set(ids) & set(wanted):
        official = [each for each in ids if OFFICIAL.fullmatch(each)]
        if official and any(OFFICIAL.fullmatch(each) for each in wanted):
            raise UserError(
                f"predictions of other questions: found {some_of(official)}, expected {some_of(wanted)}"
            )
        if len(predictions) != len(questions):
            raise UserError(
                f"found {len(predictions)} predictions for {len(questions)} questions, and no id in "
                f"common (predictions: {some_of(ids)}; questions: {some_of(wanted)}); without common ids "
                "there must be one prediction a question, in the same order"
            )
        return BY_ORDER, list(predictions)
    for name, listed in (("predictions", ids), ("questions", wanted)):
        twice = [each for each, count in Counter(listed).items() if count > 1]
        if twice:
            raise UserError(f"the {name} have ids that occur twice: {some_of(twice)}")
    extra = [each for each in ids if each not in set(wanted)]
    if extra:
        raise UserError(
            f"{len(extra)} of {len(ids)} predictions are of questions that are not there: {some_of(extra)}"
        )
    by_id = {said.id: said for said in predictions}
    missing = [each for each in wanted if each not in by_id]
    if missing and not missing_is_wrong:
        raise UserError(
            f"{len(missing)} of {len(wanted)} questions have no prediction: {some_of(missing)}; "
            f"{advice}"
        )
    return BY_ID, [by_id.get(each, SavedPrediction(each, None)) for each in wanted]
