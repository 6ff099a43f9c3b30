"""Machine code is made before the clock starts.

The kernels of the SVM are compiled at their first call and kept on disk; loading them takes a moment too.
Without this the first task would seem to take longer than it does, and several processes would compile the
same.
"""

from __future__ import annotations

from functools import cache

from babi_cascade.app.experiments.stopping import stopping_for_good
from babi_cascade.features.presets import DEFAULT_PRESET
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question, Sentence


@cache
def warm_up(preset: str = DEFAULT_PRESET) -> None:
    """Train and ask a system about nothing in particular, once in a process for each preset."""
    from babi_cascade.cascade import Cascade

    facts = tuple(Sentence(line, f"{word} is here.") for line, word in enumerate("abcd", start=1))
    questions = [
        Question(5, f"where is {word}?", answer, (line,), facts)
        for line, (word, answer) in enumerate(zip("abcd", "xyxy", strict=True), start=1)
    ]
    system = Cascade(preset=preset, reader=StoryReader())
    with stopping_for_good():
        system.fit(questions)
    system.predict(questions)
