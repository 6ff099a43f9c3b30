"""What a set of stories looks like in numbers, counted in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from babi_cascade.pipeline.stories.model import Question, Story, tokenize

FREQUENT = 3


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """An answer, how often it is right, and the part of all answered questions that makes."""

    answer: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class Statistics:
    """Sizes of a set of stories; means are 0 where there is nothing to count.

    `words` counts distinct words of statements and questions, upper and lower case alike and
    punctuation left out. `facts_mean` is the number of statements a question sees. The support
    figures are over the questions whose support is known. `frequent_answers` shows what always
    giving one answer would score.
    """

    stories: int
    statements: int
    questions: int
    words: int
    answers: int
    statements_mean: float
    statements_max: int
    facts_mean: float
    support_mean: float
    support_max: int
    frequent_answers: tuple[AnswerShare, ...]

    def to_json(self) -> dict[str, Any]:
        """Give the figures as plain values that json can write."""
        record = asdict(self)
        record["frequent_answers"] = [asdict(answer) for answer in self.frequent_answers]
        return record


def describe(stories: Iterable[Story]) -> Statistics:
    """Count; holds the distinct words and answers, not the stories."""
    story_count = statement_count = statements_max = 0
    question_count = fact_count = 0
    supported = support_count = support_max = 0
    words: set[str] = set()
    answers: Counter[str] = Counter()
    for story in stories:
        story_count += 1
        statements = 0
        for line in story.lines:
            words.update(tokenize(line.text.casefold()))
            if not isinstance(line, Question):
                statements += 1
                continue
            question_count += 1
            fact_count += len(line.facts)
            if line.answer is not None:
                answers[line.answer] += 1
            if line.support is not None:
                supported += 1
                support_count += len(line.support)
                support_max = max(support_max, len(line.support))
        statement_count += statements
        statements_max = max(statements_max, statements)
    answered = answers.total()
    # Ties in alphabetical order, so that the same stories in another order give the same record.
    ranked = sorted(answers.items(), key=lambda item: (-item[1], item[0]))
    return Statistics(
        stories=story_count,
        statements=statement_count,
        questions=question_count,
        words=sum(any(map(str.isalnum, word)) for word in words),
        answers=len(answers),
        statements_mean=_mean(statement_count, story_count),
        statements_max=statements_max,
        facts_mean=_mean(fact_count, question_count),
        support_mean=_mean(support_count, supported),
        support_max=support_max,
        frequent_answers=tuple(
            AnswerShare(answer, count, count / answered) for answer, count in ranked[:FREQUENT]
        ),
    )


def _mean(total: int, count: int) -> float:
    """Divide, with 0 for the mean of nothing."""
    return total / count if count else 0.0
