#!/usr/bin/env python3
"""What the cascade withstands: other data, other words, misread roles, longer stories.

    scripts/stress_cascade.py                                   # on simulated data
    scripts/stress_cascade.py --data babi/en                    # and against released training files
    scripts/stress_cascade.py --lexicon mine.toml --only plain,lexicon

Every line is a run of the chosen preset over the tasks, 20 numbers and their mean:

plain      simulated, trained and tested on stories of the same kind
transfer   trained on simulated stories, tested on the files of --data, and the other way round
lexicon    trained and tested on stories in other words (--lexicon, several times if you like)
roles      one role deleted or renamed in 5 % of the distinct sentences, in training and test
long       trained as plain, tested on stories with about four times as many sentences
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from babi_cascade.app.experiments import BackEnds, DataSource, Settings
from babi_cascade.app.experiments.data import TaskData
from babi_cascade.app.experiments.systems import CascadeSystem
from babi_cascade.app.experiments.unit import ReadTask, Unit, do_unit, read_tasks
from babi_cascade.errors import UserError
from babi_cascade.pipeline.annotator import default_cache_path
from babi_cascade.pipeline.frames import Frame
from babi_cascade.pipeline.read import ReadQuestion, ReadSentence, StoryReader
from babi_cascade.pipeline.stories import parse_task_list
from babi_cascade.simulation.generate import Order, generate
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.setting import Knobs
from babi_cascade.simulation.tasks import TASKS

EXPERIMENTS = ("plain", "transfer", "lexicon", "roles", "long")
LONGER = 4


@dataclass(frozen=True)
class Stress:
    """What is the same for all experiments."""

    options: argparse.Namespace
    reader: StoryReader
    folder: Path

    def simulated(self, name: str, *, lexicon: Lexicon | None = None) -> list[TaskData]:
        """Return simulated tasks, in other words if there are any."""
        folder = self.folder / name
        self._generate(folder, self.options.tasks, lexicon=lexicon)
        return self._loaded(folder)

    def longer(self, task: int, plain: Sequence[ReadQuestion]) -> list[TaskData]:
        """Return test stories of a task that are about four times as long."""
        stories: dict[int, int] = {}
        for asked in plain:
            stories[id(asked.story)] = stories.get(id(asked.story), 0) + 1
        per_story = max(1, round(mean(stories.values())))
        facts = mean(asked.n_facts for asked in plain)
        more = Knobs(questions_per_story=LONGER * per_story)
        data = self._knobs(task, more, "questions")
        if mean(len(q.facts) for q in data[0].test) < 0.85 * LONGER * facts:
            between = ceil(2 * (LONGER - 1) * facts / (per_story + 1))
            data = self._knobs(task, Knobs(distractors=between), "distractors")
        return data

    def _knobs(self, task: int, knobs: Knobs, name: str) -> list[TaskData]:
        folder = self.folder / f"long-{task}-{name}"
        self._generate(folder, [task], knobs=knobs)
        return self._loaded(folder)

    def _generate(
        self, folder: Path, tasks: Iterable[int], *, lexicon: Lexicon | None = None,
        knobs: Knobs | None = None,
    ) -> None:  # fmt: skip
        questions = self.options.questions
        order = Order(
            [TASKS[number] for number in tasks], train=questions, test=questions,
            seed=self.options.seed, lexicon=lexicon, knobs=knobs or Knobs(), check=lexicon is None,
        )  # fmt: skip
        generate(order, folder)

    def _loaded(self, folder: Path) -> list[TaskData]:
        return DataSource(directory=folder).load(folder)

    @property
    def _system(self) -> CascadeSystem:
        return CascadeSystem(Settings(preset=self.options.preset))

    def read(self, tasks: Iterable[TaskData]) -> list[ReadTask]:
        """Return tasks as the cascade sees them."""
        reader = self._system.reader(self.reader)
        assert reader is not None
        return list(read_tasks(tasks, reader))

    def scores(self, tasks: Iterable[ReadTask]) -> dict[int, float]:
        """Train and test each task."""
        units = [Unit(self._system, (task,), (task.name,)) for task in tasks]
        scored = [do_unit(unit)[0].result for unit in units]
        return {result.task: result.accuracy for result in scored}


def main() -> int:
    """Run the experiments that were asked for and print a line for each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="released training files, for transfer")
    parser.add_argument("--lexicon", type=Path, action="append", default=[])
    parser.add_argument("--tasks", type=parse_task_list, default=sorted(TASKS))
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--preset", default=Settings().preset)
    parser.add_argument("--share", type=float, default=0.05, help="of sentences that are misread")
    parser.add_argument("--only", default=",".join(EXPERIMENTS), help="experiments, by name")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    wanted = options.only.split(",")
    unknown = [name for name in wanted if name not in EXPERIMENTS]
    if unknown:
        parser.error(f"found the experiment {unknown[0]!r}, expected {', '.join(EXPERIMENTS)}")
    reader = BackEnds().reader(default_cache_path(), None)
    results: dict[str, dict[int, float]] = {}
    with TemporaryDirectory() as folder:
        stress = Stress(options, reader, Path(folder))
        try:
            for name, scores in experiments(stress, wanted):
                results[name] = scores
                shown = " ".join(f"{100 * value:5.1f}" for value in scores.values())
                print(f"{name:28s} {shown}  mean {100 * mean(scores.values()):.2f}", flush=True)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 0


