"""Stories for training, told by the simulation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from babi_cascade.app.experiments.data import DataSource
from babi_cascade.pipeline.stories import Question

Told = Callable[[int, int], tuple[list[Question], list[Question]]]


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Give training and test questions of a task, as many as asked for."""
    kept: dict[tuple[int, int], tuple[list[Question], list[Question]]] = {}

    def tell(task: int, questions: int) -> tuple[list[Question], list[Question]]:
        if (task, questions) not in kept:
            folder: Path = tmp_path_factory.mktemp("stories")
            source = DataSource(tasks=[task], questions=questions, seed=3)
            (data,) = source.load(folder)
            kept[task, questions] = (list(data.train), list(data.test))
        return kept[task, questions]

    return tell
