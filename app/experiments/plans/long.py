"""`long`: one joint model, asked about stories hidden in texts of more and more tokens.

The model is trained once, with background between the facts of every second question, and kept in the folder.
A unit is a task and a length; every question has a text of its own, which the training did not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from babi_cascade.app.experiments.data import TaskData, files_of
from babi_cascade.app.experiments.grid import Grid
from babi_cascade.app.experiments.plan import OpenPlan, Training
from babi_cascade.app.experiments.plans.compare import Comparison
from babi_cascade.app.experiments.systems import CascadeSystem, Hear, Trained
from babi_cascade.app.long.training import among_background
from babi_cascade.app.results.records import TaskResult, mean
from babi_cascade.app.results.signature import files_fingerprint
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.cascade.settings import Settings
from babi_cascade.pipeline.read import StoryReader
from babi_cascade.pipeline.stories import Question
from babi_cascade.pipeline.stories.background import Background, hide
from babi_cascade.pipeline.stories.book import Book
from babi_cascade.simulation.dice import Dice

READ_WHOLE = 100
"""Sentences of a story that are all read."""

KEPT = 20_000
"""Sentences that are kept between two questions."""

MODEL = "long.model"

MEANS = ((1, 5), (1, 10), (1, 20))

PUBLISHED: dict[str, dict[int, float]] = {
    "GPT-4": {32_000: 53, 128_000: 36},
    "Gemini 1.5 Pro": {32_000: 68, 128_000: 59, 1_000_000: 41},
    "Gemini 3 Flash": {32_000: 63.6, 128_000: 48.4, 1_000_000: 50.6},
    "retrieval + Llama 3": {32_000: 44, 128_000: 45, 1_000_000: 39, 10_000_000: 37},
    "ARMT, fine-tuned": {32_000: 98, 128_000: 97, 1_000_000: 93, 10_000_000: 76},
}
"""Means over tasks 1 to 5 by tokens, as published for BABILong."""


@dataclass(frozen=True, slots=True)
class LongTable(Comparison):
    """Results by length."""

    command: ClassVar[str] = "long"
    file: ClassVar[str] = "long.json"
    axis: ClassVar[str] = "tokens"

    def mean_of(self, column: str, first: int, last: int) -> float | None:
        """Return the mean over some tasks; None unless all of them were done."""
        figures = [self.accuracy(column, task) for task in range(first, last + 1)]
        found = [figure.mean for figure in figures if figure is not None]
        return mean(found) if len(found) == len(figures) else None

    def cost(self, column: str) -> tuple[float | None, float | None]:
        """Return the seconds and the sentences read of a question."""
        done = [result for task in self.numbers for result in self.found(column, task)]
        seconds = mean(result.seconds["predict"] / result.n_test for result in done)
        return seconds, mean(r.sentences_read for r in done if r.sentences_read is not None)

    def extra(self, column: str, result: TaskResult) -> dict[str, Any]:
        """Return nothing more."""
        return {}

    def summary(self) -> dict[str, Any]:
        """Return means and costs by length, and the published figures."""
        lengths = []
        for column in self.columns:
            seconds, sentences = self.cost(column)
            means = {f"mean_{a}_{b}": self.mean_of(column, a, b) for a, b in MEANS}
            lengths.append(
                {"tokens": column, **means, "seconds": seconds, "sentences_read": sentences}
            )
        return {"lengths": lengths, "published": PUBLISHED}


@dataclass(slots=True)
class Kept:
    """Where the model is, and what reads for it: known once the folder is."""

    model: Path | None = None
    stages: StoryReader | None = None


@dataclass(frozen=True, slots=True)
class AskedOfBooks:
    """A trained cascade that answers every question about a text of so many tokens."""

    settings: Settings
    kept: Kept
    trained_on: str
    tokens: int
    books: Background

    reads: ClassVar[bool] = False
    packages: ClassVar[tuple[str, ...]] = ()
    name: ClassVar[str] = "long"

    def reader(self, stages: StoryReader | None) -> StoryReader | None:
        """Return nothing: what is read of a text depends on the question."""
        return None

    def check(self) -> None:
        """Say now that a group does not exist."""
        self.settings.check()

    def seeded(self, seed: int) -> AskedOfBooks:
        """Return the same with another seed."""
        return replace(self, settings=replace(self.settings, seed=seed))

    def to_json(self) -> dict[str, Any]:
        """Return what decides the answers."""
        asked = {"tokens": self.tokens, "books": self.books.fingerprint, "read_whole": READ_WHOLE}
        own = {"trained_on": self.trained_on, **asked}
        return {"system": self.name, "parameters": {**self.settings.resolved().to_json(), **own}}

    def warm_up(self) -> None:
        """Make the kernels."""
        CascadeSystem(self.settings).warm_up()

    def train(self, asked: Sequence[Any], hear: Hear = None) -> Trained:
        """Load the model; it was trained before."""
        from babi_cascade.cascade import Cascade

        assert self.kept.model is not None
        cascade = Cascade.load(self.kept.model, reader=self.kept.stages)
        cascade.read_whole = READ_WHOLE
        n_read: list[int] = []

        def predict(questions: Sequence[Question]) -> list[Prediction]:
            found = []
            for question in questions:
                asked, lines = self.hidden(question)
                (read,) = cascade.read([asked])
                n_read.append(read.n_facts if read.n_read is None else read.n_read)
                (said,) = cascade.answer_read([read])
                # In the lines of the short story; a sentence of the text is none of them.
                support = tuple([lines.get(line, -line) for line in said.support])
                found.append(replace(said, support=support))
                cascade.forget(KEPT)
            return found

        return Trained(predict, sentences_read=lambda: mean(n_read))

    def hidden(self, question: Question) -> tuple[Question, dict[int, int]]:
        """Return the question about its text, and the lines in the story by those in the text."""
        dice = Dice(self.settings.seed, "long", question.id, self.tokens)
        made = hide(question, self.books, self.tokens, dice.random)
        lines = dict(zip(made.places, [fact.line for fact in question.facts], strict=True))
        book = Book.of(fact.text for fact in made.question.facts)
        return replace(made.question, facts=book), lines


@dataclass(slots=True)
class LongPlan(OpenPlan[LongTable]):
    """One model, every task at every length.

    Parameters
    ----------
    chosen : the cascade
    background : what stands between the facts of the training
    books : what stands between those of the test
    lengths : tokens, by name
    model : one that was trained before; None trains one
    kept : the trained model, filled in when the folder is known
    tasks : filled in with the questions
    """

    chosen: Settings
    background: Background
    books: Background
    lengths: Mapping[str, int]
    model: Path | None = None
    kept: Kept = field(default_factory=Kept)
    tasks: Sequence[TaskData] = ()

    table: ClassVar[type[Any]] = LongTable
    compared: ClassVar[str] = "lengths"

    @property
    def systems(self) -> tuple[CascadeSystem, ...]:
        """The cascade."""
        return (CascadeSystem(self.chosen),)

    @property
    def columns(self) -> tuple[str, ...]:
        """The lengths."""
        return tuple(self.lengths)

    @property
    def seeds(self) -> tuple[int, ...]:
        """The one seed."""
        return (self.chosen.seed,)

    def trainings(self, tasks: Sequence[TaskData]) -> list[Training]:
        """Return one unit a task and length, the short ones first."""
        self.tasks = tasks
        how = self._made_from(tasks)
        return [
            Training(
                f"{name}.qa{task.task}",
                AskedOfBooks(self.chosen, self.kept, how, tokens, self.books),
                (task.task,), (f"{name}.qa{task.task}",), (((name, task.task, self.chosen.seed),),),
            )
            for name, tokens in self.lengths.items()
            for task in tasks
        ]  # fmt: skip

    def prepare(self, grid: Grid) -> None:
        """Train the model, unless it is there already."""
        from babi_cascade.cascade import Cascade

        path, how = grid.out / MODEL, self._made_from(self.tasks)
        self.kept.model, self.kept.stages = self.model or path, grid.reader
        if self.model is not None:
            return
        if path.exists() and Cascade.load(path).origin_.get("trained_on") == how:
            return
        cascade = Cascade(
            **asdict(self.chosen), reader=grid.reader,
            progress=lambda said: grid.telling.progress(said, 0, 0),
        )  # fmt: skip
        questions = [
            asked
            for task in self.tasks
            for asked in among_background(task.train, self.background, self.chosen.seed)
        ]
        grid.telling.progress("reading the training stories", 0, 0)
        cascade.fit_read(cascade.story_reader.read(questions))
        cascade.save(path, origin={
            "trained_on": how,
            "settings": {**self.systems[0].to_json(), "reading": cascade.story_reader.reading},
            "files": [], "questions": len(questions),
        })  # fmt: skip

    def _made_from(self, tasks: Sequence[TaskData]) -> str:
        if self.model is not None:
            return files_fingerprint([self.model])
        own = f"{self.chosen.seed}-{self.chosen.supervision}-{self.chosen.cost}"
        return f"{files_of(tasks)}-{self.background.fingerprint}-{own}"