def experiments(stress: Stress, wanted: Sequence[str]) -> Iterable[tuple[str, dict[int, float]]]:
    """Yield the name and the accuracy by task of each experiment."""
    options = stress.options
    lexicons = {path.stem: load_lexicon("en").with_words(path) for path in options.lexicon}
    plain = stress.read(stress.simulated("plain"))
    if "plain" in wanted:
        yield "plain", stress.scores(plain)
    if "transfer" in wanted and options.data is not None:
        released = stress.read(
            DataSource(directory=options.data, tasks=options.tasks).load(options.data)
        )
        whole = [replace(task, test=(*task.train, *task.test)) for task in released]
        yield "simulated to released", stress.scores(crossed(plain, whole))
        whole = [replace(task, train=task.test) for task in whole]
        yield "released to simulated", stress.scores(crossed(whole, plain))
    if "lexicon" in wanted:
        for name, words in lexicons.items():
            told = stress.simulated(f"lexicon-{name}", lexicon=words)
            yield f"lexicon {name}", stress.scores(stress.read(told))
    if "roles" in wanted:
        misread = Misreading(options.share, options.seed)
        yield f"roles misread {options.share:.0%}", stress.scores(map(misread.task, plain))
    if "long" in wanted:
        longer = [
            replace(task, test=stress.read(stress.longer(task.task, task.test))[0].test)
            for task in plain
        ]
        times = mean(
            mean(q.n_facts for q in b.test) / mean(q.n_facts for q in a.test)
            for a, b in zip(plain, longer, strict=True)
        )
        yield f"stories {times:.1f} times as long", stress.scores(longer)


def crossed(train: Sequence[ReadTask], test: Sequence[ReadTask]) -> list[ReadTask]:
    """Return the training questions of some tasks with the test questions of others."""
    other = {task.task: task.test for task in test}
    return [replace(task, test=other[task.task]) for task in train]


class Misreading:
    """Deletes or renames a role in a share of the distinct sentences, always the same ones."""

    def __init__(self, share: float, seed: int) -> None:
        self.share = share
        self.seed = seed
        self._read: dict[str, ReadSentence] = {}
        self._stories: dict[int, tuple[ReadSentence, ...]] = {}

    def task(self, task: ReadTask) -> ReadTask:
        """Return a task with its sentences misread."""
        of: Callable[[ReadQuestion], ReadQuestion] = self._question
        return replace(task, train=tuple(map(of, task.train)), test=tuple(map(of, task.test)))

    def _question(self, asked: ReadQuestion) -> ReadQuestion:
        story = self._stories.get(id(asked.story))
        if story is None:
            story = tuple(map(self._sentence, asked.story))
            self._stories[id(asked.story)] = story
        return replace(asked, question=self._sentence(asked.question), story=story)

    def _sentence(self, sentence: ReadSentence) -> ReadSentence:
        known = self._read.get(sentence.text)
        if known is None:
            dice = random.Random(f"{self.seed} {sentence.text}")
            if dice.random() < self.share and sentence.frames:
                frames = (_misread(sentence.frames[0], dice), *sentence.frames[1:])
                known = replace(sentence, frames=frames)
            else:
                known = sentence
            self._read[sentence.text] = known
        return known


def _misread(frame: Frame, dice: random.Random) -> Frame:
    if not frame.arguments:
        return frame
    at = dice.randrange(len(frame.arguments))
    before, after = frame.arguments[:at], frame.arguments[at + 1 :]
    if dice.random() < 0.5:
        return replace(frame, arguments=(*before, *after))
    others = [r for r in ("nsubj", "obj", "obl:to", "obl:in") if r != frame.arguments[at].relation]
    renamed = replace(frame.arguments[at], relation=dice.choice(others))
    return replace(frame, arguments=(*before, renamed, *after))


if __name__ == "__main__":
    sys.exit(main())
