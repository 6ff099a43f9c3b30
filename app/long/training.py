"""Training questions with sentences between their facts that have nothing to do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.background import Background, hide_among
from babi_cascade.simulation.dice import Dice

SENTENCES = 20
"""Of background in a story."""

POOL = 1400
"""Sentences of the text that are used: each is parsed once, and stories of different ones learn no more."""


def among_background(
    questions: Sequence[Question], background: Background, seed: int
) -> list[Question]:
    """Return the questions, every second one with its facts among others; the rest stay short stories."""
    pool = replace(background, sentences=background.sentences[:POOL])
    return [
        hide_among(asked, pool, SENTENCES, Dice(seed, "training", number).random).question
        if number % 2
        else asked
        for number, asked in enumerate(questions)
    ]
