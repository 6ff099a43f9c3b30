#!/usr/bin/env python3
"""How much the words "sure", "likely", "unsure" and "unknown" of `ask` and `predict` are worth.

    scripts/calibrate_ask.py                                    # the default model
    scripts/calibrate_ask.py -m mine.model --lexicon data/samples/village.toml --questions 100
    scripts/calibrate_ask.py -m mine.model questions.jsonl      # on questions of your own

Printed is how many of the answers in each class are right, for `predict` (many questions at once) and for
`ask` (one at a time; of what it does not know, its guess); one line where they say the same. Without files
these are asked:

simulated  questions like those of training
lexicon    the same in other words (--lexicon)
without    all supporting facts taken out of the story
less       one of several supporting facts taken out
other      a question after another story

Of the last three only those are asked to which the independent reader of the simulation finds no answer:
whatever is said to them is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.app.ask.default_model import default_model
from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.cascade import Cascade, Prediction
from babi_cascade.cascade.doubt import LEVELS
from babi_cascade.pipeline.annotator import default_cache_path
from babi_cascade.pipeline.stories import Question, read_questions
from babi_cascade.simulation.check import Comprehension
from babi_cascade.simulation.check.knowledge import reader_answer
from babi_cascade.simulation.check.pronouns import Told, resolved
from babi_cascade.simulation.check.proof import WHOLE_HISTORY
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import Storyteller, babi_lines

Asked = tuple[int, Question]


def main() -> None:
    """Print a table of each set of questions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="questions with answers; else simulated ones")
    parser.add_argument("-m", "--model", type=Path, help="a model file; else the one ask makes")
    parser.add_argument("--questions", type=int, default=60, help="of each task (%(default)s)")
    parser.add_argument("--lexicon", type=Path, help="a file of other words")
    parser.add_argument("--seed", type=int, default=77)
    options = parser.parse_args()
    telling = Telling(notice=lambda text: print(text, file=sys.stderr))
    cache = default_cache_path()
    cascade = (
        ModelChoice(options.model, {}, cache).load(telling.notice)
        if options.model
        else default_model(cache, telling)
    )
    for file in options.files:
        tell(cascade, Path(file).name, list(read_questions(file)))
    if options.files:
        return
    english = load_lexicon("en")
    asked = list(simulated(english, options.questions, options.seed))
    tell(cascade, "simulated", [question for _, question in asked])
    if options.lexicon:
        words = english.with_words(options.lexicon)
        others = simulated(words, options.questions, options.seed)
        tell(cascade, "lexicon", [question for _, question in others])
    dice = random.Random(options.seed)
    for name, made in (
        ("without", [cut(each, each[1].support or ()) for each in asked]),
        ("less", [cut(each, (dice.choice(each[1].support),)) for each in asked
                  if len(each[1].support or ()) > 1]),
        ("other", [after(each, dice.choice(asked)) for each in asked]),
    ):  # fmt: skip
        tell(cascade, name, [each[1] for each in made if each[1].facts and unanswerable(each)])


def simulated(lexicon: Lexicon, count: int, seed: int) -> Iterator[Asked]:
    """Yield questions of every task."""
    with TemporaryDirectory(prefix="babi-cascade-") as folder:
        for number, task in TASKS.items():
            stories = Storyteller(task, seed=seed, lexicon=lexicon).stories("test", count)
            path = Path(folder) / f"qa{number}_{task.name}_test.txt"
            path.write_text("".join(map(babi_lines, stories)), encoding="utf-8")
            yield from ((number, question) for question in read_questions(str(path)))


def cut(asked: Asked, gone: Sequence[int]) -> Asked:
    """Take facts out of a story."""
    task, question = asked
    kept = tuple(fact for fact in question.facts if fact.line not in gone)
    return task, Question(question.line, question.text, None, None, kept)


def after(asked: Asked, other: Asked) -> Asked:
    """Ask after another story; the task is that of the question."""
    line = max((fact.line for fact in other[1].facts), default=0) + 1
    return asked[0], Question(line, asked[1].text, None, None, tuple(other[1].facts))


def unanswerable(asked: Asked) -> bool:
    """Say whether the independent reader finds no answer in what it understands."""
    lexicon = load_lexicon("en")
    own = Comprehension(lexicon.for_task(TASKS[asked[0]].lexicon_key or str(asked[0])))
    question = own.question(asked[1].text)
    facts = [(fact.line, own.statement(fact.text)) for fact in asked[1].facts]
    if question is None or question.event.predicate in WHOLE_HISTORY:
        return False
    told = [Told(line, *understood) for line, understood in facts if understood is not None]
    goals = {
        entity.id: (entity.room, entity.thing)
        for entity in own.lexicon.entities.values()
        if entity.kind == "states"
    }
    return reader_answer(resolved(told, own.genders), question.event, goals) is None


def tell(cascade: Cascade, name: str, asked: Sequence[Question]) -> None:
    """Answer questions and print how often each word was said, and how often it was right."""
    lines = {
        "predict": shares(asked, cascade.answer(asked)),
        "ask": shares(asked, [cascade.explain(question).prediction for question in asked]),
    }
    if lines["predict"] == lines["ask"]:
        lines = {"predict, ask": lines["ask"]}
    for command, line in lines.items():
        print(f"{name:<10} {len(asked):5}  {command:<12}  right of  {line}", flush=True)


def shares(asked: Sequence[Question], found: Sequence[Prediction]) -> str:
    """Return how often each word was said, and how often it was right."""
    said: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for question, prediction in zip(asked, found, strict=True):
        assert prediction.verdict is not None
        level = prediction.verdict.level
        said[level] += 1
        right[level] += question.answer is not None and prediction.answer == question.answer
    return "  ".join(
        f"{level} {right[level]}/{said[level]}"
        + (
            f" ({100 * right[level] / said[level]:.1f} %)"
            if any(right.values()) and said[level]
            else ""
        )
        for level in LEVELS
    )


if __name__ == "__main__":
    main()
