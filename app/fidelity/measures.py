"""What is compared: each measure names, for one story, the categories it counts; a tally has all of a sample.

Adding a measure is adding a function and a line in ``MEASURES``.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from babi_cascade.app.fidelity.distances import Floats
from babi_cascade.app.fidelity.forms import MASKS, FormReader
from babi_cascade.pipeline.stories import Question, Sentence, Story

SHORT_ORDER = 4
"""Longer lists of supporting facts are ascending, descending or mixed; their ranks would be too many."""

DISTANCE_BINS = (*range(1, 11), 15, 25)
MENTION_BINS = (0, 1, 2, 3, 4, 5, 10)
LENGTH_BINS = (*range(1, 21), 25, 30, 40, 50, 60, 80, 100, 150, 200)

Count = Callable[[Story, FormReader], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Measure:
    """Something to count in a story.

    ``whole_story`` measures leave out the last story of a file, which may have been cut off;
    ``forms`` must be the same on both sides, whatever their shares; ``support`` needs files that
    give supporting facts.
    """

    name: str
    count: Count
    whole_story: bool = False
    forms: bool = False
    support: bool = False


def statement_forms(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the form of each statement."""
    return (reader.form(line.text) for line in story.lines if isinstance(line, Sentence))


def question_forms(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the form of each question."""
    return (reader.form(line.text) for line in story.lines if isinstance(line, Question))


def actions(story: Story, reader: FormReader) -> Iterator[str]:
    """Give what each statement says happened or is so."""
    for sentence in story.sentences:
        event = reader.statement(sentence.text)
        if event is None:
            yield "unreadable"
            continue
        notes = (
            ("not", event.negated),
            ("either-or", bool(event.alternatives)),
            ("together", len(event.who) > 1),
            ("by pronoun", event.pronoun),
        )
        yield " ".join((event.predicate, *(note for note, holds in notes if holds)))


def fillers(kind: str) -> Count:
    """Return the measure of which entities of a kind fill which roles of the statements."""

    def count(story: Story, reader: FormReader) -> Iterator[str]:
        for sentence in story.sentences:
            event = reader.statement(sentence.text)
            if event is None:
                continue
            roles = (
                *(("who", person) for person in event.who),
                ("what", event.what),
                ("where", event.where),
                ("to", event.to),
                ("other", event.other),
                ("when", event.when),
                *zip(("either", "or"), event.alternatives),  # noqa: B905 - most have none
            )
            for role, entity in roles:
                if entity is not None and reader.kind(entity) == kind:
                    yield f"{entity} ({role})"

    return count


def answers(story: Story, reader: FormReader) -> Iterator[str]:
    """Give each answer."""
    return (question.answer or "unknown" for question in story.questions)


def answers_by_form(story: Story, reader: FormReader) -> Iterator[str]:
    """Give each answer together with the form of its question."""
    for question in story.questions:
        yield f"{reader.form(question.text)} {question.answer or 'unknown'}"


def mentions_of_answer(story: Story, reader: FormReader) -> Iterator[str]:
    """Give how many statements before each question name its answer: what guessing can go by."""
    for question in story.questions:
        named = sum(
            not reader.words(fact.text).isdisjoint(question.answers) for fact in question.facts
        )
        yield binned(named, MENTION_BINS)


def statements_per_story(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the number of statements."""
    yield binned(len(story.sentences), LENGTH_BINS)


def questions_per_story(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the number of questions."""
    yield binned(len(story.questions), LENGTH_BINS)


def first_gap(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the number of statements before the first question."""
    return (binned(gap, LENGTH_BINS) for gap in gaps(story)[:1])


def later_gaps(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the number of statements between each two questions."""
    return (binned(gap, LENGTH_BINS) for gap in gaps(story)[1:])


def support_size(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the number of supporting facts of each question."""
    return (str(len(support)) for _, support in supports(story))


def support_order(story: Story, reader: FormReader) -> Iterator[str]:
    """Give the order in which the supporting facts of each question are listed: 1 is the earliest."""
    for _, support in supports(story):
        ranks = [sorted(support).index(line) + 1 for line in support]
        ascending = list(range(1, len(ranks) + 1))
        if len(ranks) <= SHORT_ORDER:
            yield " ".join(map(str, ranks)) or "none"
        elif ranks == ascending:
            yield "ascending"
        else:
            yield "descending" if ranks == ascending[::-1] else "mixed"


def distance_to_first(story: Story, reader: FormReader) -> Iterator[str]:
    """Give how many statements back the supporting fact lies that is listed first."""
    return (
        statements_back(question, support[0]) for question, support in supports(story) if support
    )


def distance_to_last(story: Story, reader: FormReader) -> Iterator[str]:
    """Give how many statements back the supporting fact lies that is listed last."""
    return (
        statements_back(question, support[-1]) for question, support in supports(story) if support
    )


def repeated_questions(story: Story, reader: FormReader) -> Iterator[str]:
    """Say of each question whether the story has asked it before."""
    return repetitions(question.text for question in story.questions)


def repeated_statements(story: Story, reader: FormReader) -> Iterator[str]:
    """Say of each statement whether the story has made it before, word for word."""
    return repetitions(sentence.text for sentence in story.sentences)


MEASURES = (
    Measure("statement forms", statement_forms, forms=True),
    Measure("question forms", question_forms, forms=True),
    Measure("actions", actions),
    *(Measure(f"{kind} in statements", fillers(kind)) for kind in MASKS),
    Measure("repeated statements", repeated_statements),
    Measure("answers", answers),
    Measure("answers by question form", answers_by_form),
    Measure("statements that name the answer", mentions_of_answer),
    Measure("repeated questions", repeated_questions),
    Measure("statements per story", statements_per_story, whole_story=True),
    Measure("questions per story", questions_per_story, whole_story=True),
    Measure("statements before first question", first_gap),
    Measure("statements between questions", later_gaps),
    Measure("number of supporting facts", support_size, support=True),
    Measure("order of supporting facts", support_order, support=True),
    Measure("distance to first supporting fact", distance_to_first, support=True),
    Measure("distance to last supporting fact", distance_to_last, support=True),
)


def supports(story: Story) -> Iterator[tuple[Question, tuple[int, ...]]]:
    """Give the questions whose supporting facts are known."""
    for question in story.questions:
        if question.support is not None:
            yield question, question.support


def statements_back(question: Question, line: int) -> str:
    """Return how many statements before the question a line lies; the latest one is 1."""
    # The facts stand in the order of their lines; only those from the line on are looked at.
    distance = 0
    for fact in reversed(question.facts):
        distance += 1
        if fact.line <= line:
            break
    return binned(distance, DISTANCE_BINS)


def gaps(story: Story) -> list[int]:
    """Return the number of statements before each question, since the one before."""
    found, statements = [], 0
    for line in story.lines:
        if isinstance(line, Question):
            found.append(statements)
            statements = 0
        else:
            statements += 1
    return found


def repetitions(texts: Iterable[str]) -> Iterator[str]:
    """Say of each text whether it came before."""
    seen: set[str] = set()
    for text in texts:
        yield "again" if text in seen else "new"
        seen.add(text)


def binned(value: int, upper: tuple[int, ...]) -> str:
    """Return the bin of a number by the upper ends of the bins: "7", "11-15", "26+"."""
    place = bisect_left(upper, value)
    if place == len(upper):
        return f"{upper[-1] + 1}+"
    lower = upper[place - 1] + 1 if place else min(value, upper[0])
    return str(value) if lower == upper[place] or value < upper[0] else f"{lower}-{upper[place]}"


class Tally:
    """Which categories each measure found in which story of a sample.

    Parameters
    ----------
    stories : the sample; needed again only for examples of forms
    reader : knows the language of the task
    """

    def __init__(self, stories: Sequence[Story], reader: FormReader) -> None:
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
