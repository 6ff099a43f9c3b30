"""Counting all measures over a sample of stories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from babi_cascade.app.fidelity.distances import Floats
from babi_cascade.app.fidelity.forms import Reader
from babi_cascade.app.fidelity.measures import MEASURES, Measure
from babi_cascade.pipeline.stories import Story


class Tally:
    """Which categories each measure found in which story of a sample.

    Parameters
    ----------
    stories : the sample; needed again only for examples of forms
    reader : knows the language of the task
    """

    def __init__(self, stories: Sequence[Story], reader: Reader) -> None:
        self.stories = stories
        self.reader = reader
        self.size = len(stories)
        self.questions = sum(len(story.questions) for story in stories)
        self.supported = any(q.support is not None for story in stories for q in story.questions)
        self._found = {measure.name: self._count(measure) for measure in MEASURES}

    def _count(self, measure: Measure) -> tuple[list[int], list[str]]:
        """List the numbers of the stories and what was found in them, one entry for each find."""
        where: list[int] = []
        what: list[str] = []
        # A file ends with its last question, in the middle of a story as likely as not.
        cut = self.size - 1 if measure.whole_story and self.size > 1 else self.size
        for number, story in enumerate(self.stories[:cut]):
            found = list(measure.count(story, self.reader))
            where.extend([number] * len(found))
            what.extend(found)
        return where, what

    def categories(self, measure: Measure) -> set[str]:
        """Return all that a measure found."""
        return set(self._found[measure.name][1])

    def matrix(self, measure: Measure, categories: Sequence[str]) -> Floats:
        """Return how often each category was found in each story."""
        place = {category: column for column, category in enumerate(categories)}
        where, what = self._found[measure.name]
        columns = np.fromiter((place[category] for category in what), np.int64, len(what))
        cells = np.asarray(where, np.int64) * len(categories) + columns
        counted = np.bincount(cells, minlength=self.size * len(categories))
        return counted.reshape(self.size, len(categories)).astype(np.float32)

    def example(self, form: str) -> str:
        """Return the first sentence or question that has a form."""
        texts: Iterable[str] = (line.text for story in self.stories for line in story.lines)
        return next(text for text in texts if self.reader.form(text) == form)
