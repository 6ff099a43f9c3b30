#!/usr/bin/env python3
"""How much the words "sure", "likely", "unsure" and "unknown" of `ask` and `predict` are worth.

    scripts/calibrate_ask.py                                    # the default model
    scripts/calibrate_ask.py -m mine.model --lexicon data/samples/village.toml --questions 100
    scripts/calibrate_ask.py --ordinary                         # 300 ordinary questions in data/samples
    scripts/calibrate_ask.py -m mine.model questions.jsonl      # on questions of your own
    scripts/calibrate_ask.py --wrong questions.jsonl            # with every answer that is not right
    scripts/calibrate_ask.py --fit --questions 3 data/samples/ordinary-questions-1.jsonl
                                                                # the weights of cascade/doubt.py

Printed is how many of the answers in each class are right, for `predict` (many questions at once) and for
`ask` (one at a time; of what it does not know, its guess); one line where they say the same. Without files
these are asked:

simulated  questions like those of training
lexicon    the same in other words (--lexicon)
without    all supporting facts taken out of the story
less       one of several supporting facts taken out
other      a question after another story

With --fit the model is asked what people type with names, places and things never met, and with verbs never
met too, sometimes with a fact taken out, and questions of files. What it gets right and wrong there says
what each sign of doubt is worth.

A file of questions may say of each, beside `answer`, what else is right ("accept": ["mouse", "mice"]) and
whether "I do not know" is ("unknown": true; without an `answer`, nothing else). Case, articles
and the s of a plural do not count. For files these are printed too:

said       of what is said unasked (sure or likely) how much is right
covers     of the questions that have an answer, to how many something is said unasked
best       of the questions that have an answer, to how many the best answer is right, however sure

Of the last three of the simulated sets only those are asked to which the independent reader of the
simulation finds no answer: whatever is said to them is wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from babi_cascade.app.ask.default_model import (
    TYPED,
    default_model,
    tell_lessons,
)
from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.experiments.progress import Telling
from babi_cascade.cascade import Cascade, Prediction
from babi_cascade.cascade.doubt import (
    BASE,
    LEVELS,
    LIKELY,
    MARGIN,
    SUPPORT_MARGIN,
    SURE,
    UNKNOWN,
    UNSURE_AT_MOST,
    evidence,
)
from babi_cascade.pipeline.annotator import default_cache_path
from babi_cascade.pipeline.stories import Question, read_questions
from babi_cascade.simulation.check import Comprehension
from babi_cascade.simulation.check.knowledge import reader_answer
from babi_cascade.simulation.check.pronouns import Told, resolved
from babi_cascade.simulation.check.proof import WHOLE_HISTORY
from babi_cascade.simulation.lexicon import Lexicon, load_lexicon
from babi_cascade.simulation.lexicon_file import sample
from babi_cascade.simulation.tasks import TASKS
from babi_cascade.simulation.telling import Storyteller, babi_lines

Asked = tuple[int, Question]
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "samples"
ORDINARY = 5.0
"""What a question of a file counts beside a simulated one."""

CUT = 0.15
"""The share of questions that are asked again with a fact taken out."""

ARTICLES = {"the", "a", "an", "some", "my", "his", "her"}


def main() -> None:
    """Print a table of each set of questions."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="questions with answers; else simulated ones")
    parser.add_argument(
        "--ordinary", action="store_true", help="the ordinary questions in data/samples"
    )
    parser.add_argument("--fit", action="store_true", help="learn what each sign of doubt is worth")
    parser.add_argument("--wrong", action="store_true", help="show what is not right of files")
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
    if options.fit:
        questions = [each for file in options.files for each in read_questions(file)]
        learn_weights(cascade, options.questions, options.seed, questions, telling)
        return
    if options.ordinary:
        options.files += map(str, sorted(SAMPLES.glob("ordinary-questions-*.jsonl")))
    for file in options.files:
        tell_file(cascade, Path(file).name, list(read_questions(file)), wrong=options.wrong)
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


