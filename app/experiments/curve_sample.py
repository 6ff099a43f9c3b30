"""Which stories a small training set has: whole ones, and a smaller set is part of every larger one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from babi_cascade.app.experiments.compare_systems import Material, questions_of
from babi_cascade.app.experiments.errors import TrackError
from babi_cascade.app.experiments.reading import ReadTask
from babi_cascade.comparison.system import story_numbers


def nested_samples(task: Material, sizes: Sequence[int], seed: int) -> dict[int, tuple[int, ...]]:
    """Return for each size the places of the training questions, in the order of the file.

    Stories are drawn in one order for all sizes; as many of them are taken as have no more questions
    together than the size says. A size beyond all questions takes all.
    """
    stories: dict[int, list[int]] = {}
    for place, story in enumerate(story_numbers(questions_of(task.train)).tolist()):
        stories.setdefault(story, []).append(place)
    drawn = list(stories.values())
    random.Random(seed).shuffle(drawn)
    samples = {}
    for size in sizes:
        taken: list[int] = []
        for places in drawn:
            if len(taken) + len(places) > size:
                break
            taken += places
        if not taken:
            raise TrackError(
                f"--sizes: {size} is less than the {len(drawn[0])} questions of a story of task "
                f"{task.task}; stories are taken whole"
            )
        samples[size] = tuple(sorted(taken))
    return samples


def sampled(task: Material, places: Sequence[int]) -> Material:
    """Return a task with fewer training questions and the same test questions."""
    if isinstance(task, ReadTask):
        return replace(task, train=tuple(task.train[place] for place in places))
    return replace(task, train=tuple(task.train[place] for place in places))


def sizes_in(text: str) -> tuple[int, ...]:
    """Read sizes separated by commas; they come back once each, in order."""
    try:
        sizes = sorted({int(part) for part in text.split(",") if part.strip()})
    except ValueError:
        sizes = []
    if not sizes or sizes[0] < 1:
        raise TrackError(f"--sizes: found {text!r}, expected numbers from 1 such as 25,50,100")
    return tuple(sizes)
