"""Answers as a stream: chunks of whole stories, in this process or in several, the order kept.

No more than a few chunks are held at a time, what a model keeps of the sentences it has read is bounded, and
so is the size of the stories that are answered at once: memory does not grow with the length of the input.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from babi_cascade.app.batch.model import ModelChoice
from babi_cascade.app.batch.questions import Fault, FileQuestion
from babi_cascade.cascade.prediction import Prediction
from babi_cascade.errors import EXPECTED, UserError, in_one_line
from babi_cascade.pipeline.stories import Prefix, Question, Sentence

if TYPE_CHECKING:
    from babi_cascade.cascade import Cascade

CHUNK = 500
"""Questions that are answered at once; stories are kept whole."""

MOST = 10_000
"""Of a story without end, so many are."""

ROOM = 5000**2
"""Pairs of facts, summed over questions, for which the model takes memory at once; a question alone may have
more, up to what the cascade takes."""

FIELDS = {each.name for each in fields(Prediction)} | {"reasons", "error", "given"}
"""What a record may have; what the line of a question said under such a name stands under `given`."""

KEPT = 20_000
"""Sentences that are remembered from one chunk to the next."""

_BROKEN = (
    "a process that answers was killed (often for lack of memory); what was written before is complete and "
    "valid; --jobs 1 needs the least memory"
)

Record = dict[str, Any]
Result = Callable[[], list[Record]]


class ThisProcess:
    """Answers in this process."""

    ahead = 0
    """How many chunks may be under way."""

    def __init__(self, cascade: Cascade) -> None:
        self._cascade = cascade
        # The model and all modules stay: to look through them again and again for something to collect
        # takes as long as answering does.
        gc.collect()
        gc.freeze()

    def submit(self, questions: list[Question]) -> Result:
        """Answer at once; calling the result gives the records."""
        records = answers(self._cascade, questions)
        self._cascade.forget(KEPT)
        return lambda: records

    def close(self) -> None:
        """Have nothing to stop."""


class Processes:
    """Answers in processes that each have loaded the model."""

    def __init__(self, choice: ModelChoice, jobs: int) -> None:
        from joblib.externals.loky import ProcessPoolExecutor

        self.ahead = 2 * jobs
        self._executor = ProcessPoolExecutor(jobs, initializer=_begin, initargs=(choice,))

    def submit(self, questions: list[Question]) -> Result:
        """Send a chunk; calling the result waits for its records."""
        try:
            future = self._executor.submit(_answer, settled(questions))
        except BrokenExecutor as error:
            raise UserError(_BROKEN) from error
        return lambda: _result(future)

    def close(self) -> None:
        """End the processes."""
        self._executor.shutdown(wait=True, kill_workers=True)


Answerer = ThisProcess | Processes
"""Who answers chunks."""


class AnswerStream:
    """Takes questions and faults and hands on their records in the same order.

    Parameters
    ----------
    engine : who answers
    hand_on : gets the records of a chunk
    """

    def __init__(self, engine: Answerer, hand_on: Callable[[list[Record]], object]) -> None:
        self._engine = engine
        self._hand_on = hand_on
        self._waiting: list[FileQuestion | Fault] = []
        self._story: tuple[str, int] | None = None
        self._under_way: deque[tuple[list[FileQuestion | Fault], Result]] = deque()

    def take(self, item: FileQuestion | Fault) -> None:
        """Take one more; a full chunk is sent when its last story is over."""
        story = (item.source, item.story) if isinstance(item, FileQuestion) else self._story
        if len(self._waiting) >= (MOST if story == self._story else CHUNK):
            self._send()
            self._hand_over(self._engine.ahead)
        self._story = story
        self._waiting.append(item)

    def catch_up(self) -> None:
        """Hand on everything that was taken."""
        self._send()
        self._hand_over(0)

    def _send(self) -> None:
        if self._waiting:
            questions = [item.question for item in self._waiting if isinstance(item, FileQuestion)]
            result = self._engine.submit(questions) if questions else list
            self._under_way.append((self._waiting, result))
            self._waiting = []

    def _hand_over(self, left: int) -> None:
        while len(self._under_way) > left:
            items, result = self._under_way.popleft()
            records = iter(result())
            self._hand_on([
                item.to_json() if isinstance(item, Fault) else _placed(next(records), item)
                for item in items
            ])  # fmt: skip


def answers(cascade: Cascade, questions: Sequence[Question]) -> list[Record]:
    """Return the records of questions; one that cannot be answered takes no other with it."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):  # sums in the same order, whatever the machine
        return [record for part in _parts(questions) for record in _answers(cascade, part)]


def _parts(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    """Yield questions, in order, as many at a time as there is room for."""
    start = taken = 0
    for end, question in enumerate(questions):
        needed = len(question.facts) ** 2
        if end > start and taken + needed > ROOM:
            yield questions[start:end]
            start, taken = end, 0
        taken += needed
    yield questions[start:]


def _answers(cascade: Cascade, questions: Sequence[Question]) -> list[Record]:
    try:
        return [prediction.to_json() for prediction in cascade.answer(questions)]
    except EXPECTED as error:
        if len(questions) == 1:
            return [{"id": questions[0].id, "error": in_one_line(error)}]
    # Outside of the handler, which would hold on to the memory of what failed.
    half = len(questions) // 2
    return _answers(cascade, questions[:half]) + _answers(cascade, questions[half:])


def settled(questions: Sequence[Question]) -> list[Question]:
    """Return questions whose stories do not grow: they are sent away while the last one may still be read."""
    stories: dict[int, list[Sentence]] = {}
    for question in reversed(questions):  # the last question of a story has all of its facts
        facts = question.facts
        if isinstance(facts, Prefix) and facts.story not in stories:
            stories[facts.story] = list(facts)
    return [
        replace(question, facts=Prefix(stories[question.facts.story], len(question.facts)))
        if isinstance(question.facts, Prefix)
        else question
        for question in questions
    ]


def _placed(record: Record, item: FileQuestion) -> Record:
    """Say of an error where it happened; hand on what else the line of the question said."""
    if "error" in record:
        record |= {"source": item.source, "line": item.line}
    other = item.question.extra or {}
    mixed = {name: value for name, value in other.items() if name in FIELDS or name in record}
    free = {name: value for name, value in other.items() if name not in mixed}
    return {**record, **free, **({"given": mixed} if mixed else {})}


def _result(future: Any) -> list[Record]:
    try:
        records: list[Record] = future.result()
    except BrokenExecutor as error:
        raise UserError(_BROKEN) from error
    return records


_cascade: Cascade | None = None


def _begin(choice: ModelChoice) -> None:
    global _cascade
    _cascade = choice.load()


def _answer(questions: list[Question]) -> list[Record]:
    assert _cascade is not None
    return ThisProcess(_cascade).submit(questions)()