def learn_weights(
    cascade: Cascade, questions: int, seed: int, ordinary: Sequence[Question], telling: Telling
) -> None:
    """Print what each sign of doubt adds to the log odds that an answer is right."""
    from sklearn.linear_model import LogisticRegression

    typed = load_lexicon("en", TYPED)
    village = typed.with_words(sample("village"))
    others = {"names": replace(village, groups=typed.groups), "names and verbs": village}
    with TemporaryDirectory(prefix="babi-cascade-") as folder:
        files = tell_lessons(Path(folder), questions, telling, others, seed)
        asked = [question for file in files for question in read_questions(str(file))]
    dice = random.Random(seed)
    cuts = [
        cut((0, each), (dice.choice(each.support),))[1]
        for each in asked
        if each.support and dice.random() < CUT
    ]
    rows: list[dict[str, float]] = []
    right: list[bool] = []
    weights: list[float] = []
    for some, weight in ((asked, 1.0), (cuts, 1.0), (ordinary, ORDINARY)):
        read = cascade.story_reader.read(some)
        for one, said in zip(read, cascade.answer_read(read), strict=True):
            known = evidence(cascade, one, said)
            if not known.nothing and not UNSURE_AT_MOST & known.signs.keys():
                rows.append(known.signs)
                right.append(plain(said.answer) in accepted(one.source))
                weights.append(weight)
    names = list(dict.fromkeys((MARGIN, SUPPORT_MARGIN, *sorted({n for row in rows for n in row}))))
    names = [name for name in names if name != BASE and name not in UNSURE_AT_MOST]
    table = [[row.get(name, 0.0) for name in names] for row in rows]
    model = LogisticRegression(max_iter=5000).fit(table, right, weights)
    print(
        f"{len(asked)} questions, {len(cuts)} with a fact taken out, {len(ordinary)} ordinary ones"
    )
    for name, learned in zip([BASE, *names], [*model.intercept_, *model.coef_[0]], strict=True):
        seen = [true for row, true in zip(rows, right, strict=True) if row.get(name)]
        print(f'    "{name}": {learned:.2f},  # {sum(seen)} of {len(seen)} right')


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


def tell_file(cascade: Cascade, name: str, asked: Sequence[Question], *, wrong: bool) -> None:
    """Answer the questions of a file and print how often each word was said, and how often it was right."""
    found = cascade.answer(asked)
    print(f"{name}: {len(asked)} questions, {sum(map(answerable, asked))} with an answer")
    print(f"  right of  {shares(asked, found)}")
    pairs = list(zip(asked, found, strict=True))
    said = [(question, each) for question, each in pairs if level_of(each) in (SURE, LIKELY)]
    best = sum(plain(each.answer) in accepted(question) for question, each in pairs)
    figures = {
        "said": (sum(fits(*pair) for pair in said), len(said)),
        "covers": (sum(answerable(question) for question, _ in said), sum(map(answerable, asked))),
        "best": (best, sum(map(answerable, asked))),
    }
    for figure, (part, whole) in figures.items():
        print(f"  {figure:<8}  {part}/{whole} ({100 * part / max(whole, 1):.1f} %)")
    for question, each in pairs:
        if wrong and not fits(question, each):
            told = " ".join(fact.text for fact in question.facts)
            reasons = "; ".join(each.verdict.reasons) if each.verdict else ""
            print(
                f"  {level_of(each)}: {told} {question.text} {each.answer} "
                f"(expected {question.answer}; {reasons})"
            )


def fits(question: Question, prediction: Prediction) -> bool:
    """Say whether what is said to a question is right; the guess counts where no key says otherwise."""
    if level_of(prediction) == UNKNOWN and (question.extra or question.answer is None):
        return bool((question.extra or {}).get("unknown"))
    return plain(prediction.answer) in accepted(question)


def accepted(question: Question) -> set[str]:
    """Return the right answers; none where there is nothing to say."""
    others = (question.extra or {}).get("accept", ())
    return {plain(answer) for answer in (question.answer, *others) if answer is not None}


def answerable(question: Question) -> bool:
    """Say whether a question has an answer."""
    return question.answer is not None


def plain(answer: str | None) -> str:
    """Return an answer without what does not count: case, articles, an s of the plural."""
    words = (answer or "").lower().split()
    return " ".join(word.removesuffix("s") for word in words if word not in ARTICLES)


def level_of(prediction: Prediction) -> str:
    """Return the word for how sure an answer is."""
    assert prediction.verdict is not None
    return prediction.verdict.level


def shares(asked: Sequence[Question], found: Sequence[Prediction]) -> str:
    """Return how often each word was said, and how often it was right."""
    said: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for question, prediction in zip(asked, found, strict=True):
        level = level_of(prediction)
        said[level] += 1
        right[level] += fits(question, prediction)
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
