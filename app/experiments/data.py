"""The questions of every task: from files as they are, from training files split in two, or simulated."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from babi_cascade.app.long.training import among_background
from babi_cascade.app.results.signature import combined_fingerprint, files_fingerprint, version
from babi_cascade.errors import UserError
from babi_cascade.pipeline.stories import Question, Story, TaskFile, find_tasks, read_stories
from babi_cascade.pipeline.stories.background import Background
from babi_cascade.pipeline.stories.wording import counted

DEFAULT_SPLIT = 0.8


@dataclass(frozen=True, slots=True)
class TaskData:
    """Training and test questions of one task, every one with an id."""

    task: int
    name: str
    train: tuple[Question, ...]
    test: tuple[Question, ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class DataSource:
    """Where the questions come from.

    Parameters
    ----------
    directory : a directory with official file names; None simulates
    tasks : only these; None takes what is there, or all that can be simulated
    split : share of the stories of the training files that are trained on, the others are tested on; None
        takes the test files, and 0.8 where there are none
    limit : at most so many training questions, in whole stories; the test questions stay
    questions : how many are simulated for each of train and test
    seed : of the split and of the simulation
    tested : at most so many test questions a task, drawn from all; None for all
    background : text between the facts of every second training question; None for none
    """

    directory: Path | None = None
    tasks: Collection[int] | None = None
    split: float | None = None
    limit: int | None = None
    questions: int = 1000
    seed: int = 0
    tested: int | None = None
    background: Background | None = None

    @property
    def description(self) -> str:
        """What results say of their data."""
        if self.directory is None:
            return f"simulated, {self.questions} questions, seed {self.seed}"
        return str(self.directory)

    def to_json(self) -> dict[str, Any]:
        """Return what is known before a file is read of the settings that decide the questions.

        A directory is none of them: the same files may be anywhere.
        """
        simulated, split = self.directory is None, self._share()
        return {
            "source": "simulated" if simulated else "files",
            "questions": self.questions if simulated else None,
            "split": split,
            "limit": self.limit,
            "data_seed": self.seed if simulated or split is not None else None,
            **({} if self.tested is None else {"tested": self.tested}),
            **({} if self.background is None else {"background": self.background.fingerprint}),
        }

    @classmethod
    def from_json(
        cls, record: Mapping[str, Any], directory: Path, tasks: Collection[int]
    ) -> DataSource:
        """Return the source of the same questions, which are now in a directory."""
        kinds = (("split", float), ("limit", int), ("data_seed", int))
        for name, kind in kinds:
            if not isinstance(record.get(name), (kind, type(None))):
                raise UserError(f"{name}: found {record.get(name)!r:.40}, expected a number")
        return cls(
            directory, tasks, record.get("split"), record.get("limit"),
            seed=record.get("data_seed") or 0,
        )  # fmt: skip

    @property
    def n_simulated(self) -> int:
        """How many tasks are simulated when there is no directory."""
        from babi_cascade.simulation.tasks import TASKS

        return len(TASKS if self.tasks is None else self.tasks)

    def load(
        self, stories: Path, *, force: bool = False, progress: Callable[[str], None] | None = None
    ) -> list[TaskData]:
        """Return the tasks in order; simulated stories are written to ``stories`` first."""
        folder = self.directory
        if folder is None:
            folder = stories
            self._simulate(stories, force=force, progress=progress)
        train = find_tasks(folder, self.tasks, "train")
        if self._share() is None:
            wanted = {file.number for file in train}
            test = {file.number: file for file in find_tasks(folder, wanted, "test")}
            return [self._drawn(self._as_it_is(file, test[file.number])) for file in train]
        return [self._drawn(self._split(file)) for file in train]

    def _drawn(self, task: TaskData) -> TaskData:
        """Return a task with background if it is wanted, and with as many test questions as are."""
        if self.background is not None:
            train = among_background(task.train, self.background, self.seed)
            task = replace(task, train=tuple(train))
        if self.tested is None or self.tested >= len(task.test):
            return task
        some = random.Random(self.seed).sample(range(len(task.test)), self.tested)
        return replace(task, test=tuple([task.test[i] for i in sorted(some)]))

    def _has_test_files(self) -> bool:
        if self.directory is None:
            return True
        return any(file.split == "test" for file in find_tasks(self.directory, self.tasks))

    def _share(self) -> float | None:
        """Return the share of the stories that are trained on, None where there are test files."""
        if self.split is None and self._has_test_files():
            return None
        return self.split or DEFAULT_SPLIT

    def _simulate(
        self, stories: Path, *, force: bool, progress: Callable[[str], None] | None
    ) -> None:
        from babi_cascade.simulation.generate import Order
        from babi_cascade.simulation.generate import generate as write_files
        from babi_cascade.simulation.tasks import TASKS

        numbers = sorted(TASKS if self.tasks is None else self.tasks)
        unknown = [number for number in numbers if number not in TASKS]
        if unknown:
            raise UserError(
                f"--tasks: there is no task {unknown[0]} to simulate; expected numbers from 1 to "
                f"{max(TASKS)}, or --data with files of your own"
            )
        order = Order(
            [TASKS[number] for number in numbers], train=self.questions, test=self.questions,
            seed=self.seed, check=True, version=version(),
        )  # fmt: skip
        write_files(order, stories, force=force, progress=progress)

    def _as_it_is(self, train: TaskFile, test: TaskFile) -> TaskData:
        learned = limited(stories_of(train), self.limit, train.path)
        return task_data(train, learned, stories_of(test), [train.path, test.path])

    def _split(self, file: TaskFile) -> TaskData:
        stories = stories_of(file)
        share = self.split or DEFAULT_SPLIT
        cut = round(share * len(stories))
        if not 0 < cut < len(stories):
            raise UserError(
                f"{file.path}: {counted(len(stories), 'story', 'stories')} cannot be split {share:g} to "
                f"{1 - share:g}; expected at least one for each part"
            )
        random.Random(self.seed).shuffle(stories)
        # Back in the order of the file, so that only the choice depends on the seed. A limit takes from
        # the shuffled stories: a small sample should not be the beginning of the file.
        learned = sorted(limited(stories[:cut], self.limit, file.path), key=_number)
        return task_data(file, learned, sorted(stories[cut:], key=_number), [file.path])


def files_of(tasks: Sequence[TaskData]) -> str:
    """Return the fingerprint of the story files of tasks."""
    prints = [task.fingerprint for task in tasks]
    return prints[0] if len(prints) == 1 else combined_fingerprint(prints)


Questions = tuple[int, tuple[Question, ...]]
"""The number of a story in its file, and its questions."""


def stories_of(file: TaskFile) -> list[Questions]:
    """Read the stories of a file that ask something; every question gets an id that says where it stands."""
    found = []
    for number, story in enumerate(read_stories(file.path), start=1):
        if story.questions:
            found.append((number, identified(story, f"qa{file.number}-{file.split}-{number}")))
    return found


def identified(story: Story, prefix: str) -> tuple[Question, ...]:
    """Return the questions of a story; one without an id is called by its story and line."""
    return tuple(
        asked if asked.id is not None else replace(asked, id=f"{prefix}-{asked.line}")
        for asked in story.questions
    )


def limited(stories: Sequence[Questions], limit: int | None, path: Path) -> list[Questions]:
    """Return the first stories that together have at most so many questions."""
    if limit is None:
        return list(stories)
    kept: list[Questions] = []
    total = 0
    for number, questions in stories:
        total += len(questions)
        if total > limit:
            break
        kept.append((number, questions))
    if not kept:
        raise UserError(
            f"{path}: --limit {limit} is less than the {counted(total, 'question')} of one story; "
            "stories are taken whole"
        )
    return kept


def task_data(
    file: TaskFile, train: Sequence[Questions], test: Sequence[Questions], paths: Sequence[Path]
) -> TaskData:
    """Join the questions of stories; a run needs some of each kind, with known answers."""
    parts = []
    for name, stories in (("training", train), ("test", test)):
        questions = tuple(asked for _, asked_of in stories for asked in asked_of)
        if not questions:
            raise UserError(f"{file.path}: found no {name} questions")
        for asked in questions:
            if asked.answer is None:
                raise UserError(f"{file.path}: the {name} question {asked.id} has no answer")
        parts.append(questions)
    return TaskData(file.number, file.name, parts[0], parts[1], files_fingerprint(paths))


def _number(story: Questions) -> int:
    return story[0]
